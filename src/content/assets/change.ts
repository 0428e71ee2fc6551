import type { Transaction } from '../../database/database.ts';
import type { ExpectedRevisions } from '../../problems/revision.ts';

/** Who makes a change, and within what. */
export interface Change {
  /** Stands as `user` in the messages of the events that the change causes. */
  user: string;
  /** The transaction that is open already; without one the service opens its own. */
  tx?: Transaction | undefined;
}

/** A change of something that exists. */
export interface ChangeOf extends Change {
  /** The revisions that it may start from; null for any. */
  expected: ExpectedRevisions;
}
