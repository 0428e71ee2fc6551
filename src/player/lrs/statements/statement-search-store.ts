import type { Reader, SqlValue } from '../../../database/database.ts';
import type { IndexTerm } from './statement-index.ts';
import { STATEMENT_COLUMNS, type StatementRow } from './statement-store.ts';

/** SQL for searches among statements. */

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
    `select ${STATEMENT_COLUMNS} from ${joined} where ${conditions.join(' and ')}
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
