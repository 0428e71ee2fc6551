import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../../../database/database.ts';
import { isObject } from '../../../is-object.ts';
import { ProblemError } from '../../../problems/problem.ts';
import { formatDateTime } from '../../../time/date-time.ts';
import type { LaunchTransaction, LrsScope } from '../lrs-scope.ts';
import type { AttachmentContent, Statement, StoredStatement, XapiVersion } from '../xapi-types.ts';
import { storeAgentNames, storeDefinitions } from './activity-store.ts';
import { assertContents, storeAttachments } from './attachment-contents.ts';
import { assertAllOfLaunch } from './launch-statements.ts';
import { idsOf, RepeatedStatements } from './repeated-statements.ts';
import { assertSignatures } from './signed-statements.ts';
import { withActivityLists } from './statement-form.ts';
import { activitiesIn, type IndexTerm, indexTerms, termOf } from './statement-index.ts';
import { applyReferences, type CopyBudget, readReference } from './statement-references.ts';
import { insertStatement, insertTerms, selectStatementHeads } from './statement-store.ts';
import type { StatementTimes } from './statement-times.ts';
import { lockStoring } from './statement-times-store.ts';

/** Maximum number of index terms for all statements of a request. Each term is a row. */
const MAX_TERMS = 10_000;
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
    const repeated = new RepeatedStatements(scope);
    await repeated.compareAhead(this.#database.reader, statements);
    const options = { contents: bySha, version, repeated, maxTerms: MAX_TERMS };
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
      repeated = new RepeatedStatements(scope),
      maxTerms = Number.POSITIVE_INFINITY,
      rules,
    }: {
      contents?: ReadonlyMap<string, AttachmentContent>;
      version?: XapiVersion;
      repeated?: RepeatedStatements;
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
      else await repeated.assertSame(tx, existing, statement);
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
      const taken = await this.#insert(tx, scope, kept, { contents, storedAt, copies, repeated });
      if (taken === null) continue;
      stored.push(kept);
      bytes += taken;
    }
    if (bytes > 0) await rules?.spend(bytes + (MAX_COPIED_TERMS - copies.remaining) * TERM_BYTES);
    await storeDefinitions(tx, scope.launch?.registrationId ?? null, stored.flatMap(activitiesOf), storedAt);
    if (scope.launch === null) await storeAgentNames(tx, stored);
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
      repeated,
    }: {
      contents: ReadonlyMap<string, AttachmentContent>;
      storedAt: number;
      copies: CopyBudget;
      repeated: RepeatedStatements;
    },
  ): Promise<number | null> {
    const registrationId = scope.launch?.registrationId ?? null;
    const json = JSON.stringify(statement);
    const reference = await readReference(tx, statement, registrationId);
    const id = await insertStatement(tx, {
      statement_id: statement.id,
      registration_id: registrationId,
      target_id: reference.targetId,
      is_voiding: reference.isVoiding ? 1 : 0,
      stored_at: storedAt,
      statement: json,
    });
    if (id === null) {
      // Another request stored it after the lookup.
      const existing = (await selectStatementHeads(tx, [statement.id])).get(statement.id);
      if (existing !== undefined) await repeated.assertSame(tx, existing, statement);
      return null;
    }
    const launchTerm: IndexTerm[] =
      registrationId === null ? [] : [{ kind: 'launch', term: termOf(registrationId) }];
    const terms = [...launchTerm, ...indexTerms(statement)];
    await insertTerms(tx, id, storedAt, terms);
    const attachedBytes = await storeAttachments(tx, id, statement, contents);
    await applyReferences(tx, reference, { id, storedAt, statement, registrationId }, copies);
    return Buffer.byteLength(json) + terms.length * TERM_BYTES + attachedBytes;
  }
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

function activitiesOf(statement: StoredStatement) {
  return activitiesIn(statement).filter(({ definition }) => isObject(definition));
}
