import { MAX_NAME_LENGTH } from '../../../src/text-lengths.ts';
import { account } from '../texts/sign-in.ts';
import { lengthOf } from '../utilities/length-of.ts';

/** The fault of the name of an administrator; null if there is none. */
export function nameFault(name: string): string | null {
  const trimmed = name.trim();
  if (trimmed === '') return account.checks.name;
  return lengthOf(trimmed) > MAX_NAME_LENGTH ? account.checks.nameLength : null;
}
