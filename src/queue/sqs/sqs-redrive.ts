import type { Transaction } from '../../database/database.ts';
import { advanceUnleasedLine, readHeads } from '../database-queue-statements.ts';
import { copyToDeadLetters } from '../dead-letter-statements.ts';
import { deleteMessages } from '../done-messages.ts';
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
 * Makes the head of a line a dead letter, over which processes died as often as the redrive policy allows. As a rule
 * Amazon SQS has moved it to the dead-letter queue by itself; else a copy is sent there.
 */
export async function moveRedriven(
  tx: Transaction,
  lineId: number,
  {
    now,
    recordDeadLettered,
    movedBySqs = true,
  }: { now: number; recordDeadLettered: RecordDeadLettered; movedBySqs?: boolean },
): Promise<void> {
  const [head] = await readHeads(tx, [lineId]);
  if (head === undefined) return;
  await copyToDeadLetters(tx, [head.position], now);
  await deleteMessages(tx, [head.position]);
  await advanceUnleasedLine(tx, lineId, now);
  await noteSettled(tx, [head], now);
  await noteDeadLetters(tx, [head], { now, movedBySqs });
  await recordDeadLettered(tx, [head], now);
}
