import { DemoFailure } from './failure.ts';
import { PATIENCE_MS, within } from './waiting.ts';

/** Credentials of an API client, as the command line prints them. */
export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Response of the token endpoint (RFC 6749 section 5.1). */
export interface AccessToken {
  readonly access_token: string;
  readonly expires_in: number;
  readonly scope: string;
}

/** Shows a call before it is made, with a readable `body`. */
export type CallListener = (method: string, path: string, body: string) => void;

/** Requests an access token. @throws {DemoFailure} */
export async function requestToken(
  url: string,
  { clientId, clientSecret }: ClientCredentials,
  signal: AbortSignal,
): Promise<AccessToken> {
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  return await ask<AccessToken>(
    `${url}/public/v1/auth`,
    {
      method: 'POST',
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    },
    signal,
  );
}

/** Calls the service's API as any system would: over HTTP, with a token. */
export class ApiClient {
  readonly #url: string;
  readonly #token: string;
  readonly #signal: AbortSignal;
  readonly #onCall: CallListener;

  constructor(options: { url: string; token: string; signal: AbortSignal; onCall: CallListener }) {
    this.#url = options.url;
    this.#token = options.token;
    this.#signal = options.signal;
    this.#onCall = options.onCall;
  }

  /** Reads without showing the call. @throws {DemoFailure} */
  async get<T>(path: string): Promise<T> {
    return await ask<T>(this.#url + path, { headers: this.#headers() }, this.#signal);
  }

  /** Changes something and shows the call. @throws {DemoFailure} */
  async send<T>(method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T> {
    const json = body === undefined ? null : JSON.stringify(body);
    this.#onCall(method, path, JSON.stringify(body, withoutSecrets) ?? '');
    const headers = { ...this.#headers(), ...(json !== null && { 'content-type': 'application/json' }) };
    return await ask<T>(this.#url + path, { method, headers, body: json }, this.#signal);
  }

  /** Uploads a file with the other parts of a form, and shows the call. @throws {DemoFailure} */
  async upload<T>(
    path: string,
    file: { fileName: string; bytes: Buffer<ArrayBuffer> },
    fields: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new Blob([file.bytes], { type: 'application/zip' }), file.fileName);
    const summary = [
      ...Object.entries(fields).map(([name, value]) => `${name}=${value}`),
      `file=@${file.fileName}`,
    ];
    this.#onCall('POST', path, summary.join('  '));
    return await ask<T>(
      this.#url + path,
      { method: 'POST', headers: this.#headers(), body: form },
      this.#signal,
    );
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#token}` };
  }
}

function withoutSecrets(member: string, value: unknown): unknown {
  return member === 'secret' ? '…' : value;
}

async function ask<T>(url: string, request: RequestInit, signal: AbortSignal): Promise<T> {
  const { pathname } = new URL(url);
  const name = `${request.method ?? 'GET'} ${pathname}`;
  return await within({ what: `a response to ${name}`, deadlineMs: PATIENCE_MS, signal }, async (limit) => {
    const response = await fetch(url, { ...request, signal: limit });
    const text = await response.text();
    if (!response.ok) throw new DemoFailure(`${name} returned ${response.status}`, [text]);
    return (text === '' ? null : JSON.parse(text)) as T;
  });
}
