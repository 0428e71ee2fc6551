import { type Static, Type } from 'typebox';
import { DateTime, Id, Ignored, Name } from '../../http/schemas.ts';

/** The body of create and update. */
export const AccountInput = Type.Object(
  {
    name: Name('The name of the account.'),
    enabled: Type.Optional(Type.Boolean({ description: 'Whether the account is active. Defaults to true.' })),
    id: Ignored(),
    created_dt: Ignored(),
    updated_dt: Ignored(),
  },
  { additionalProperties: false, description: 'Account to create or update.' },
);
export type AccountInput = Static<typeof AccountInput>;

/** An account as the API returns it. */
export const AccountRecord = Type.Object(
  {
    id: Id('The id of the account.'),
    name: Type.String(),
    enabled: Type.Boolean(),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was last changed.'),
  },
  { description: 'An account.' },
);
export type AccountRecord = Static<typeof AccountRecord>;
