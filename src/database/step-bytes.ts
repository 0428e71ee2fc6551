import { MIB } from '../bytes.ts';

/**
 * How much text one step reads. Steps are also limited by their number of rows, but thousands of large messages would need
 * gigabytes of memory.
 */
export const STEP_BYTES = 16 * MIB;

/** How much text is read between two turns of the event loop, so that others wait for some 30 ms at most. */
export const TURN_BYTES = 4 * MIB;

/** The first rows of a step whose texts together are not too large, but at least one. */
export function fitting<Row extends { bytes: number }>(
  rows: readonly Row[],
  maxBytes: number = STEP_BYTES,
): Row[] {
  return firstWithin(rows, maxBytes, ({ bytes }) => bytes);
}

/** The first rows whose sizes together are not above a maximum, but at least one. */
export function firstWithin<Row>(rows: readonly Row[], most: number, sizeOf: (row: Row) => number): Row[] {
  let sum = 0;
  const end = rows.findIndex((row, n) => {
    sum += sizeOf(row);
    return n > 0 && sum > most;
  });
  return end === -1 ? [...rows] : rows.slice(0, end);
}

/**
 * SQL for the length of stored texts of a row and of its shared body, in bytes. The engines know it without reading the
 * texts.
 * @param row names the row
 */
export function bytesSql(row: string, ...texts: readonly string[]): string {
  const own = texts.map((text) => `coalesce(octet_length(${row}.${text}), 0)`);
  const shared = `coalesce((select octet_length(shared.text) from shared_bodies as shared
    where shared.id = ${row}.shared_body_id), 0)`;
  return [...own, shared].join(' + ');
}
