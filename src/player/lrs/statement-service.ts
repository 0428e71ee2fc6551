import { hash, randomUUID } from 'node:crypto';
import { MIB } from '../../bytes.ts';
import type { Database, Transaction } from '../../database/database.ts';
import { isObject } from '../../is-object.ts';
import { invalidInput, ProblemError } from '../../problems/problem.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { TimeSlices } from '../../time/time-slices.ts';
import { learnActivities, learnAgents } from './activity-store.ts';
import { isOfLaunch, type LaunchScope, type LaunchTransaction, type LrsScope } from './lrs-scope.ts';
import { idsOf, SentAgain } from './sent-again.ts';
import { assertSignatures } from './signed-statements.ts';
import { isSameAgent, withActivityLists } from './statement-form.ts';
import { activitiesIn, type IndexTerm, indexTerms, termOf } from './statement-index.ts';
import { attachmentsOf, jsonOfStatement } from './statement-rules.ts';
import {
  copyTerms,
  insertAttachments,
  insertStatement,
  insertTerms,
  lockStoring,
  markVoided,
  selectReferring,
  selectStatementHeads,
} from './statement-store.ts';
import type { StatementTimes } from './statement-times.ts';
import {
  type AttachmentContent,
  type Statement,
  type StoredStatement,
  VOIDED,
  type XapiVersion,
} from './xapi-types.ts';

/**
 * Maximum size of the attachments of a request. Each statement stores its own copy, so those that hundreds of statements
 * share would take gigabytes.
 */
const MAX_ATTACHED_BYTES = 64 * MIB;
/** Maximum number of index terms for all statements of a request. Each term is a row. */
const MAX_TERMS = 10_000;
/** Maximum number of earlier statements that are updated because they refer to a new one, directly or indirectly. */
const MAX_REFERRING = 200;
const MAX_REFERENCE_DEPTH = 20;
/** Maximum number of terms copied between statements and those that refer to them, per request. Each term is a row. */
const MAX_COPIED_TERMS = 20_000;
/** What an index term takes, with its place in the index. */
const TERM_BYTES = 100;

/** Stores statements. Every method enforces its scope. */
export class StatementService {
  readonly #database: Database;
  readonly #times: StatementTimes;

  constructor(options: { database: Database; times: StatementTimes }) {
    this.#database = options.database;
    this.#times = options.times;
  }

