import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { MIB } from '../../../bytes.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { firstWithin } from '../../../database/step-bytes.ts';
import { notFound, ProblemError } from '../../../problems/problem.ts';
import type { Learner, LrsScope } from '../lrs-scope.ts';
import type { DocumentCollection, DocumentKind, LrsDocument } from './document.ts';
import { type DocumentChange, recordDocumentChange } from './document-audit.ts';
import { assertConditions, type ConditionNeed, type DocumentConditions } from './document-conditions.ts';
import { assertDocumentSize, mergedContent } from './document-content.ts';
import { type DocumentKeys, keysOf } from './document-keys.ts';
import {
  type DocumentRow,
  type DocumentUsage,
  deleteDocument,
  deleteDocuments,
  deleteStaleProfiles,
  hasStaleProfiles,
  type LearnerRange,
  readProfileRange,
  selectDocument,
  selectDocumentIds,
  selectLockedDocument,
  selectLockedUsageOfLearner,
  selectStaleProfiles,
  selectUsageOfRegistration,
  upsertDocument,
} from './document-store.ts';

/** A document that a request stores. */
export interface SentDocument {
  collection: DocumentCollection;
  id: string;
  contentType: string;
  content: Buffer;
  conditions: DocumentConditions;
  need: ConditionNeed;
  /** Whether its members are merged into those of the existing document. */
  merges: boolean;
}

/** Limits for the states of an attempt, for the activity profiles of a registration, and for the profiles of a learner. */
export interface DocumentLimits {
  maxCount: number;
  maxBytes: number;
}

/** How many profiles a cleaning step looks at in one statement: about a millisecond. */
const PROFILES_PER_PAGE = 500;
/** How much a cleaning step deletes in one transaction, so that others do not wait for long. */
const BYTES_PER_TRANSACTION = 8 * MIB;
/** How many of these pages a cleaning step looks at. The next step continues after them. */
const PAGES_PER_STEP = 100;
/** No course stores more, not even one that has 2,000 units and two documents for each of them. */
const DOCUMENT_LIMITS: DocumentLimits = { maxCount: 5_000, maxBytes: 256 * MIB };
/** Which documents the limits count together. */
const LIMITED: Record<DocumentKind, { owner: string; documents: string }> = {
  state: { owner: 'An attempt', documents: 'states' },
  'activity-profile': { owner: 'A registration', documents: 'activity profiles' },
  'agent-profile': { owner: 'A learner', documents: 'profiles' },
};

/** Stores documents of activities and agents. Every method enforces its scope. */
export class DocumentService {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #limits: DocumentLimits;
  /** The last learner whose profiles {@link forgetLearners} has looked at. */
  #forgottenUntil = '';

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
  async write(scope: LrsScope, sent: SentDocument): Promise<void> {
    const { collection, id, content, merges } = sent;
    assertWritable(scope, collection, id);
    if (!merges) admit(scope, sent, content);
    else if (storesNothing(scope)) admit(scope, sent, contentAfter(sent, await this.#existing(scope, sent)));
    await this.#change(scope, (tx, learner) =>
      this.#store(tx, scope, sent, collection.kind === 'agent-profile' ? learner : undefined),
    );
  }

  async #store(
    tx: Transaction,
    scope: LrsScope,
    sent: SentDocument,
    learner: Learner | undefined,
  ): Promise<void> {
    const { collection, id, contentType, conditions, merges, need } = sent;
    const keys = keysOf(scope, collection, id);
    const current = await selectLockedDocument(tx, keys.document);
    // Many courses write their first profile without a precondition. That is safe: there is no document to overwrite.
    const isFirst = scope.launch !== null && current === undefined;
    assertConditions(current, conditions, isFirst ? 'none' : need);
    const next = contentAfter(sent, current);
    // The members that are sent need not be valid alone.
    if (merges) admit(scope, sent, next);
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

  /** The document that a request would change; undefined if there is none, as in every preview. */
  async #existing(scope: LrsScope, { collection, id }: SentDocument): Promise<DocumentRow | undefined> {
    if (scope.launch?.registrationId === null) return undefined;
    return await selectDocument(this.#database.reader, keysOf(scope, collection, id).document);
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
    if (storesNothing(scope)) return;
    if (launch?.transaction === undefined) await this.#database.transaction((tx) => work(tx));
    else
      await launch.transaction((tx, { learner, assertOpen }) => {
        assertOpen();
        return work(tx, learner);
      });
  }

  /**
   * Deletes at most `limit` profiles of learners without registrations; returns the number deleted. Looks at a page of
   * profiles at a time, so that other work can run between the pages. Looks at a limited number of pages, and
   * continues there when it is called again. After the last profile, it begins again at the first.
   */
  async forgetLearners(limit: number): Promise<number> {
    const { reader } = this.#database;
    let deleted = 0;
    for (let pages = 0; pages < PAGES_PER_STEP; pages++) {
      const range = await readProfileRange(reader, this.#forgottenUntil, PROFILES_PER_PAGE);
      if (range === null) {
        this.#forgottenUntil = '';
        break;
      }
      if (await hasStaleProfiles(reader, range)) deleted += await this.#forget(range, limit - deleted);
      // There may be more of them in this page.
      if (deleted === limit) break;
      this.#forgottenUntil = range.to;
      // SQLite returns within the turn of the event loop.
      await setImmediate();
    }
    return deleted;
  }

  /** Deletes at most `limit` profiles of learners without registrations in a range of ids; returns the number deleted. */
  async #forget(range: LearnerRange, limit: number): Promise<number> {
    let deleted = 0;
    for (let mayBeMore = true; mayBeMore && deleted < limit; ) {
      const most = limit - deleted;
      deleted += await this.#database.transaction(async (tx) => {
        const found = await selectStaleProfiles(tx, range, most);
        const part = firstWithin(found, BYTES_PER_TRANSACTION, ({ size }) => size);
        mayBeMore = part.length < found.length;
        return await deleteStaleProfiles(
          tx,
          part.map(({ key }) => key),
        );
      });
      await setImmediate();
    }
    return deleted;
  }
}

/** Whether changes are validated, but not stored. */
function storesNothing({ launch }: LrsScope): boolean {
  return launch?.registrationId === null || launch?.keepsDocuments === false;
}

/** The content of a document after a request. @throws {ProblemError} `invalid-request`, `content-too-large` */
function contentAfter(sent: SentDocument, current: DocumentRow | undefined): Buffer {
  return sent.merges && current !== undefined ? mergedContent(toDocument(current), sent) : sent.content;
}

/** @throws {ProblemError} `forbidden` */
function admit({ launch }: LrsScope, { collection, id, contentType }: SentDocument, content: Buffer): void {
  launch?.admitDocument?.({ kind: collection.kind, id, contentType, content });
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

/** What the documents with the same owner take; null if no launch owns them. */
async function usageOf(
  tx: Transaction,
  { registrationId, registration }: Pick<DocumentKeys, 'registrationId' | 'registration'>,
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
