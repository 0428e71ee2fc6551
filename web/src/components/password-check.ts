import { account } from '../texts/sign-in.ts';

const MIN_CHARACTERS = 12;
const MAX_CHARACTERS = 256;

/** What is wrong with a new password, in words; null if nothing is. The service checks it again. */
export function checkPassword(password: string, email: string): string | null {
  const characters = [...password].length;
  if (characters < MIN_CHARACTERS) return account.checks.short;
  if (characters > MAX_CHARACTERS) return account.checks.long;
  return password.toLowerCase() === email.trim().toLowerCase() ? account.checks.sameAsEmail : null;
}