  /**
   * Stores all of the statements or none, and returns their ids in order. A statement already stored is not changed.
   * @param statements must have passed `validStatements`
   * @throws {ProblemError} `invalid-request`, `forbidden`, `conflict`, `content-too-large`, `limit-reached`
   */
  async store(
    scope: LrsScope,
    statements: readonly Statement[],
    { contents, version }: { contents: readonly AttachmentContent[]; version: XapiVersion },
  ): Promise<string[]> {
    const bySha = new Map(contents.map((each) => [each.sha2, each]));
    assertContents(statements, bySha);
    await assertSignatures(statements, bySha);
    if (scope.launch !== null) await assertAllOfLaunch(scope.launch, statements);
    const { launch } = scope;
    if (launch?.registrationId === null) return statements.map(({ id }) => id ?? randomUUID());
    const sentAgain = new SentAgain(scope);
    await sentAgain.compareAhead(this.#database.reader, statements);
    const options = { contents: bySha, version, sentAgain, maxTerms: MAX_TERMS };
    if (launch?.transaction !== undefined) {
      return await launch.transaction((tx, rules) =>
        this.storeIn(tx, scope, statements, { ...options, rules }),
      );
    }
    return await this.#database.transaction((tx) => this.storeIn(tx, scope, statements, options));
  }

  /** Stores statements in an open transaction. The service also uses it for its own statements. */
  async storeIn(
    tx: Transaction,
    scope: LrsScope,
    statements: readonly Statement[],
    {
      contents = new Map(),
      version = '1.0.3',
      sentAgain = new SentAgain(scope),
      maxTerms = Number.POSITIVE_INFINITY,
      rules,
    }: {
      contents?: ReadonlyMap<string, AttachmentContent>;
      version?: XapiVersion;
      sentAgain?: SentAgain;
      /** Without one for the service itself, which states that each of thousands of blocks is satisfied. */
      maxTerms?: number;
      rules?: LaunchTransaction;
    } = {},
  ): Promise<string[]> {
    await lockStoring(tx);
    const storedAt = await this.#times.next(tx);
    const timestamp = this.#times.defaultTimestamp(storedAt);
    const ids = statements.map(({ id }) => (id ?? randomUUID()).toLowerCase());
    const known = await selectStatementHeads(tx, idsOf(statements));
    const fresh: { id: string; statement: Statement }[] = [];
    for (const [place, statement] of statements.entries()) {
      const id = ids[place]!;
      const existing = known.get(id);
      if (existing === undefined) fresh.push({ id, statement });
      else await sentAgain.assertSame(tx, existing, statement);
    }
    rules?.admit(fresh.map(({ statement }) => statement));
    let terms = 0;
    for (const { statement } of fresh) {
      terms += indexTerms(statement).length;
      if (terms <= maxTerms) continue;
      throw new ProblemError('content-too-large', 'The statements refer to too many activities and agents');
    }
    const copies = { remaining: MAX_COPIED_TERMS };
    const stored: StoredStatement[] = [];
    let bytes = 0;
    for (const { id, statement } of fresh) {
      const kept = toStored(statement, { id, storedAt, timestamp, scope, version });
      const taken = await this.#insert(tx, scope, kept, { contents, storedAt, copies, sentAgain });
      if (taken === null) continue;
      stored.push(kept);
      bytes += taken;
    }
    if (bytes > 0) await rules?.spend(bytes + (MAX_COPIED_TERMS - copies.remaining) * TERM_BYTES);
    await learnActivities(tx, scope.launch?.registrationId ?? null, stored.flatMap(activitiesOf), storedAt);
    if (scope.launch === null) await learnAgents(tx, stored);
    rules?.stored(stored);
    return ids;
  }

  /** Returns the bytes that it takes, without copied terms; null if it was already stored. */
  async #insert(
    tx: Transaction,
    scope: LrsScope,
    statement: StoredStatement,
    {
      contents,
      storedAt,
      copies,
      sentAgain,
    }: {
      contents: ReadonlyMap<string, AttachmentContent>;
      storedAt: number;
      copies: CopyBudget;
      sentAgain: SentAgain;
    },
  ): Promise<number | null> {
    const registrationId = scope.launch?.registrationId ?? null;
    const { object } = statement;
    const isVoiding = statement.verb.id === VOIDED;
    const targetId = object.objectType === 'StatementRef' ? (object.id as string).toLowerCase() : null;
    const json = jsonOfStatement(statement);
    const target = targetId === null ? undefined : (await selectStatementHeads(tx, [targetId])).get(targetId);
    const reaches =
      target !== undefined && (registrationId === null || target.registration_id === registrationId);
    if (isVoiding && reaches && target.is_voiding === 1) {
      throw new ProblemError('invalid-request', 'A statement that voids another one cannot be voided');
    }
    const id = await insertStatement(tx, {
      statement_id: statement.id,
      registration_id: registrationId,
      target_id: targetId,
      is_voiding: isVoiding ? 1 : 0,
      stored_at: storedAt,
      statement: json,
    });
    if (id === null) {
      // Another request stored it after the lookup.
      const existing = (await selectStatementHeads(tx, [statement.id])).get(statement.id);
      if (existing !== undefined) await sentAgain.assertSame(tx, existing, statement);
      return null;
    }
    const launchTerm: IndexTerm[] =
      registrationId === null ? [] : [{ kind: 'launch', term: termOf(registrationId) }];
    const terms = [...launchTerm, ...indexTerms(statement)];
    await insertTerms(tx, id, storedAt, terms);
    const own = new Set(attachmentsOf(statement).map(({ sha2 }) => sha2.toLowerCase()));
    const attachments = [...own].flatMap((sha2) => contents.get(sha2) ?? []);
    await insertAttachments(
      tx,
      attachments.map((each) => ({
        statement: id,
        sha2: each.sha2,
        content_type: each.contentType,
        byte_count: each.content.length,
        content: each.content.toString('base64'),
      })),
    );
    if (reaches) {
      if (isVoiding) await markVoided(tx, target.id);
      await copyWithin(copies, tx, target.id, { id, storedAt });
    }
    await this.#updateReferring(tx, registrationId, statement, { id, copies });
    return attachments.reduce(
      (sum, { content }) => sum + content.length,
      Buffer.byteLength(json) + terms.length * TERM_BYTES,
    );
  }

