import type { Actor } from '../../audit/actor.ts';
import type { Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import type { ActivityBranches } from './activity-branches.ts';
import { type LrsRequest, QueryReader } from './lrs-request.ts';
import type { JsonObject, Statement, StoredStatement } from './xapi-types.ts';

/** The caller of a request, and the records that it may access. */
export interface LrsScope {
  /** The `authority` of the statements that it stores: an agent. */
  authority: JsonObject;
  /** Who changes documents, as the audit log records it; null for a course and the service itself. */
  by: Actor | null;
  mayRead: boolean;
  mayWrite: boolean;
  /** The public path of the store. The `more` links start with it. */
  path: string;
  /** The launch to which the credential is limited; null for credentials that can access all records. */
  launch: LaunchScope | null;
}

/** The learner, the registration and the activities of one launch. The launch can access nothing else. */
export interface LaunchScope {
  /**
   * The registration that owns the stored records; they are deleted with it. Null for a preview: requests are
   * validated, but nothing is stored.
   */
  registrationId: string | null;
  /** `context.registration` of the launch: a UUID in lower case. */
  registration: string;
  /** The learner: an agent with one identifier. */
  actor: JsonObject;
  /** The activities of the launch, with all activities below them. */
  activities: readonly ActivityBranches[];
  /**
   * The names of the query parameters in the address of the unit. Libraries such as TinCanJS repeat those that they do not
   * know in every request. Undefined when the service itself stores.
   */
  addressParameters?: ReadonlySet<string>;
  /** State documents that are read-only for the course, such as `LMS.LaunchData`, by `stateId`. */
  givenStates: ReadonlyMap<string, JsonObject>;
  /**
   * Whether the documents that the course changes are stored. False for a launch that only looks around: it reads the
   * learner's documents, and its changes are validated, but not stored.
   */
  keepsDocuments: boolean;
  /**
   * Refuses requests once the session of the course has ended. Statements may be some that it sends again: then
   * {@link LaunchTransaction.admit} refuses only others.
   * @throws {ProblemError} `forbidden`
   */
  assertOpen?(request: { storesStatements: boolean }): void;
  /**
   * Refuses documents that the rules of the launch's standard forbid. `content` is the whole document, even if a request
   * sends only some of its members.
   * @throws {ProblemError} `forbidden`
   */
  admitDocument?(document: { kind: string; id: string; contentType: string; content: Buffer }): void;
  /** Called when a request is refused because of its version of xAPI; null if it names none. */
  versionRefused?(version: string | null): void;
  /** Called when the course requests a document, whether or not it exists. */
  documentRead?(kind: string, id: string): Promise<void>;
  /**
   * Stores the data of a request in a transaction that locks the registration. Undefined when the service itself
   * stores.
   * @throws {ProblemError} `forbidden` once a newer launch has taken over
   */
  transaction?<T>(work: (tx: Transaction, launch: LaunchTransaction) => Promise<T>): Promise<T>;
}

/** A learner. Learner ids are unique within an account. */
export interface Learner {
  accountId: number;
  learnerId: string;
}

/** The launch's part in storing statements and documents. */
export interface LaunchTransaction {
  /** The learner of the launch. */
  learner: Learner;
  /**
   * Refuses changes of documents once the session of the course has ended.
   * @throws {ProblemError} `forbidden`
   */
  assertOpen(): void;
  /**
   * Refuses statements that the rules of the launch's standard forbid, and all of them once the session of the course has
   * ended. Statements already stored are not passed.
   * @throws {ProblemError} `forbidden`
   */
  admit(statements: readonly Statement[]): void;
  /**
   * Counts the bytes that the statements of a request take.
   * @throws {ProblemError} `limit-reached`
   */
  spend(bytes: number): Promise<void>;
  /** Called with the statements that were stored, in order. */
  stored(statements: readonly StoredStatement[]): void;
}

/** Whether an activity is one of the launch's activities, or below one. */
export function isOfLaunch({ activities }: LaunchScope, activityId: unknown): boolean {
  return typeof activityId === 'string' && activities.some((branches) => branches.include(activityId));
}

/** Reads the query of a request. A launch may also send the parameters of its own address, which say nothing to the store. */
export function queryOf({ query }: LrsRequest, { launch }: LrsScope): QueryReader {
  return new QueryReader(query, launch?.addressParameters);
}

/** Whether a request of this method reads. */
export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Refuses changes of a resource that can only be read. @throws {ProblemError} `method-not-allowed` */
export function assertRead(method: string): void {
  if (isRead(method)) return;
  throw new ProblemError('method-not-allowed', 'This resource is read-only', {
    headers: { Allow: 'GET, HEAD' },
  });
}

/** @throws {ProblemError} `method-not-allowed`, `forbidden` */
export function assertMethod(scope: LrsScope, method: string): void {
  const isReading = isRead(method);
  if (!isReading && !['PUT', 'POST', 'DELETE'].includes(method)) {
    throw new ProblemError('method-not-allowed', 'The Experience API has no such method', {
      headers: { Allow: 'GET, HEAD, PUT, POST, DELETE' },
    });
  }
  if (isReading ? scope.mayRead : scope.mayWrite) return;
  throw new ProblemError('forbidden', `This credential may not ${isReading ? 'read' : 'write'} records`);
}
