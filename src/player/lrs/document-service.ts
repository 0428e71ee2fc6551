import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { MIB } from '../../bytes.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { commasIn } from '../../http/json-body.ts';
import { isObject } from '../../is-object.ts';
import { notFound, ProblemError } from '../../problems/problem.ts';
import { type DocumentChange, recordDocumentChange } from './document-audit.ts';
import { assertConditions, type ConditionNeed, type DocumentConditions } from './document-conditions.ts';
import {
  type DocumentRow,
  type DocumentUsage,
  deleteDocument,
  deleteDocuments,
  deleteStaleProfiles,
  hasStaleProfiles,
  readProfileRange,
  selectDocument,
  selectDocumentIds,
  selectLockedDocument,
  selectLockedUsageOfLearner,
  selectUsageOfRegistration,
  upsertDocument,
} from './document-store.ts';
import { isOfLaunch, type Learner, type LrsScope } from './lrs-scope.ts';
import { agentIdentity, termOf } from './statement-index.ts';
import type { JsonObject } from './xapi-types.ts';

/** The three kinds of documents. */
export type DocumentKind = 'state' | 'activity-profile' | 'agent-profile';

/** The collection to which a document belongs. Members that the kind does not use are null. */
export interface DocumentCollection {
  kind: DocumentKind;
  activityId: string | null;
  /** A valid agent. */
  agent: JsonObject | null;
  /** A UUID. */
  registration: string | null;
}

/** A document as stored. */
export interface LrsDocument {
  contentType: string;
  content: Buffer;
  /** Includes the quotation marks. */
  etag: string;
  /** Null for documents that the launch provides. */
  updatedAt: number | null;
}

/** Limits for the states of an attempt, for the activity profiles of a registration, and for the profiles of a learner. */
export interface DocumentLimits {
  maxCount: number;
  maxBytes: number;
}

/** Maximum size of a document. */
const MAX_DOCUMENT_BYTES = 4 * MIB;
/** Maximum number of members and items in a JSON document. Parsing and merging larger ones takes too long. */
export const MAX_DOCUMENT_MEMBERS = 50_000;
/** How many profiles a cleaning step looks at in one statement: about a millisecond. */
const PROFILES_PER_PAGE = 500;
/** No course stores more, not even one that has 2,000 units and two documents for each of them. */
const DOCUMENT_LIMITS: DocumentLimits = { maxCount: 5_000, maxBytes: 256 * MIB };
/** Which documents the limits count together. */
const LIMITED: Record<DocumentKind, { owner: string; documents: string }> = {
  state: { owner: 'An attempt', documents: 'states' },
  'activity-profile': { owner: 'A registration', documents: 'activity profiles' },
  'agent-profile': { owner: 'A learner', documents: 'profiles' },
};
const JSON_TYPE = /^application\/json(?:$|[;\s])/i;

/** Stores documents of activities and agents. Every method enforces its scope. */
export class DocumentService {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #limits: DocumentLimits;

  constructor(options: { database: Database; now: () => number; limits?: DocumentLimits }) {
    this.#database = options.database;
    this.#now = options.now;
    this.#limits = options.limits ?? DOCUMENT_LIMITS;
  }

