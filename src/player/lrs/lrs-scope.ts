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
  /**
   * The registration whose records these are: stored records belong to it, and are deleted with it. Null for a preview: what
   * is sent is checked and then dropped.
   */
  registrationId: string | null;
  /** `context.registration` of the launch: a UUID in lower case. */
  registration: string;
  /** The learner: an agent with one identifier. */
  actor: JsonObject;
  /** The activities that were launched; those whose ids begin with one of these and a separator are theirs, too. */
  activityIds: readonly string[];
  /** Documents of state that the course may read and not write, such as `LMS.LaunchData`, by `stateId`. */
  givenStates: ReadonlyMap<string, JsonObject>;
  /**
   * Refuses documents that the rules of the launch's standard forbid.
   * @throws {ProblemError} `forbidden`
   */
  admitDocument?(document: { kind: string; id: string; contentType: string; content: Buffer }): void;
  /** Learns that the course asked for a document, whether or not there is one. */
  documentRead?(kind: string, id: string): Promise<void>;
  /**
   * Runs what a request stores in a transaction that holds the registration; left out where the service itself stores.
   * @throws {ProblemError} `forbidden` once a newer launch has taken over
   */
  transaction?<T>(work: (tx: Transaction, launch: LaunchTransaction) => Promise<T>): Promise<T>;
}

/** A learner: an account names its learners for itself. */
export interface Learner {
  accountId: number;
  learnerId: string;
}

/** What a launch has to say of statements and documents while they are stored. */
export interface LaunchTransaction {
  /** Who the launch is of. */
  learner: Learner;
  /**
   * Refuses statements that the rules of the launch's standard forbid. Those that are stored already are not among them.
   * @throws {ProblemError} `forbidden`
   */
  admit(statements: readonly Statement[]): void;
  /** Learns of statements that were stored, in their order. */
  stored(statements: readonly StoredStatement[]): void;
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
