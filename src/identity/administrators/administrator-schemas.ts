import { Type } from 'typebox';
import { DateTime, Id, Name, Nullable, OptionalDateTime } from '../../http/schemas.ts';
import { MAX_EMAIL_CHARACTERS } from '../clients/client-input.ts';
import type { Administrator } from './administrator.ts';
import { MAX_PASSWORD_CHARACTERS } from './passwords.ts';
import { ROLES } from './roles.ts';

/** Requests and answers of the admin UI's own interface on people. */

const RoleName = Type.Enum([...ROLES], { description: 'What the administrator may do.' });

/** Rules of form are the services', which name every fault in words; the schema only bounds what comes. */
const Email = Type.String({ maxLength: MAX_EMAIL_CHARACTERS, description: 'An e-mail address.' });
const Password = Type.String({ maxLength: MAX_PASSWORD_CHARACTERS });
const Token = Type.String({ maxLength: 100, description: 'From the one-time link.' });

const closed = { additionalProperties: false } as const;

export const SignInInput = Type.Object({ email: Email, password: Password }, closed);

export const SessionAnswer = Type.Object({
  administrator: Type.Object({
    id: Id('Its id.'),
    email: Type.String(),
    name: Type.String(),
    role: RoleName,
  }),
  service: Type.Object({
    version: Type.String(),
    read_only: Type.Boolean({ description: 'Whether webhooks are Read Only.' }),
    delivers: Type.Boolean({ description: 'Whether this service delivers messages.' }),
    base_url: Type.String({ description: 'Where people and programs reach the service.' }),
  }),
});

export const SessionList = Type.Object({
  data: Type.Array(
    Type.Object({
      id: Id('Its id.'),
      created_dt: DateTime('When it started.'),
      last_seen_dt: DateTime('When it was last used, to the minute.'),
      browser: Type.String({ description: 'Such as `Firefox on Windows`.' }),
      address: Nullable(Type.String({ description: 'From where it was last used; null: not known.' })),
      current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
    }),
  ),
});

export const PasswordInput = Type.Object({ current_password: Password, new_password: Password }, closed);

export const ProfileInput = Type.Object({ name: Name('How others see the administrator.') }, closed);

export const SetupLinkBody = Type.Object({ token: Token }, closed);

export const SetupAnswer = Type.Object({
  email: Nullable(Type.String({ description: 'Null: it is to be told.' })),
  name: Nullable(Type.String({ description: 'Null: it is to be told.' })),
  role: RoleName,
});

export const SetupBody = Type.Object(
  {
    token: Token,
    email: Type.Optional(Nullable(Email)),
    name: Type.Optional(Nullable(Name('How others see the administrator.'))),
    password: Password,
  },
  closed,
);

const administratorMembers = {
  id: Id('Its id.'),
  email: Type.String(),
  name: Nullable(Type.String({ description: 'Null until the administrator tells it.' })),
  role: RoleName,
  enabled: Type.Boolean(),
  invited: Type.Boolean({ description: 'Whether the invitation was not taken up yet.' }),
  created_dt: DateTime('When it was created.'),
  last_sign_in_dt: OptionalDateTime('The last time with a password, choosing one included.'),
};

export const AdministratorRecord = Type.Object(administratorMembers);

export const AdministratorList = Type.Object({ data: Type.Array(AdministratorRecord) });

const linkMembers = {
  invitation_url: Type.String({ description: 'A one-time link to set a password with, told this once.' }),
  invitation_expires_dt: DateTime('Until when it can be used.'),
};

export const InvitedAdministrator = Type.Object({ ...administratorMembers, ...linkMembers });

export const LinkAnswer = Type.Object(linkMembers);

export const InvitationInput = Type.Object(
  { email: Email, role: RoleName, name: Type.Optional(Nullable(Name('How others see the administrator.'))) },
  closed,
);

export const AdministratorInput = Type.Object(
  {
    role: RoleName,
    enabled: Type.Boolean(),
    name: Type.Optional(Nullable(Name('How others see the administrator; stays when left out.'))),
  },
  closed,
);

/** An administrator as answers hold it. */
export function toAdministratorRecord(administrator: Administrator) {
  const { id, email, name, role, enabled, invited, createdAt, lastSignInAt } = administrator;
  return {
    id,
    email,
    name,
    role,
    enabled,
    invited,
    created_dt: new Date(createdAt).toISOString(),
    last_sign_in_dt: lastSignInAt === null ? null : new Date(lastSignInAt).toISOString(),
  };
}
