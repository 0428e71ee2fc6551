import { type BatchRows, BatchStatement } from '../database/batch-statement.ts';
import type { SqlValue, Transaction } from '../database/database.ts';
import { idList, type RecordsetType, toIdList } from '../database/recordset.ts';

/** What is deleted with a registration: how its rows are found and removed. */

/** The registration and the key of a row, and its size in bytes. */
export interface OwnedRow {
  readonly registration_id: string;
  readonly size: number;
  readonly [keyColumn: string]: SqlValue;
}

/** Rows of a table that belong to registrations. */
export interface OwnedRows {
  /** Rows of registrations in any order. */
  select(tx: Transaction, registrationIds: readonly string[], limit: number): Promise<OwnedRow[]>;
  remove(tx: Transaction, rows: readonly OwnedRow[]): Promise<void>;
}

/**
 * @param size SQL for the size of a row
 * @param options `condition`: which rows count; `removal`: the statement that removes a row, without its condition
 */
function ownedRows(
  table: string,
  key: Readonly<Record<string, RecordsetType>>,
  size: string,
  {
    condition = '',
    removal = ({ using }) => `delete from ${table} ${using}`,
  }: { condition?: string; removal?: (rows: BatchRows) => string } = {},
): OwnedRows {
  const columns = Object.keys(key);
  const remove = new BatchStatement('gone', key, (gone, rows) => {
    const isGone = columns.map((column) => `${table}.${column} = ${gone[column]}`);
    return `${removal(rows)} where ${isGone.join(' and ')}`;
  });
  const selected = new Set(['registration_id', ...columns]);
  return {
    select: async (tx, registrationIds, limit) =>
      await tx.all<OwnedRow>(
        `select ${[...selected].join(', ')}, ${size} as size from ${table}
         where registration_id in ${idList(tx.dialect, 'text')} ${condition} limit ?`,
        toIdList(registrationIds),
        limit,
      ),
    remove: (tx, rows) => remove.run(tx, rows),
  };
}

/** With the sizes of their attachments. Their index terms and attachments are deleted with them. */
export const STATEMENTS = ownedRows(
  'lrs_statements',
  { id: 'bigint' },
  `octet_length(statement) + cast((
     select coalesce(sum(a.byte_count), 0) from lrs_attachments a where a.statement = lrs_statements.id) as bigint)`,
);
export const DOCUMENTS = ownedRows('lrs_documents', { document_key: 'text' }, 'octet_length(content)');
/** Definitions of activities. */
export const ACTIVITIES = ownedRows('lrs_activities', { activity_key: 'text' }, 'octet_length(definition)');
export const UNITS = ownedRows(
  'player_units',
  { registration_id: 'text', attempt: 'bigint', unit_id: 'text' },
  'coalesce(octet_length(data), 0)',
);
/** The data that the units of an attempt share. The attempts remain, since their numbers count on. */
export const STATES = ownedRows(
  'player_attempts',
  { registration_id: 'text', number: 'bigint' },
  'octet_length(state)',
  {
    condition: 'and state is not null',
    removal: ({ from }) => `update player_attempts set state = null ${from}`,
  },
);
export const SESSIONS = ownedRows(
  'player_sessions',
  { session_id: 'text' },
  'octet_length(actor) + octet_length(launch_data) + octet_length(facts)',
);
/** Values that registrations share with other courses. */
export const VALUES = ownedRows(
  'player_learner_values',
  { registration_id: 'text', value_key: 'text' },
  'octet_length(value)',
);

/** Ends the attempts of registrations, so that nothing is recorded in them any longer. */
export async function endAttempts(
  tx: Transaction,
  registrationIds: readonly string[],
  now: number,
): Promise<void> {
  await tx.run(
    `update player_attempts set ended_at = ?
     where registration_id in ${idList(tx.dialect, 'text')} and ended_at is null`,
    now,
    toIdList(registrationIds),
  );
}

/** Whether statements have more index terms than `count`. */
export async function hasMoreTerms(
  tx: Transaction,
  statements: readonly number[],
  count: number,
): Promise<boolean> {
  const rows = await tx.all(
    `select 1 as one from lrs_statement_index where statement in ${idList(tx.dialect)} limit 1 offset ?`,
    toIdList(statements),
    count,
  );
  return rows.length > 0;
}

/** Deletes some index terms of statements. */
export async function deleteTerms(
  tx: Transaction,
  statements: readonly number[],
  limit: number,
): Promise<void> {
  const some = (place: string) =>
    `select ${place} from lrs_statement_index where statement in ${idList(tx.dialect)} limit ?`;
  const condition =
    tx.dialect === 'postgres' ? `ctid = any (array(${some('ctid')}))` : `rowid in (${some('rowid')})`;
  await tx.run(`delete from lrs_statement_index where ${condition}`, toIdList(statements), limit);
}
