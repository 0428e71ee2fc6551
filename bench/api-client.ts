import { Agent, type Dispatcher } from 'undici';
import { RAW_CONNECTIONS } from './plan.ts';
import type { PreparedFolder } from './prepared-folder.ts';

/** A client of the service's API over kept connections. */
export class ApiClient implements AsyncDisposable {
  readonly #agent = new Agent({ connections: RAW_CONNECTIONS });
  readonly #url: string;
  readonly #basic: string;
  #token = '';

  constructor(url: string, { clientId, clientSecret }: Pick<PreparedFolder, 'clientId' | 'clientSecret'>) {
    this.#url = url;
    this.#basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  }

  /** Gets the token that the other requests are made with. */
  async authorize(): Promise<void> {
    const { access_token } = (await this.requestToken()) as { access_token: string };
    this.#token = access_token;
  }

  async requestToken(): Promise<unknown> {
    return await this.#send('POST', '/public/v1/auth', {
      expected: 200,
      authorization: this.#basic,
      type: 'application/x-www-form-urlencoded',
      body: 'grant_type=client_credentials',
    });
  }

  /** An event that the webhook of all new accounts matches. */
  async createAccount(name: string): Promise<void> {
    await this.#sendJson('POST', '/accounts', 201, { name });
  }

  /** An event that the timed webhook of this account matches. */
  async deactivateAccount(id: number): Promise<void> {
    await this.#sendJson('PUT', `/accounts/${id}`, 200, { name: `Account ${id}, closed`, enabled: false });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }

  #sendJson(method: 'POST' | 'PUT', path: string, expected: number, body: unknown): Promise<unknown> {
    return this.#send(method, path, {
      expected,
      authorization: `Bearer ${this.#token}`,
      type: 'application/json',
      body: JSON.stringify(body),
    });
  }

  /** @throws {Error} when the answer is not the expected one: a bench of failures tells nothing. */
  async #send(
    method: Dispatcher.HttpMethod,
    path: string,
    {
      expected,
      authorization,
      type,
      body,
    }: { expected: number; authorization: string; type: string; body: string },
  ): Promise<unknown> {
    const answer = await this.#agent.request({
      origin: this.#url,
      method,
      path,
      headers: { authorization, 'content-type': type },
      body,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== expected) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    return JSON.parse(text);
  }
}