  /** @throws {ProblemError} `not-found`, `forbidden` */
  async read(scope: LrsScope, collection: DocumentCollection, id: string): Promise<LrsDocument> {
    const keys = keysOf(scope, collection, id);
    await scope.launch?.documentRead?.(collection.kind, id);
    const given = givenDocument(scope, collection, id);
    if (given !== null) return given;
    if (scope.launch?.registrationId === null) throw notFound('document', id);
    const row = await selectDocument(this.#database.reader, keys.document);
    if (row === undefined) throw notFound('document', id);
    return toDocument(row);
  }

  /** Returns the ids of a collection's documents that changed after a time. @throws {ProblemError} `forbidden` */
  async list(scope: LrsScope, collection: DocumentCollection, since: number | null): Promise<string[]> {
    const { collection: key, registration } = keysOf(scope, collection, '');
    const given =
      collection.kind === 'state' && since === null ? (scope.launch?.givenStates.keys() ?? []) : [];
    if (scope.launch?.registrationId === null) return [...given];
    return [...given, ...(await selectDocumentIds(this.#database.reader, key, { registration, since }))];
  }

  /**
   * Stores a document, replacing the existing one or merging JSON into it.
   * @throws {ProblemError} `invalid-request`, `forbidden`, `conflict`, `precondition-failed`, `content-too-large`,
   *   `limit-reached`
   */
  async write(
    scope: LrsScope,
    collection: DocumentCollection,
    id: string,
    document: { contentType: string; content: Buffer },
    options: { conditions: DocumentConditions; merges: boolean; need: ConditionNeed },
  ): Promise<void> {
    assertWritable(scope, collection, id);
    scope.launch?.admitDocument?.({ kind: collection.kind, id, ...document });
    await this.#change(scope, (tx, learner) =>
      this.writeIn(tx, scope, collection, id, document, { ...options, learner }),
    );
  }

  /** As {@link write}, in an open transaction. The service also uses it for its own documents. */
  async writeIn(
    tx: Transaction,
    scope: LrsScope,
    collection: DocumentCollection,
    id: string,
    { contentType, content }: { contentType: string; content: Buffer },
    options: {
      conditions: DocumentConditions;
      merges: boolean;
      need: ConditionNeed;
      /** The learner of the launch. */
      learner?: Learner | undefined;
    },
  ): Promise<void> {
    const learner = collection.kind === 'agent-profile' ? options.learner : undefined;
    const keys = keysOf(scope, collection, id);
    const current = await selectLockedDocument(tx, keys.document);
    // Many courses write their first profile without a precondition. That is safe: there is no document to overwrite.
    const isFirst = scope.launch !== null && current === undefined;
    assertConditions(current, options.conditions, isFirst ? 'none' : options.need);
    const next =
      options.merges && current !== undefined ? merged(toDocument(current), contentType, content) : content;
    assertDocumentSize(next);
    const growth = next.length - (current === undefined ? 0 : Buffer.byteLength(current.content, 'base64'));
    if (current === undefined || growth > 0) {
      const usage = await usageOf(tx, keys, learner);
      if (usage !== null) {
        const added = { count: current === undefined ? 1 : 0, bytes: growth };
        this.#assertRoom(collection.kind, usage, added);
      }
    }
    const etag = entityTagOf(next);
    await upsertDocument(tx, {
      document_key: keys.document,
      collection_key: keys.collection,
      registration_id: keys.registrationId,
      registration: keys.registration ?? '',
      document_id: id,
      content_type: contentType,
      content: next.toString('base64'),
      etag,
      updated_at: this.#now(),
      learner_account_id: learner?.accountId ?? null,
      learner_id: learner?.learnerId ?? null,
    });
    if (current === undefined || (current.etag === etag && current.content_type === contentType)) return;
    await this.#record(tx, scope, collection, { kind: 'changed', documentId: id, owners: [current] });
  }

  /** @throws {ProblemError} `limit-reached` */
  #assertRoom(kind: DocumentKind, usage: DocumentUsage, added: DocumentUsage): void {
    const { maxCount, maxBytes } = this.#limits;
    const { owner, documents } = LIMITED[kind];
    // Earlier releases may have stored more; a document that grows is no further one.
    if (added.count > 0 && usage.count + added.count > maxCount)
      throw new ProblemError('limit-reached', `${owner} has at most ${maxCount} ${documents}`);
    if (usage.bytes + added.bytes > maxBytes)
      throw new ProblemError('limit-reached', `${owner} has at most ${maxBytes} bytes of ${documents}`);
  }

  /** Deletes a document, if it exists. @throws {ProblemError} `forbidden`, `precondition-failed` */
  async delete(
    scope: LrsScope,
    collection: DocumentCollection,
    id: string,
    conditions: DocumentConditions,
  ): Promise<void> {
    assertWritable(scope, collection, id);
    const keys = keysOf(scope, collection, id);
    await this.#change(scope, async (tx) => {
      const current = await selectLockedDocument(tx, keys.document);
      assertConditions(current, conditions, 'none');
      if (current === undefined) return;
      await deleteDocument(tx, keys.document);
      await this.#record(tx, scope, collection, { kind: 'deleted', documentId: id, owners: [current] });
    });
  }

  /**
   * Deletes a collection's documents, except those that are read-only for the course. @throws {ProblemError}
   * `forbidden`
   */
  async deleteAll(scope: LrsScope, collection: DocumentCollection): Promise<void> {
    const { collection: key, registration } = keysOf(scope, collection, '');
    await this.#change(scope, async (tx) => {
      const owners = await deleteDocuments(tx, key, registration);
      await this.#record(tx, scope, collection, { kind: 'deleted', documentId: null, owners });
    });
  }

  async #record(tx: Transaction, { by }: LrsScope, of: DocumentCollection, change: DocumentChange) {
    if (by !== null)
      await recordDocumentChange(tx, { ...change, by, activityId: of.activityId }, this.#now());
  }

  /** Runs a change in the transaction of the launch, or in its own. A preview stores nothing, nor does a look around. */
  async #change(scope: LrsScope, work: (tx: Transaction, learner?: Learner) => Promise<void>): Promise<void> {
    const { launch } = scope;
    if (launch?.registrationId === null || launch?.keepsDocuments === false) return;
    if (launch?.transaction === undefined) await this.#database.transaction((tx) => work(tx));
    else
      await launch.transaction((tx, { learner, assertOpen }) => {
        assertOpen();
        return work(tx, learner);
      });
  }

  /**
   * Deletes at most `limit` profiles of learners without registrations; returns the number deleted. Looks at a page of profiles
   * at a time, so that other work goes on between the pages.
   */
  async forgetLearners(limit: number): Promise<number> {
    const { reader } = this.#database;
    let deleted = 0;
    for (let after = ''; deleted < limit; ) {
      const range = await readProfileRange(reader, after, PROFILES_PER_PAGE);
      if (range === null) break;
      const left = limit - deleted;
      if (await hasStaleProfiles(reader, range))
        deleted += await this.#database.transaction((tx) => deleteStaleProfiles(tx, range, left));
      after = range.to;
      // SQLite returns within the turn of the event loop.
      await setImmediate();
    }
    return deleted;
  }
}

