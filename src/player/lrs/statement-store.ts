import { ADVISORY_LOCKS, lockSharedFor } from '../../database/advisory-locks.ts';
import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader, SqlValue, Transaction } from '../../database/database.ts';
import { DAY_MS, SECOND_MS } from '../../time/units.ts';
import type { IndexTerm } from './statement-index.ts';

/** SQL for statements, one operation per function. */

/** A statement's row. `statement` is JSON; times are epoch milliseconds. */
export interface StatementRow {
  id: number;
  statement_id: string;
  registration_id: string | null;
  is_voided: number;
  is_voiding: number;
  stored_at: number;
  statement: string;
}

/** A statement's row without the statement, which may be large. `size` is that of the statement, in bytes. */
export type StatementHead = Omit<StatementRow, 'statement' | 'is_voided'> & { size: number };

/** An attachment's row. */
export interface AttachmentRow {
  statement: number;
  sha2: string;
  content_type: string;
  /** The size of the content before base64 encoding. */
  byte_count: number;
  content: string;
}

/** A position in the order of statements. */
export interface StatementPlace {
  storedAt: number;
  id: number;
}

/** The part of all statements that a search covers, and its order. */
export interface StatementRange {
  /** Exclusive lower bound of the time of storing. */
  since: number | null;
  /** Inclusive upper bound of the time of storing. */
  until: number | null;
  ascending: boolean;
  after: StatementPlace | null;
}

/** The filters and the order of a query for statements. */
export interface StatementSearch extends StatementRange {
  /** Statements must match all of these. They are read along the first one. */
  terms: readonly IndexTerm[];
  /** The last place that is examined; null: to the end. */
  through: StatementPlace | null;
  limit: number;
}

const COLUMNS =
  's.id, s.statement_id, s.registration_id, s.is_voided, s.is_voiding, s.stored_at, s.statement';
const HEAD_COLUMNS =
  's.id, s.statement_id, s.registration_id, s.is_voiding, s.stored_at, octet_length(s.statement) as size';
const HEADS = new BatchStatement(
  'wanted',
  { statement_id: 'text' },
  (wanted, { joined }) =>
    `select ${HEAD_COLUMNS} from ${joined} lrs_statements s where s.statement_id = ${wanted.statement_id}`,
);

/**
 * Locks the storing of statements, shared with others, until the transaction ends. Call it before a statement's `stored`
 * time is set: see {@link selectConsistentThrough}.
 */
export async function lockStoring(tx: Transaction): Promise<void> {
  await lockSharedFor(tx, 'storingStatements');
}

/**
 * Statements that are stored further ahead of the clock are ignored: the clock was wrong when they were stored, and later
 * ones must not follow them for years.
 */
const FOLLOWED_AHEAD_MS = DAY_MS;

/** The latest time, in epoch milliseconds, that new statements follow if one was stored or announced then. */
export function lastFollowed(now: number): number {
  return now + FOLLOWED_AHEAD_MS;
}

/**
 * The earliest time at which the open transaction may store a statement: after all others, even if the clock was set back,
 * and not before it began: see {@link selectConsistentThrough}.
 */
export async function selectEarliestStoring(tx: Transaction, now: number): Promise<number> {
  const began =
    tx.dialect === 'sqlite' ? '0' : 'ceil(extract(epoch from transaction_timestamp()) * 1000)::bigint';
  const [row] = await tx.all<{ newest: number | null; began_at: number }>(
    `select (select max(s.stored_at) from lrs_statements s where s.stored_at <= ?) as newest, ${began} as began_at`,
    lastFollowed(now),
  );
  return Math.max((row?.newest ?? -1) + 1, row?.began_at ?? 0);
}

/** How late a quiet store is announced, since the clocks of two servers of a database may differ by this much. */
const QUIET_MS = 2 * SECOND_MS;

/**
 * The time up to which every stored statement is visible, and that later statements exceed. It is that of the newest statement:
 * the current time may come again, once the clock was set back. On PostgreSQL, concurrent transactions may commit in a
 * different order from their `stored` times. No statement of an open transaction is older than the transaction itself.
 */
export async function selectConsistentThrough(reader: Reader, now: number): Promise<number> {
  const began =
    reader.dialect === 'sqlite'
      ? 'null'
      : `(select floor(extract(epoch from min(a.xact_start)) * 1000)::bigint
          from pg_locks l join pg_stat_activity a on a.pid = l.pid
          where l.locktype = 'advisory'
            and l.database = (select oid from pg_database where datname = current_database())
            and (l.classid::bigint << 32) + l.objid::bigint = ${ADVISORY_LOCKS.storingStatements})`;
  // In one statement: what commits after the newest one was read is among the open transactions.
  const [row] = await reader.all<{ newest: number | null; began_at: number | null }>(
    `select (select max(s.stored_at) from lrs_statements s where s.stored_at <= ?) as newest, ${began} as began_at`,
    lastFollowed(now),
  );
  const through = Math.max(row?.newest ?? 0, now - QUIET_MS);
  return Math.min(through, (row?.began_at ?? Number.POSITIVE_INFINITY) - 1);
}

