import { type Static, Type } from 'typebox';
import { DateTime, HAS_ETAG, Id, Ignored, Name, PathId } from '../../http/schemas.ts';

/** An account as the API returns it. */
export const AccountRecord = Type.Object(
  {
    id: Id('The id of the account.'),
    name: Type.String(),
    enabled: Type.Boolean(),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was last changed.'),
  },
  { title: 'Account', ...HAS_ETAG, description: 'An account.' },
);
export type AccountRecord = Static<typeof AccountRecord>;

/** The body of create and update. */
export const AccountInput = Type.Object(
  {
    name: Name('The name of the account.'),
    enabled: Type.Optional(Type.Boolean({ description: 'Whether the account is active. Defaults to true.' })),
    id: Ignored(AccountRecord.properties.id),
    created_dt: Ignored(AccountRecord.properties.created_dt),
    updated_dt: Ignored(AccountRecord.properties.updated_dt),
  },
  { additionalProperties: false, title: 'AccountInput', description: 'Account to create or update.' },
);
export type AccountInput = Static<typeof AccountInput>;

/** The path of an account. */
export const AccountParams = Type.Object({ account_id: PathId('The id of the account.') });
