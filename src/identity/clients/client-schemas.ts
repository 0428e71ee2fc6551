import { Type } from 'typebox';
import { MAX_EMAIL_LENGTH } from '../../text-lengths.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import { SCOPES } from '../scopes.ts';
import type { ApiClient } from './client-service.ts';

/** Schemas of API clients in the admin UI. */

const said = {
  name: Type.String(),
  email: Type.String({ maxLength: MAX_EMAIL_LENGTH }),
  scopes: Type.Array(Type.Enum([...SCOPES]), { maxItems: SCOPES.length, uniqueItems: true }),
};

/** Input for creating a client. */
export const ClientBody = Type.Object(said, { additionalProperties: false });

/** Input for updating a client. */
export const ClientChange = Type.Object(
  { ...said, enabled: Type.Boolean() },
  { additionalProperties: false },
);

/** A system that uses the automation API. */
export type ClientRecord = ReturnType<typeof toClientRecord>;
/** A new client with its secret, which no later response contains. */
export type ClientWithSecret = ClientRecord & { client_secret: string };

/** A client as responses contain it. */
export function toClientRecord(client: Omit<ApiClient, 'tokenGeneration' | 'revision'>) {
  return {
    client_id: client.clientId,
    name: client.name,
    /** Sent as `user` in messages about what the client does. */
    email: client.email,
    scopes: SCOPES.filter((scope) => client.scopes.has(scope)),
    enabled: client.enabled,
    created_dt: formatDateTime(client.createdAt),
    /** When it last got a token or used Basic authentication, to the minute. */
    last_used_dt: formatOptionalDateTime(client.lastUsedAt),
  };
}
