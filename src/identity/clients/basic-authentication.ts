import type { Logger } from '../../observability/log.ts';
import { ProblemError } from '../../problems/problem.ts';
import { RefusalLog } from '../refusal-log.ts';
import { type ApiClient, type ClientService, hasClientIdForm } from './client-service.ts';
import { noteClientUse } from './note-use.ts';

const BASIC = /^basic +([A-Za-z0-9+/_-]+=*) *$/i;
/** The value of `WWW-Authenticate` that asks for HTTP Basic credentials. */
export const BASIC_CHALLENGE = 'Basic realm="coursewire", charset="UTF-8"';

/** Authenticates an API client by its id and secret. */
export type AuthenticateBasic = (authorization: string, address: string) => Promise<ApiClient>;

/** Whether an Authorization header field has HTTP Basic credentials. */
export function isBasic(authorization: string | undefined): authorization is string {
  return /^basic(?: |$)/i.test(authorization ?? '');
}

/**
 * Recognizes API clients by HTTP Basic credentials (RFC 7617), for protocols whose clients do not support access
 * tokens. The function throws `unauthorized`.
 */
export function basicAuthentication({
  clients,
  log,
}: {
  clients: ClientService;
  log: Logger;
}): AuthenticateBasic {
  const refusals = new RefusalLog(log);
  return async (authorization, address) => {
    const credentials = readBasic(authorization);
    if (credentials === null) throw refused();
    const client = await clients.authenticate(credentials.id, credentials.secret);
    if (client === null) {
      // A client id may be a secret in the wrong field.
      const clientId = hasClientIdForm(credentials.id) ? credentials.id : null;
      refusals.note('Basic credentials refused', { client_id: clientId, address });
      throw refused();
    }
    await noteClientUse(client, { clients, log });
    return client;
  };
}

/** The user name and password of HTTP Basic credentials, with a colon between them. Null for any other header field. */
export function decodeBasic(authorization: string): string | null {
  const encoded = BASIC.exec(authorization)?.[1];
  return encoded === undefined ? null : Buffer.from(encoded, 'base64').toString();
}

function readBasic(authorization: string): { id: string; secret: string } | null {
  const text = decodeBasic(authorization);
  if (text === null) return null;
  const colon = text.indexOf(':');
  return colon < 0 ? null : { id: text.slice(0, colon), secret: text.slice(colon + 1) };
}

function refused(): ProblemError {
  return new ProblemError('unauthorized', 'The client is unknown or disabled, or the secret is wrong', {
    headers: { 'WWW-Authenticate': BASIC_CHALLENGE },
  });
}
