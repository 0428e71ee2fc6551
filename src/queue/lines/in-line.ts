import type { Dialect } from '../../database/database.ts';
import { waitingInLineSql } from './done-to.ts';

/**
 * SQL for the waiting messages of one line, in order. The conditions and the order use the index of the line, even
 * beside a line with a million messages. Why PostgreSQL needs rows for that is in `database/index-part.ts`, which is
 * for Kysely. Here, the line may also be a column of the statement.
 */

/** SQL of the last position that there can be. */
const LAST = '9223372036854775807';

/** A part of a line, in SQL. */
export interface LinePartSql {
  /** The alias of `queue_messages`. */
  message: string;
  line: string;
  /** The position that the part begins behind. */
  after: string;
  /** The last position of the part. @defaultValue the last position of the line */
  through?: string;
}

/** The conditions. */
export function inLineSql(dialect: Dialect, { message, line, after, through = LAST }: LinePartSql): string {
  return dialect === 'postgres'
    ? `(${message}.line_id, ${message}.id) > (${line}, ${after})
        and (${message}.line_id, ${message}.id) <= (${line}, ${through})`
    : `${message}.line_id = ${line} and ${waitingInLineSql(message, line)}
        and ${message}.id > ${after} and ${message}.id <= ${through}`;
}

/** A part of a line whose line and positions are parameters of a statement. */
export const GIVEN_PART: LinePartSql = { message: 'm', line: '?', after: '?', through: '?' };

/** The parameters of {@link GIVEN_PART}. */
export function givenPart(
  dialect: Dialect,
  lineId: number,
  { after, through }: { after: number; through: number },
): number[] {
  return dialect === 'postgres' ? [lineId, after, lineId, through] : [lineId, lineId, after, through];
}

/** The order of a line's messages, for `order by`. */
export function lineOrderSql(dialect: Dialect, message: string, direction: 'asc' | 'desc' = 'asc'): string {
  return dialect === 'postgres'
    ? `${message}.line_id ${direction}, ${message}.id ${direction}`
    : `${message}.id ${direction}`;
}
