import type { Actor } from '../../audit/actor.ts';
import type { Transaction } from '../../database/database.ts';
import type { ExpectedRevisions } from '../../problems/revision.ts';

/** Who makes a change, and in which transaction. */
export interface ChangeContext {
  /** Sent as `user` in the messages about the change. */
  user: string;
  by: Actor;
  /** The open transaction. Without one, the service opens its own. */
  tx?: Transaction | undefined;
}

/** Who changes or deletes something that exists, in a transaction that the service opens. */
export interface ChangeContextOf extends Omit<ChangeContext, 'tx'> {
  /** The revisions that the change accepts, or null for any. */
  expected: ExpectedRevisions;
}

/** A creation without an event, which the audit log records. */
export type EventlessCreation = Pick<ChangeContext, 'by' | 'tx'>;

/** A change or deletion without an event, which the audit log records. */
export type EventlessChangeOf = Pick<ChangeContextOf, 'by' | 'expected'>;
