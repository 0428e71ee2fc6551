import {
  MAX_PASSWORD_CHARACTERS,
  MIN_PASSWORD_CHARACTERS,
} from '../../../src/identity/administrators/password-length.ts';
import { account } from '../texts/sign-in.ts';

/** The problem with a new password, in words; null if there is none. The service checks it again. */
export function checkPassword(password: string, email: string): string | null {
  const characters = [...password].length;
  if (characters < MIN_PASSWORD_CHARACTERS) return account.checks.short;
  if (characters > MAX_PASSWORD_CHARACTERS) return account.checks.long;
  return password.toLowerCase() === email.trim().toLowerCase() ? account.checks.sameAsEmail : null;
}