/** Statements of a registration in the order of storing, at most one more than the limit. */
export async function selectStatementsOfRegistration(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  { after, limit }: { after: number | null; limit: number },
): Promise<StatementRow[]> {
  return await reader.all<StatementRow>(
    `select ${COLUMNS} from lrs_statements s where s.registration_id = ? and s.id > ? order by s.id limit ?`,
    registrationId,
    after ?? 0,
    limit,
  );
}

/** The sizes of the statements of {@link selectStatementsOfRegistration}, in bytes. */
export async function selectStatementSizes(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  { after, limit }: { after: number | null; limit: number },
): Promise<number[]> {
  const rows = await reader.all<{ size: number }>(
    `select octet_length(s.statement) as size from lrs_statements s
     where s.registration_id = ? and s.id > ? order by s.id limit ?`,
    registrationId,
    after ?? 0,
    limit,
  );
  return rows.map(({ size }) => size);
}

export async function selectStatement(
  reader: Pick<Reader, 'all'>,
  statementId: string,
): Promise<StatementRow | undefined> {
  const [row] = await reader.all<StatementRow>(
    `select ${COLUMNS} from lrs_statements s where s.statement_id = ?`,
    statementId,
  );
  return row;
}

/** The stored statements with these ids, by id. */
export async function selectStatementHeads(
  reader: Pick<Reader, 'allFor'>,
  statementIds: readonly string[],
): Promise<Map<string, StatementHead>> {
  const rows = await HEADS.all<StatementHead>(
    reader,
    statementIds.map((id) => ({ statement_id: id })),
  );
  return new Map(rows.map((row) => [row.statement_id, row]));
}

/** A statement as JSON. */
export async function selectStatementText(
  reader: Pick<Reader, 'all'>,
  id: number,
): Promise<string | undefined> {
  const [row] = await reader.all<{ statement: string }>(
    'select statement from lrs_statements where id = ?',
    id,
  );
  return row?.statement;
}

/** Inserts a statement and returns its row id; null if a statement with its id already exists. */
export async function insertStatement(
  tx: Transaction,
  row: Omit<StatementRow, 'id' | 'is_voided'> & { target_id: string | null },
): Promise<number | null> {
  const [inserted] = await tx.all<{ id: number }>(
    `insert into lrs_statements
       (statement_id, registration_id, target_id, is_voiding, is_voided, stored_at, statement)
     values (?, ?, ?, ?, 0, ?, ?) on conflict (statement_id) do nothing returning id`,
    row.statement_id,
    row.registration_id,
    row.target_id,
    row.is_voiding,
    row.stored_at,
    row.statement,
  );
  return inserted?.id ?? null;
}

export async function insertTerms(
  tx: Transaction,
  statement: number,
  storedAt: number,
  terms: readonly IndexTerm[],
): Promise<void> {
  await tx.insertMany(
    'lrs_statement_index',
    ['kind', 'term', 'stored_at', 'statement'],
    terms.map(({ kind, term }) => [kind, term, storedAt, statement]),
    'on conflict do nothing',
  );
}

/**
 * Copies the index terms of a referenced statement to the one that refers to it, except `launch`. Returns the number
 * copied.
 */
export async function copyTerms(
  tx: Transaction,
  from: number,
  to: { id: number; storedAt: number },
): Promise<number> {
  return await tx.run(
    `insert into lrs_statement_index (kind, term, stored_at, statement)
     select i.kind, i.term, ?, ? from lrs_statement_index i where i.statement = ? and i.kind <> 'launch'
     on conflict do nothing`,
    to.storedAt,
    to.id,
    from,
  );
}

/** The statements that refer to this one, oldest first. */
export async function selectReferring(
  tx: Transaction,
  statementId: string,
  limit: number,
): Promise<StatementHead[]> {
  return await tx.all<StatementHead>(
    `select ${HEAD_COLUMNS} from lrs_statements s where s.target_id = ? order by s.id limit ?`,
    statementId,
    limit,
  );
}

export async function markVoided(tx: Transaction, id: number): Promise<void> {
  // Writing a large row once more takes long.
  await tx.run('update lrs_statements set is_voided = 1 where id = ? and is_voided = 0', id);
}

