import { type Static, Type } from 'typebox';
import { DateTime, OptionalDateTime } from '../../http/schemas.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import { SCOPES } from '../scopes.ts';
import { MAX_EMAIL_CHARACTERS } from './client-input.ts';
import type { ApiClient } from './client-service.ts';

/** API clients as the admin UI makes, changes and reads them. */

const said = {
  name: Type.String({ description: 'What the client is, for people.' }),
  email: Type.String({
    maxLength: MAX_EMAIL_CHARACTERS,
    description: 'Stands as `user` in the messages of events that the client causes.',
  }),
  scopes: Type.Array(Type.Enum([...SCOPES]), { maxItems: SCOPES.length, uniqueItems: true }),
};

/** What is said of a client that is to be made. */
export const ClientBody = Type.Object(said, { additionalProperties: false });

/** What a change replaces. */
export const ClientChange = Type.Object(
  { ...said, enabled: Type.Boolean() },
  { additionalProperties: false },
);

const recordMembers = {
  client_id: Type.String(),
  ...said,
  enabled: Type.Boolean(),
  created_dt: DateTime('When it was created.'),
  last_used_dt: OptionalDateTime('When it last got a token, to the minute.'),
};

/** A client as it is read. */
export const ClientRecord = Type.Object(recordMembers);

/** The same with its secret. */
export const ClientWithSecret = Type.Object({
  ...recordMembers,
  client_secret: Type.String({ description: 'Told this once.' }),
});

/** A client as {@link ClientRecord} has it. */
export function toClientRecord(
  client: Omit<ApiClient, 'tokenGeneration' | 'revision'>,
): Static<typeof ClientRecord> {
  return {
    client_id: client.clientId,
    name: client.name,
    email: client.email,
    scopes: SCOPES.filter((scope) => client.scopes.has(scope)),
    enabled: client.enabled,
    created_dt: formatDateTime(client.createdAt),
    last_used_dt: formatOptionalDateTime(client.lastUsedAt),
  };
}