  /**
   * Updates earlier statements that refer to this one: they take over its index terms. If one of them voids it, marks
   * it voided.
   */
  async #updateReferring(
    tx: Transaction,
    registrationId: string | null,
    statement: StoredStatement,
    { id, copies }: { id: number; copies: CopyBudget },
  ): Promise<void> {
    let remaining = MAX_REFERRING;
    let sources: { id: number; statementId: string; registrationId: string | null }[] = [
      { id, statementId: statement.id, registrationId },
    ];
    for (let depth = 0; depth < MAX_REFERENCE_DEPTH && sources.length > 0; depth++) {
      const next: typeof sources = [];
      for (const source of sources) {
        if (remaining <= 0) return;
        const referring = await selectReferring(tx, source.statementId, remaining);
        remaining -= referring.length;
        for (const row of referring) {
          const reaches = row.registration_id === null || row.registration_id === source.registrationId;
          if (!reaches || row.id === source.id) continue;
          if (depth === 0 && row.is_voiding === 1 && statement.verb.id !== VOIDED) await markVoided(tx, id);
          await copyWithin(copies, tx, source.id, { id: row.id, storedAt: row.stored_at });
          next.push({ id: row.id, statementId: row.statement_id, registrationId: row.registration_id });
        }
      }
      sources = next;
    }
  }
}

/** The number of terms that a request may still copy. */
interface CopyBudget {
  remaining: number;
}

/** Copies terms until the budget is spent. After that, statements are found only by their own terms. */
async function copyWithin(
  budget: CopyBudget,
  tx: Transaction,
  from: number,
  to: { id: number; storedAt: number },
): Promise<void> {
  if (budget.remaining > 0) budget.remaining -= await copyTerms(tx, from, to);
}

/** The SHA-2 hash of a content, of the same length as the attachment's hash. */
export function hashLike(sha2: string, content: Buffer): string {
  const bits = sha2.length * 4;
  return hash(`sha${bits}`, content, 'hex');
}

function toStored(
  statement: Statement,
  {
    id,
    storedAt,
    timestamp,
    scope,
    version,
  }: { id: string; storedAt: number; timestamp: number; scope: LrsScope; version: XapiVersion },
): StoredStatement {
  return withActivityLists({
    ...statement,
    id,
    stored: formatDateTime(storedAt),
    timestamp: statement.timestamp ?? formatDateTime(timestamp),
    authority: scope.authority,
    version: statement.version ?? (version === '2.0.0' ? '2.0.0' : '1.0.0'),
  });
}

/**
 * Requires that each content belongs to an attachment, and that each attachment without a `fileUrl` has a content.
 * @throws {ProblemError} `invalid-request`, `content-too-large`
 */
function assertContents(
  statements: readonly Statement[],
  contents: ReadonlyMap<string, AttachmentContent>,
): void {
  const errors: { pointer: string; detail: string }[] = [];
  const named = new Set<string>();
  let bytes = 0;
  for (const statement of statements) {
    const own = new Set<string>();
    for (const attachment of attachmentsOf(statement)) {
      const sha2 = attachment.sha2.toLowerCase();
      if (!own.has(sha2)) bytes += contents.get(sha2)?.content.length ?? 0;
      own.add(sha2);
      named.add(sha2);
      if (!contents.has(sha2) && attachment.fileUrl === undefined) {
        errors.push({ pointer: '/attachments', detail: `has no content with the hash ${attachment.sha2}` });
      }
    }
  }
  for (const sha2 of contents.keys()) {
    if (!named.has(sha2))
      errors.push({ pointer: '/attachments', detail: `have no content with the hash ${sha2}` });
  }
  if (errors.length > 0) throw invalidInput(errors.slice(0, 100));
  if (bytes > MAX_ATTACHED_BYTES) {
    throw new ProblemError(
      'content-too-large',
      `The attachments of the statements have more than ${MAX_ATTACHED_BYTES} bytes together, with those that several statements share`,
    );
  }
}

/** Lets the event loop turn between the statements. @throws {ProblemError} `forbidden` */
async function assertAllOfLaunch(launch: LaunchScope, statements: readonly Statement[]): Promise<void> {
  const slices = new TimeSlices();
  slices.begin();
  for (const each of statements) {
    assertOfLaunch(launch, each);
    await slices.pause();
  }
}

/** @throws {ProblemError} `forbidden` */
function assertOfLaunch(launch: LaunchScope, statement: Statement): void {
  if (statement.actor.objectType === 'Group' || !isSameAgent(statement.actor, launch.actor)) {
    throw new ProblemError('forbidden', 'The actor is not the learner of this launch');
  }
  const registration = statement.context?.registration;
  if (typeof registration === 'string' && registration.toLowerCase() !== launch.registration) {
    throw new ProblemError('forbidden', 'The registration is not that of this launch');
  }
  const isAboutActivity = (statement.object.objectType ?? 'Activity') === 'Activity';
  if (isAboutActivity && !activitiesIn(statement).some(({ id }) => isOfLaunch(launch, id))) {
    throw new ProblemError(
      'forbidden',
      'Neither the object nor the context is an activity of this launch, or below one',
    );
  }
}

function activitiesOf(statement: StoredStatement) {
  return activitiesIn(statement).filter(({ definition }) => isObject(definition));
}