export async function insertAttachments(tx: Transaction, rows: readonly AttachmentRow[]): Promise<void> {
  await tx.insertMany(
    'lrs_attachments',
    ['statement', 'sha2', 'content_type', 'byte_count', 'content'],
    rows.map((row) => [row.statement, row.sha2, row.content_type, row.byte_count, row.content]),
    'on conflict do nothing',
  );
}

/** The sizes of attachments by statement, in bytes. */
export async function selectAttachmentSizes(
  reader: Pick<Reader, 'all'>,
  statements: readonly number[],
): Promise<Map<number, number>> {
  if (statements.length === 0) return new Map();
  const rows = await reader.all<{ statement: number; size: number }>(
    `select statement, cast(sum(byte_count) as bigint) as size from lrs_attachments
     where statement in (${statements.map(() => '?').join(', ')}) group by statement`,
    ...statements,
  );
  return new Map(rows.map(({ statement, size }) => [statement, Number(size)]));
}

export async function selectAttachments(
  reader: Pick<Reader, 'all'>,
  statements: readonly number[],
): Promise<AttachmentRow[]> {
  if (statements.length === 0) return [];
  return await reader.all<AttachmentRow>(
    `select statement, sha2, content_type, byte_count, content from lrs_attachments
     where statement in (${statements.map(() => '?').join(', ')}) order by statement, sha2`,
    ...statements,
  );
}

/**
 * The place of the last of `count` statements of a range that have a term, voided or not; null if there are fewer.
 * @param term null: of all statements
 */
export async function selectPlaceAt(
  reader: Pick<Reader, 'all'>,
  term: IndexTerm | null,
  range: StatementRange,
  count: number,
): Promise<StatementPlace | null> {
  const { from, place, conditions, values } = along(term, range);
  const direction = range.ascending ? 'asc' : 'desc';
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
  const [row] = await reader.all<{ stored_at: number; id: number }>(
    `select ${place.moment} as stored_at, ${place.id} as id from ${from} ${where}
     order by ${place.moment} ${direction}, ${place.id} ${direction} limit 1 offset ${count - 1}`,
    ...values,
  );
  return row === undefined ? null : { storedAt: row.stored_at, id: row.id };
}

/** Statements that are not voided, at most one more than the limit. */
export async function selectStatements(
  reader: Pick<Reader, 'all'>,
  search: StatementSearch,
): Promise<StatementRow[]> {
  const [first = null, ...others] = search.terms;
  const { from, place, conditions, values } = along(first, search);
  if (search.through !== null) {
    conditions.push(`(${place.moment}, ${place.id}) ${search.ascending ? '<=' : '>='} (?, ?)`);
    values.push(search.through.storedAt, search.through.id);
  }
  conditions.push('s.is_voided = 0');
  for (const { kind, term } of others) {
    // The offset keeps PostgreSQL from a join, for which it may read all statements with the other term.
    conditions.push(
      `exists (select 1 from lrs_statement_index f where f.kind = ? and f.term = ?
         and f.stored_at = d.stored_at and f.statement = d.statement limit 1 offset 0)`,
    );
    values.push(kind, term);
  }
  const joined = first === null ? from : `${from} join lrs_statements s on s.id = d.statement`;
  const direction = search.ascending ? 'asc' : 'desc';
  return await reader.all<StatementRow>(
    `select ${COLUMNS} from ${joined} where ${conditions.join(' and ')}
     order by ${place.moment} ${direction}, ${place.id} ${direction} limit ?`,
    ...values,
    search.limit + 1,
  );
}

/** The parts of a query that reads a range of statements along a term, or all of them. */
function along(
  term: IndexTerm | null,
  range: StatementRange,
): { from: string; place: { moment: string; id: string }; conditions: string[]; values: SqlValue[] } {
  const conditions: string[] = [];
  const values: SqlValue[] = [];
  if (term !== null) {
    conditions.push('d.kind = ?', 'd.term = ?');
    values.push(term.kind, term.term);
  }
  const place =
    term === null ? { moment: 's.stored_at', id: 's.id' } : { moment: 'd.stored_at', id: 'd.statement' };
  if (range.since !== null) {
    conditions.push(`${place.moment} > ?`);
    values.push(range.since);
  }
  if (range.until !== null) {
    conditions.push(`${place.moment} <= ?`);
    values.push(range.until);
  }
  if (range.after !== null) {
    conditions.push(`(${place.moment}, ${place.id}) ${range.ascending ? '>' : '<'} (?, ?)`);
    values.push(range.after.storedAt, range.after.id);
  }
  return { from: term === null ? 'lrs_statements s' : 'lrs_statement_index d', place, conditions, values };
}
