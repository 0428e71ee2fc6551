import { type Static, Type } from 'typebox';
import { DateTime, Id, Ignored, Name } from '../../http/schemas.ts';

/** The body of create and update. */
export const AccountInput = Type.Object(
  {
    name: Name('The account’s name.'),
    enabled: Type.Optional(
      Type.Boolean({ description: 'Whether the account is active; true when left out.' }),
    ),
    id: Ignored(),
    created_dt: Ignored(),
    updated_dt: Ignored(),
  },
  { additionalProperties: false, description: 'An account, as it is to be.' },
);
export type AccountInput = Static<typeof AccountInput>;

/** An account as reading gives it. */
export const AccountRecord = Type.Object(
  {
    id: Id('The account’s id.'),
    name: Type.String(),
    enabled: Type.Boolean(),
    created_dt: DateTime('When it was created.'),
    updated_dt: DateTime('When it was changed last.'),
  },
  { description: 'An account.' },
);
