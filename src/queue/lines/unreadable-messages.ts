import { isDamage, readAroundDamage, reasonOfDamage } from '../../database/damage.ts';
import type { Dialect, Reader, Transaction } from '../../database/database.ts';
import type { MessageOutline, QueuedMessage } from '../message-queue.ts';
import {
  type Positions,
  readFirstMessages,
  readFirstOutlines,
  readHeadNames,
  readHeadOutlines,
  readHeads,
} from './message-statements.ts';

/**
 * Messages whose bodies cannot be read, because the database was damaged or changed manually. Only their own lines may
 * wait for them, and an administrator can remove them (docs/decisions/0040-unreadable-messages.md).
 */

type LineReading = Pick<Reader, 'dialect' | 'all' | 'allFor'>;

/**
 * Reads a head whose body may be damaged. Undefined if the line is empty. On SQLite, a damaged head has its name, but not
 * the time of its event, which is stored behind the body.
 */
export async function readHeadAlone(reader: Reader, lineId: number): Promise<QueuedMessage | undefined> {
  try {
    const [head] = await readHeads(reader, [lineId]);
    return head;
  } catch (error) {
    if (!isDamage(error)) throw error;
    const [outline] =
      reader.dialect === 'sqlite'
        ? (await readHeadNames(reader, [lineId])).map((name) => ({ ...name, occurredAt: 0 }))
        : await readHeadOutlines(reader, [lineId]);
    return outline === undefined ? undefined : unreadableOf(outline, error, reader.dialect);
  }
}

/**
 * Reads the first messages of a part of a line, whose bodies may be damaged. In a transaction that has locked the line, use
 * {@link readFirstOfLocked}.
 */
export async function readFirstIfDamaged(
  reader: LineReading,
  lineId: number,
  limit: number,
  part: Positions,
): Promise<QueuedMessage[]> {
  try {
    return await readFirstMessages(reader, lineId, limit, part);
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  return await readAroundDamage(
    await readFirstOutlines(reader, lineId, limit, part),
    (some) => {
      const [first, last] = [some[0]!, some.at(-1)!];
      return readFirstMessages(reader, lineId, some.length, {
        after: first.position - 1,
        through: last.position,
      });
    },
    (outline, error) => [unreadableOf(outline, error, reader.dialect)],
  );
}

/**
 * {@link readFirstIfDamaged} for a locked line. On PostgreSQL, a failed statement would end the transaction, so `reader`
 * reads outside of it: nobody else can change a locked line.
 */
export async function readFirstOfLocked(
  tx: Transaction,
  reader: Reader,
  lineId: number,
  limit: number,
  part: Positions,
): Promise<QueuedMessage[]> {
  return await readFirstIfDamaged(tx.dialect === 'postgres' ? reader : tx, lineId, limit, part);
}

function unreadableOf(outline: MessageOutline, error: unknown, dialect: Dialect): QueuedMessage {
  return {
    ...outline,
    body: '',
    unreadable: reasonOfDamage(error),
    // SQLite reads a row in order to delete it.
    ...(dialect === 'sqlite' ? { mustStay: true } : {}),
  };
}
