import type { Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';

/**
 * Returns what of one kind uses an asset (`2 accounts`, `registrations of learners`), or null if nothing does. An asset in
 * use cannot be deleted.
 */
export type Holder = (tx: Transaction, id: number) => Promise<string | null>;

/** The text of a {@link Holder}. `noun` is a singular with a regular plural. */
export function countInWords(count: number, noun: string): string | null {
  if (count === 0) return null;
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Checked before an asset is deleted, under its lock.
 * @param what the kind of asset, for people: `bundle`
 * @throws {ProblemError} `conflict` while it is in use, with its users
 */
export async function assertNotHeld(
  tx: Transaction,
  what: string,
  id: number,
  holders: readonly Holder[],
): Promise<void> {
  const held: string[] = [];
  for (const holder of holders) {
    const description = await holder(tx, id);
    if (description !== null) held.push(description);
  }
  if (held.length > 0) {
    throw new ProblemError('conflict', `The ${what} is in use by ${held.join(', ')}`);
  }
}