/** The document that the launch provides under this id; null if there is none. */
function givenDocument(scope: LrsScope, { kind }: DocumentCollection, id: string): LrsDocument | null {
  const given = kind === 'state' ? scope.launch?.givenStates.get(id) : undefined;
  if (given === undefined) return null;
  const content = Buffer.from(JSON.stringify(given));
  return { contentType: 'application/json', content, etag: entityTagOf(content), updatedAt: null };
}

/** xAPI requires SHA-1 for entity tags. It only distinguishes contents, so its weakness is no risk. */
function entityTagOf(content: Buffer): string {
  return `"${hash('sha1', content, 'hex')}"`;
}

function toDocument(row: DocumentRow): LrsDocument {
  return {
    contentType: row.content_type,
    content: Buffer.from(row.content, 'base64'),
    etag: row.etag,
    updatedAt: row.updated_at,
  };
}

/**
 * The keys of a document. A launch's documents belong to its registration, except the learner's profile. A launched
 * course may omit the registration, which defaults to that of the launch.
 * @throws {ProblemError} `forbidden`
 */
function keysOf(scope: LrsScope, collection: DocumentCollection, id: string) {
  const { kind, activityId, agent } = collection;
  const { launch } = scope;
  const identity = agentIdentity(agent);
  let registration = collection.registration?.toLowerCase() ?? null;
  if (launch !== null) {
    if (agent !== null && identity !== agentIdentity(launch.actor)) {
      throw new ProblemError('forbidden', 'The agent is not the learner of this launch');
    }
    if (activityId !== null && !isOfLaunch(launch, activityId)) {
      throw new ProblemError('forbidden', 'The activity does not belong to this launch');
    }
    if (kind === 'state') registration ??= launch.registration;
    if (registration !== null && registration !== launch.registration) {
      throw new ProblemError('forbidden', 'The registration is not that of this launch');
    }
  }
  // If all launches shared an activity's profile, a course could use it to pass data from one learner to another.
  const owner = kind === 'activity-profile' && launch !== null ? launch.registrationId : null;
  const belongsTo = kind === 'agent-profile' ? null : (launch?.registrationId ?? null);
  const collectionText = JSON.stringify([kind, owner, activityId, identity]);
  return {
    registrationId: belongsTo,
    registration,
    collection: termOf(collectionText),
    document: termOf(JSON.stringify([collectionText, registration, id])),
  };
}

/** What the documents with the same owner take; null if no launch owns them. */
async function usageOf(
  tx: Transaction,
  { registrationId, registration }: Pick<ReturnType<typeof keysOf>, 'registrationId' | 'registration'>,
  learner: Learner | undefined,
): Promise<DocumentUsage | null> {
  if (learner !== undefined) return await selectLockedUsageOfLearner(tx, learner);
  if (registrationId === null) return null;
  return await selectUsageOfRegistration(tx, registrationId, registration ?? '');
}

/** @throws {ProblemError} `forbidden` */
function assertWritable(scope: LrsScope, { kind }: DocumentCollection, id: string): void {
  if (kind === 'state' && scope.launch?.givenStates.has(id)) {
    throw new ProblemError('forbidden', `The document ${id} can only be read`);
  }
}

/** @throws {ProblemError} `invalid-request`, `content-too-large` */
function merged(current: LrsDocument, contentType: string, content: Buffer): Buffer {
  // Checked before parsing, because documents stored by earlier releases may exceed the limit.
  if (commasIn(current.content) + commasIn(content) > MAX_DOCUMENT_MEMBERS) {
    throw new ProblemError(
      'content-too-large',
      `Documents that are merged have at most ${MAX_DOCUMENT_MEMBERS} members and items together; use PUT`,
    );
  }
  const isJson = isJsonType(contentType) && isJsonType(current.contentType);
  const [before, now] = isJson ? [readObject(current.content), readObject(content)] : [null, null];
  if (before === null || now === null) {
    throw new ProblemError('invalid-request', 'Only documents that are JSON objects can be merged; use PUT');
  }
  return Buffer.from(JSON.stringify({ ...before, ...now }));
}

function readObject(content: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(content.toString());
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** @throws {ProblemError} `content-too-large` */
export function assertDocumentSize(content: Buffer): void {
  if (content.length <= MAX_DOCUMENT_BYTES) return;
  throw new ProblemError('content-too-large', `A document has at most ${MAX_DOCUMENT_BYTES} bytes`);
}

/** Whether a media type is JSON. */
export function isJsonType(contentType: string): boolean {
  return JSON_TYPE.test(contentType);
}
