import { Type } from 'typebox';
import { Name, Nullable } from '../../http/schemas.ts';
import { MAX_EMAIL_LENGTH } from '../../text-lengths.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import type { Administrator } from './administrator.ts';
import { MAX_PASSWORD_CHARACTERS } from './password-length.ts';
import { ROLES } from './roles.ts';

/** Requests and responses of the admin UI about administrators. */

const RoleName = Type.Enum([...ROLES]);

/** Services validate the format and describe every error. The schema only limits the size. */
const Email = Type.String({ maxLength: MAX_EMAIL_LENGTH });
const Password = Type.String({ maxLength: MAX_PASSWORD_CHARACTERS });
const Token = Type.String({ maxLength: 100 });

const closed = { additionalProperties: false } as const;

/** The body of a sign-in. */
export const SignInInput = Type.Object({ email: Email, password: Password }, closed);

/** The body of a change of the caller's own password. */
export const PasswordInput = Type.Object({ current_password: Password, new_password: Password }, closed);

/** The body of a change of the caller's own name. */
export const ProfileInput = Type.Object({ name: Name() }, closed);

/** The body of a request that asks whom a one-time link is for. */
export const SetupLinkBody = Type.Object({ token: Token }, closed);

/** The body with which a one-time link sets a password. */
export const SetupBody = Type.Object(
  {
    token: Token,
    email: Type.Optional(Nullable(Email)),
    name: Type.Optional(Nullable(Name())),
    password: Password,
  },
  closed,
);

/** The body of an invitation. */
export const InvitationInput = Type.Object(
  { email: Email, role: RoleName, name: Type.Optional(Nullable(Name())) },
  closed,
);

/** A change of an administrator. Omitted members are kept. */
export const AdministratorInput = Type.Object(
  {
    role: Type.Optional(RoleName),
    enabled: Type.Optional(Type.Boolean()),
    name: Type.Optional(Nullable(Name())),
  },
  closed,
);

/** A person who can sign in or was invited. */
export type AdministratorRecord = ReturnType<typeof toAdministratorRecord>;

/** An administrator as responses contain it. */
export function toAdministratorRecord(administrator: Administrator) {
  const { id, email, name, role, enabled, invited, createdAt, lastSignInAt } = administrator;
  return {
    id,
    email,
    name,
    role,
    enabled,
    invited,
    created_dt: formatDateTime(createdAt),
    /** The last sign-in with a password, including setting one. */
    last_sign_in_dt: formatOptionalDateTime(lastSignInAt),
  };
}
