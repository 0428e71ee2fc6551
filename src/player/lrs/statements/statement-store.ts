import { BatchStatement } from '../../../database/batch-statement.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import type { IndexTerm } from './statement-index.ts';

/** SQL for statements, their index terms and their attachments, one operation per function. */

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

/** The columns of a {@link StatementRow} of the table `s`. */
export const STATEMENT_COLUMNS =
  's.id, s.statement_id, s.registration_id, s.is_voided, s.is_voiding, s.stored_at, s.statement';
const HEAD_COLUMNS =
  's.id, s.statement_id, s.registration_id, s.is_voiding, s.stored_at, octet_length(s.statement) as size';
const HEADS = new BatchStatement(
  'wanted',
  { statement_id: 'text' },
  (wanted, { joined }) =>
    `select ${HEAD_COLUMNS} from ${joined} lrs_statements s where s.statement_id = ${wanted.statement_id}`,
);

/** Statements of a registration in the order of storing, at most one more than the limit. */
export async function selectStatementsOfRegistration(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  { after, limit }: { after: number | null; limit: number },
): Promise<StatementRow[]> {
  return await reader.all<StatementRow>(
    `select ${STATEMENT_COLUMNS} from lrs_statements s where s.registration_id = ? and s.id > ? order by s.id limit ?`,
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
    `select ${STATEMENT_COLUMNS} from lrs_statements s where s.statement_id = ?`,
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
