import type { Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';

/**
 * Says in words what of one kind holds an asset, and how many (`2 accounts`), or null when nothing does. What is
 * held is not deleted.
 */
export type Holder = (tx: Transaction, id: number) => Promise<string | null>;

/** The words of a {@link Holder}. `noun` is singular, and takes an s. */
export function countInWords(count: number, noun: string): string | null {
  if (count === 0) return null;
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Asked before an asset is deleted, under its lock.
 * @param what the kind of asset, for people: `bundle`
 * @throws {ProblemError} `conflict` while something holds it, saying what
 */
export async function assertNotHeld(
  tx: Transaction,
  what: string,
  id: number,
  holders: readonly Holder[],
): Promise<void> {
  const held: string[] = [];
  for (const holder of holders) {
    const words = await holder(tx, id);
    if (words !== null) held.push(words);
  }
  if (held.length > 0) {
    throw new ProblemError('conflict', `The ${what} is in use by ${held.join(', ')}`);
  }
}
