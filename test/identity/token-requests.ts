import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { exchangeBytes } from '../support/raw-http.ts';
import { basic, LIFETIME_MS, type TestEndpoint } from './identity-helpers.ts';

const TOKEN_PATH = '/public/v1/auth';

export const FORM = 'application/x-www-form-urlencoded';
/** The characters of an error_description (RFC 6749 §5.2). */
const DESCRIPTION = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

/** A response of the token endpoint. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

type Fields = Record<string, string>;

/** Sends a form, and asserts the rules for all responses. */
export async function post(
  url: string,
  init: { headers?: Fields; body?: string | Uint8Array },
): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': FORM, ...init.headers },
    body: init.body === undefined ? null : Buffer.from(init.body),
  });
  const body = (await response.json()) as Record<string, unknown>;
  assert.match(response.headers.get('content-type') ?? '', /^application\/json(;|$)/);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.equal(response.headers.get('pragma'), 'no-cache');
  return { status: response.status, headers: response.headers, body };
}

/** Requests a token with Basic credentials, by default the right ones. */
export async function ask(endpoint: TestEndpoint, form: Fields, authorization?: string): Promise<Answer> {
  return await post(endpoint.url, {
    headers: { Authorization: authorization ?? basic(endpoint.client.clientId, endpoint.secret) },
    body: new URLSearchParams(form).toString(),
  });
}

/** Asserts a refusal in the form of RFC 6749 §5.2. */
export function assertRefused(answer: Answer, error: string, status = 400): void {
  assert.deepEqual(Object.keys(answer.body), ['error', 'error_description']);
  assert.equal(answer.body.error, error, JSON.stringify(answer.body));
  assert.equal(answer.status, status);
  assert.match(String(answer.body.error_description), DESCRIPTION);
}

/** Asserts a token of the endpoint's client that verifies. */
export async function assertGranted(endpoint: TestEndpoint, answer: Answer, scope?: string): Promise<void> {
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.deepEqual(Object.keys(answer.body), ['access_token', 'token_type', 'expires_in', 'scope']);
  assert.equal(answer.body.token_type, 'bearer');
  assert.equal(answer.body.expires_in, LIFETIME_MS / 1_000);
  assert.equal(answer.body.scope, scope ?? 'webhooks:read webhooks:write');
  const principal = await endpoint.tokens.verify(String(answer.body.access_token));
  assert.equal(principal?.clientId, endpoint.client.clientId);
}

export const GRANT = { grant_type: 'client_credentials' };

/** Sends exactly these header fields, and returns the whole response. */
export async function rawPost(
  endpoint: TestEndpoint,
  fields: readonly string[],
  body: string,
): Promise<string> {
  const { host } = new URL(endpoint.origin);
  const head = [`POST ${TOKEN_PATH} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...fields];
  return await exchangeBytes(endpoint.origin, `${head.join('\r\n')}\r\n\r\n${body}`);
}

/** A client with an id and secret that are never generated, but that the protocol allows. */
export async function putClient(endpoint: TestEndpoint, clientId: string, secret: string): Promise<void> {
  const hash = createHash('sha256').update(secret).digest('hex');
  await endpoint.database.transaction((tx) =>
    tx.run('update api_clients set client_id = ?, secret_hash = ?', clientId, hash),
  );
}
