import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader } from '../../database/database.ts';
import { toIdRows } from '../../database/recordset.ts';
import { bytesSql, fitting, TURN_BYTES } from '../../database/step-bytes.ts';
import { wholeBodies } from '../../queue/shared-bodies.ts';
import { type MessageSubject, messageSubject } from '../messages/message-subject.ts';

/**
 * Reading the messages of deliveries, a limited amount at a time. Messages about hundreds of assets are so large that a
 * page of them, or a search through them, would keep the service from everybody else for seconds.
 */

/** The length of the message of a delivery, in bytes. Engines know it without reading the message. */
export const MESSAGE_BYTES = sql<number>`${sql.raw(bytesSql('deliveries', 'body'))}`;

const SIZES = new BatchStatement(
  'wanted',
  { id: 'bigint' },
  (wanted, { joined }) =>
    `select deliveries.id, ${bytesSql('deliveries', 'body')} as bytes
     from ${joined} deliveries where deliveries.id = ${wanted.id}`,
);

const BODIES = new BatchStatement(
  'wanted',
  { id: 'bigint' },
  (wanted, { joined }) =>
    `select deliveries.id, deliveries.body, deliveries.shared_body_id
     from ${joined} deliveries where deliveries.id = ${wanted.id}`,
);

/** What the messages of deliveries are about, by the id of the delivery. Deliveries that were removed are missing. */
export async function readSubjects(
  reader: Pick<Reader, 'allFor'>,
  ids: readonly number[],
): Promise<Map<number, MessageSubject>> {
  const subjects = new Map<number, MessageSubject>();
  const sizes = await SIZES.all<{ id: number; bytes: number }>(reader, toIdRows(ids));
  for (let left = sizes; left.length > 0; ) {
    const part = fitting(left, TURN_BYTES);
    left = left.slice(part.length);
    const rows = await BODIES.all<{ id: number; body: string; shared_body_id: number | null }>(
      reader,
      toIdRows(part.map(({ id }) => id)),
    );
    const bodies = await wholeBodies(reader, rows);
    for (const [n, { id }] of rows.entries()) subjects.set(id, messageSubject(bodies[n]!.body));
    if (left.length > 0) await nextTurn();
  }
  return subjects;
}

/**
 * The last of some rows whose messages can be read together. Undefined if all can, and there are fewer than the limit:
 * then no rows follow.
 */
export function lastToRead<Row extends { bytes: number }>(
  rows: readonly Row[],
  limit: number,
): Row | undefined {
  const part = fitting(rows);
  return part.length < rows.length || rows.length === limit ? part.at(-1) : undefined;
}
