import { type InputError, invalidInput } from '../../problems/problem.ts';
import { emailFault, nameFault } from '../clients/client-input.ts';
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from './password-length.ts';
import { isRole, ROLES } from './roles.ts';

/**
 * The normal form of an e-mail address for comparisons. Valid ones are ASCII, so it does not depend on the
 * locale.
 */
export function emailKeyOf(email: string): string {
  return email.trim().toLowerCase();
}

/** Input about an administrator. */
export interface AdministratorInput {
  email?: string;
  name?: string;
  role?: string;
  /** The password, the address that it must differ from, and the member that contains it. */
  password?: { value: string; email: string; member: string };
}

/** @throws {ProblemError} `invalid-request`, naming every invalid member. */
export function checkAdministratorInput(input: AdministratorInput): void {
  const { email, name, role, password } = input;
  const found = [
    email === undefined ? null : fault('/email', emailFault(email)),
    name === undefined ? null : fault('/name', nameFault(name)),
    role === undefined || isRole(role) ? null : fault('/role', `must be one of ${ROLES.join(', ')}`),
    password === undefined ? null : fault(`/${password.member}`, passwordFault(password)),
  ];
  const errors = found.filter((each) => each !== null);
  if (errors.length > 0) throw invalidInput(errors);
}

function fault(pointer: string, detail: string | null): InputError | null {
  return detail === null ? null : { pointer, detail };
}

/**
 * Checks the length and obvious passwords. There are no rules on characters, which make passwords worse (NIST
 * SP 800-63B).
 */
function passwordFault({ value, email }: { value: string; email: string }): string | null {
  const characters = [...value].length;
  if (characters < MIN_PASSWORD_CHARACTERS) return `must have at least ${MIN_PASSWORD_CHARACTERS} characters`;
  if (characters > MAX_PASSWORD_CHARACTERS) return `must have at most ${MAX_PASSWORD_CHARACTERS} characters`;
  if (emailKeyOf(value) === emailKeyOf(email)) return 'must not be the e-mail address';
  return null;
}
