import { MAX_NAME_LENGTH } from '../../../../src/text-lengths.ts';
import { accounts } from '../../texts/accounts.ts';
import { lengthOf } from '../../utilities/length-of.ts';

/** The problem with the name of an account; null if there is none. */
export function checkName(name: string): string | null {
  const characters = lengthOf(name.trim());
  if (characters === 0) return accounts.checks.name;
  return characters > MAX_NAME_LENGTH ? accounts.checks.length(MAX_NAME_LENGTH) : null;
}
