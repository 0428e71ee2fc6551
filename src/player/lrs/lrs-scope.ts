import type { Transaction } from '../../database/database.ts';
import type { JsonObject, Statement, StoredStatement } from './xapi-types.ts';

/** Whose requests the store answers, and what they may touch. */
export interface LrsScope {
  /** Stands as `authority` in the statements that it stores: an agent. */
  authority: JsonObject;
  mayRead: boolean;
  mayWrite: boolean;
  /** The path under which the store is reached, as the client sees it: `more` begins with it. */
  path: string;
  /** The one launch that the credential is for; null for credentials that reach all records. */
  launch: LaunchScope | null;
}

/** The learner, the registration and the activities of one launch. Nothing else is read or written through it. */
export interface LaunchScope {
  /** The registration whose records these are: what is stored belongs to it, and goes with it. */
  registrationId: string;
  /** `context.registration` of the launch: a UUID in lower case. */
  registration: string;
  /** The learner: an agent with one identifier. */
  actor: JsonObject;
  /** The activities that were launched; those whose ids begin with one of these and a separator are theirs, too. */
  activityIds: readonly string[];
  /** Documents that the course may read and not write, such as `LMS.LaunchData`, by `stateId`. */
  readOnlyStates: ReadonlySet<string>;
  /**
   * Refuses statements that the rules of the launch's standard forbid. Called in the transaction, before they are stored.
   * Statements that are stored already are not among them.
   * @throws {ProblemError} `forbidden`
   */
  admit?(tx: Transaction, statements: readonly Statement[]): Promise<void>;
  /** Learns of statements that were stored, in the same transaction, in their order. */
  stored?(tx: Transaction, statements: readonly StoredStatement[]): Promise<void>;
}

const SEPARATORS = ['/', '#', '?', ':'];

/** Whether an activity is one of a launch's, or lies below one. */
export function isOfLaunch(launch: LaunchScope, activityId: unknown): boolean {
  if (typeof activityId !== 'string') return false;
  return launch.activityIds.some(
    (id) =>
      activityId === id ||
      (activityId.startsWith(id) &&
        (SEPARATORS.includes(id.at(-1) ?? '') || SEPARATORS.includes(activityId[id.length] ?? ''))),
  );
}
