import { Agent, type Dispatcher } from 'undici';
import { RAW_CONNECTIONS } from './plan.ts';
import type { PreparedFolder } from './prepared-folder.ts';

export const TOKEN_PATH = '/public/v1/auth';
export const ACCOUNTS_PATH = '/accounts';

/** Calls the service's API over persistent connections. */
export class ApiClient implements AsyncDisposable {
  readonly #agent = new Agent({ connections: RAW_CONNECTIONS });
  readonly #url: string;
  readonly #basic: string;
  #token = '';

  constructor(url: string, { clientId, clientSecret }: Pick<PreparedFolder, 'clientId' | 'clientSecret'>) {
    this.#url = url;
    this.#basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  }

  /** Gets the access token for the other requests. */
  async authorize(): Promise<void> {
    const { access_token } = (await this.requestToken()) as { access_token: string };
    this.#token = access_token;
  }

  async requestToken(): Promise<unknown> {
    return await this.#send('POST', TOKEN_PATH, {
      expected: 200,
      authorization: this.#basic,
      type: 'application/x-www-form-urlencoded',
      body: 'grant_type=client_credentials',
    });
  }

  /** Causes an event that matches the webhook for all new accounts. */
  async createAccount(name: string): Promise<unknown> {
    return await this.#sendJson('POST', ACCOUNTS_PATH, 201, { name });
  }

  /** Causes an event that matches the timed webhook of this account. */
  async deactivateAccount(id: number): Promise<void> {
    await this.#sendJson('PUT', `/accounts/${id}`, 200, { name: `Account ${id}, closed`, enabled: false });
  }

  /** Imports a course package. */
  async importCourse(zip: Buffer): Promise<unknown> {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(zip)]), 'bench.zip');
    const encoded = new Response(form);
    return await this.#send('POST', '/courses', {
      expected: 201,
      authorization: `Bearer ${this.#token}`,
      type: encoded.headers.get('content-type') ?? '',
      body: Buffer.from(await encoded.arrayBuffer()),
    });
  }

  /** Creates an account that has a course, and returns its id. */
  async createAccountWith(courseId: number): Promise<number> {
    const { id } = (await this.#sendJson('POST', ACCOUNTS_PATH, 201, { name: 'Learners' })) as { id: number };
    const content = { contents: [{ type: 'COURSE', id: courseId }] };
    await this.#sendJson('POST', `/accounts/${id}/content`, 200, content);
    return id;
  }

  /** Registers a learner and returns the launch link. */
  async launchLearner(accountId: number, courseId: number, learnerId: string): Promise<string> {
    const parties = { account_id: accountId, course_id: courseId, learner_id: learnerId };
    const registered = (await this.#sendJson('POST', '/registrations', 201, parties)) as {
      registration_id: string;
    };
    const path = `/registrations/${registered.registration_id}/launch`;
    return ((await this.#sendJson('POST', path, 200, {})) as { launch_url: string }).launch_url;
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

  /** @throws {Error} if the response is not the expected one, because the speed of failures means nothing */
  async #send(
    method: Dispatcher.HttpMethod,
    path: string,
    {
      expected,
      authorization,
      type,
      body,
    }: { expected: number; authorization: string; type: string; body: string | Buffer },
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
