import type { Actor } from '../../audit/actor.ts';
import type { Transaction } from '../../database/database.ts';
import type { ExpectedRevisions } from '../../problems/revision.ts';

/** Who makes a change, and in which transaction. */
export interface Change {
  /** Sent as `user` in the messages about the change. */
  user: string;
  /** The open transaction. Without one, the service opens its own. */
  tx?: Transaction | undefined;
}

/** A change of anything that the audit log records, of whatever revision. */
export interface AuditedChange extends Change {
  by: Actor;
}

/** A change of something that exists. */
export interface ChangeOf extends Change {
  /** The revisions that the change accepts, or null for any. */
  expected: ExpectedRevisions;
}

/** A change that the audit log records. */
export interface AuditedChangeOf extends ChangeOf {
  by: Actor;
}

/** A creation without an event, which the audit log records. */
export type EventlessCreation = Pick<AuditedChange, 'by' | 'tx'>;

/** A change or deletion without an event, which the audit log records. */
export type EventlessChangeOf = Pick<AuditedChangeOf, 'by' | 'expected'>;
