import type { Actor } from '../../audit/actor.ts';
import type { Transaction } from '../../database/database.ts';
import type { ExpectedRevisions } from '../../problems/revision.ts';

/** Who makes a change that the audit log records, and in which transaction. */
export interface AuditedChange {
  /** Sent as `user` in the messages about the change. */
  user: string;
  by: Actor;
  /** The open transaction. Without one, the service opens its own. */
  tx?: Transaction | undefined;
}

/** A change of something that exists. */
export interface AuditedChangeOf extends AuditedChange {
  /** The revisions that the change accepts, or null for any. */
  expected: ExpectedRevisions;
}

/** A creation without an event, which the audit log records. */
export type EventlessCreation = Pick<AuditedChange, 'by' | 'tx'>;

/** A change or deletion without an event, which the audit log records. */
export type EventlessChangeOf = Pick<AuditedChangeOf, 'by' | 'expected'>;
