import { isObject } from '../../is-object.ts';
import { type InputError, invalidInput } from '../../problems/problem.ts';
import { MAX_EMAIL_LENGTH, MAX_NAME_LENGTH } from '../../text-lengths.ts';
import { isScope, SCOPES, type Scope } from '../scopes.ts';

const CONTROL_CHARACTER = /\p{Cc}/u;
/** What browsers accept in a field of type e-mail (HTML standard, "valid e-mail address"). */
const EMAIL_ADDRESS =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
/** Maximum number of unknown scopes in a response: hostile input must not create a hostile response. */
const MAX_SCOPES_NAMED = 10;
const MAX_SCOPE_CHARACTERS_NAMED = 100;

/** Input for creating a client. */
export interface ClientInput {
  name: string;
  /** Sent as `user` in messages about what the client does. */
  email: string;
  /** Names of scopes. Without any, the tokens of the client have no scope. */
  scopes: readonly string[];
}

/**
 * The scopes of a valid input.
 * @throws {ProblemError} `invalid-request`, with those of `/name`, `/email` and `/scope` that are invalid.
 */
export function checkClientInput(input: ClientInput): ReadonlySet<Scope> {
  const found = [
    { pointer: '/name', detail: nameFault(input.name) },
    { pointer: '/email', detail: emailFault(input.email) },
    { pointer: '/scope', detail: scopeFault(input.scopes) },
  ];
  const errors = found.filter((each): each is InputError => each.detail !== null);
  if (errors.length > 0) throw invalidInput(errors);
  return new Set(input.scopes.filter(isScope));
}

/** The errors in the name and the e-mail address of a body beyond its schema, even if the body does not match the schema. */
export function nameAndEmailErrors(body: unknown): InputError[] {
  const { name, email }: Record<string, unknown> = isObject(body) ? body : {};
  const found = [
    { pointer: '/name', detail: typeof name === 'string' ? nameFault(name) : null },
    { pointer: '/email', detail: typeof email === 'string' ? emailFault(email) : null },
  ];
  return found.filter((each): each is InputError => each.detail !== null);
}

/** The error of a name, or null. */
export function nameFault(name: string): string | null {
  if (name.trim() === '') return 'must not be empty';
  // Counted in code points, as JSON Schema does.
  if ([...name].length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`;
  if (CONTROL_CHARACTER.test(name)) return 'must not contain control characters';
  if (!name.isWellFormed()) return 'must be well-formed Unicode';
  return null;
}

/** The error of an e-mail address, or null. */
export function emailFault(email: string): string | null {
  if ([...email].length > MAX_EMAIL_LENGTH) return `must have at most ${MAX_EMAIL_LENGTH} characters`;
  return EMAIL_ADDRESS.test(email) ? null : 'must be an e-mail address';
}

function scopeFault(scopes: readonly string[]): string | null {
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (unknown.length === 0) return null;
  const refused = unknown
    .slice(0, MAX_SCOPES_NAMED)
    .map((scope) => JSON.stringify(scope.slice(0, MAX_SCOPE_CHARACTERS_NAMED)))
    .join(', ');
  return `must contain only ${SCOPES.join(', ')}, not ${refused}`;
}
