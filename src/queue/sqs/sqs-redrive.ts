import type { Transaction } from '../../database/database.ts';
import {
  advanceUnleasedLine,
  copyToDeadLetters,
  deleteMessages,
  readHeads,
} from '../database-queue-statements.ts';
import type { QueueMessage } from '../message-queue.ts';
import { noteDeadLetters } from './sqs-dead-letter-statements.ts';
import { noteSettled } from './sqs-statements.ts';

/** Writes into the history, in the transaction, that messages are dead without the service having said so. */
export type RecordDeadLettered = (
  tx: Transaction,
  messages: readonly QueueMessage[],
  now: number,
) => Promise<void>;

/**
 * Follows what Amazon SQS did by itself: the head of the line was handed out as often as the redrive policy allows, by
 * processes that died over it, and is in the dead-letter queue.
 */
export async function moveRedriven(
  tx: Transaction,
  lineId: number,
  { now, recordDeadLettered }: { now: number; recordDeadLettered: RecordDeadLettered },
): Promise<void> {
  const [head] = await readHeads(tx, [lineId]);
  if (head === undefined) return;
  await copyToDeadLetters(tx, [head.position], now);
  await deleteMessages(tx, [head.position]);
  await advanceUnleasedLine(tx, lineId, now);
  await noteSettled(tx, [head], now);
  await noteDeadLetters(tx, [head], { now, movedBySqs: true });
  await recordDeadLettered(tx, [head], now);
}
