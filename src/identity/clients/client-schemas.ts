import { Type } from 'typebox';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import { SCOPES } from '../scopes.ts';
import { MAX_EMAIL_CHARACTERS } from './client-input.ts';
import type { ApiClient } from './client-service.ts';

/** API clients as the admin UI makes, changes and reads them. */

const said = {
  name: Type.String(),
  email: Type.String({ maxLength: MAX_EMAIL_CHARACTERS }),
  scopes: Type.Array(Type.Enum([...SCOPES]), { maxItems: SCOPES.length, uniqueItems: true }),
};

/** What is said of a client that is to be made. */
export const ClientBody = Type.Object(said, { additionalProperties: false });

/** What a change replaces. */
export const ClientChange = Type.Object(
  { ...said, enabled: Type.Boolean() },
  { additionalProperties: false },
);

/** A system that uses the automation API. */
export type ClientRecord = ReturnType<typeof toClientRecord>;
/** The same with its secret; no later answer holds it. */
export type ClientWithSecret = ClientRecord & { client_secret: string };

/** A client as answers hold it. */
export function toClientRecord(client: Omit<ApiClient, 'tokenGeneration' | 'revision'>) {
  return {
    client_id: client.clientId,
    name: client.name,
    /** The `user` of the messages of events that the client causes. */
    email: client.email,
    scopes: SCOPES.filter((scope) => client.scopes.has(scope)),
    enabled: client.enabled,
    created_dt: formatDateTime(client.createdAt),
    /** When it last got a token, to the minute. */
    last_used_dt: formatOptionalDateTime(client.lastUsedAt),
  };
}
