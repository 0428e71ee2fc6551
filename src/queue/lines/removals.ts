import type { Reader, Transaction } from '../../database/database.ts';
import { fitting } from '../../database/step-bytes.ts';
import type { Purged, PurgeRequest, QueuedMessage, SkipResult } from '../message-queue.ts';
import { insertDeadLetter } from './dead-letter-statements.ts';
import { isInFlight } from './line-state.ts';
import { advanceUnleasedLine, readLockedLine, subtractFromLine } from './line-statements.ts';
import {
  countMessages,
  deleteMessages,
  readFirstSizes,
  readHeadNames,
  readLastPosition,
} from './message-statements.ts';
import { readFirstOfLocked } from './unreadable-messages.ts';

/** Options of removing messages. */
export interface RemovalOptions {
  now: number;
  /** Reads outside of the transaction. */
  reader: Reader;
  /** Whether the engine also places dead letters on another queue. */
  placesDeadLetters: boolean;
}

/**
 * Moves one waiting message to the dead-letter queue. The line stays locked until the transaction ends.
 * @param position the position of the message
 */
export async function skipMessage(
  tx: Transaction,
  lineId: number,
  position: number,
  options: RemovalOptions,
): Promise<SkipResult> {
  const line = await readLockedLine(tx, lineId);
  if (line === null || line.pending === 0) return { outcome: 'absent' };
  const head = await readHeadPosition(tx, lineId);
  if (position === head && isInFlight(line, options.now)) return { outcome: 'in-flight' };
  const message = await deadLetterMessage(tx, { lineId, position }, { ...options, head });
  return message === null ? { outcome: 'absent' } : { outcome: 'done', message };
}

/**
 * Moves a message of a locked line to the dead-letter queue.
 * @returns null if the line does not have it
 */
export async function deadLetterMessage(
  tx: Transaction,
  { lineId, position }: Pick<QueuedMessage, 'lineId' | 'position'>,
  { now, reader, placesDeadLetters, head }: RemovalOptions & { head: number },
): Promise<QueuedMessage | null> {
  const part = { after: position - 1, through: position };
  const [message] = await readFirstOfLocked(tx, reader, lineId, 1, part);
  if (message === undefined) return null;
  await insertDeadLetter(tx, message, { now, arePlaced: placesDeadLetters });
  await removeFromLine(tx, lineId, { messages: [message], head, now });
  return message;
}

/**
 * Deletes waiting messages as `LineActions.purge` describes, as many as one step can read. The line stays locked until
 * the transaction ends.
 */
export async function purgeMessages(
  tx: Transaction,
  lineId: number,
  { from, before, limit, countUpTo }: PurgeRequest,
  { now, reader }: RemovalOptions,
): Promise<Purged> {
  const line = await readLockedLine(tx, lineId);
  if (line === null || line.pending === 0) return { messages: [], remaining: 0, next: null };
  const { after, through } = from ?? { after: 0, through: await readLastPosition(tx, lineId) };
  const head = await readHeadPosition(tx, lineId);
  const first = isInFlight(line, now) ? Math.max(after, head) : after;
  const earlierThan = before ?? Number.MAX_SAFE_INTEGER;
  const sizes = await readFirstSizes(tx, lineId, limit, { after: first, through });
  const step = fitting(sizes);
  const examined = await readFirstOfLocked(tx, reader, lineId, step.length, { after: first, through });
  const messages = examined.filter(({ occurredAt }) => occurredAt < earlierThan);
  await removeFromLine(tx, lineId, { messages, head, now });
  if (step.length === sizes.length && sizes.length < limit) return { messages, remaining: 0, next: null };
  const next = { after: examined.at(-1)!.position, through };
  const remaining = await countMessages(tx, lineId, { ...next, before: earlierThan, bound: countUpTo });
  return { messages, remaining, next: remaining === 0 ? null : next };
}

async function readHeadPosition(tx: Transaction, lineId: number): Promise<number> {
  const [head] = await readHeadNames(tx, [lineId]);
  return head?.position ?? 0;
}

/**
 * Removes messages from a locked line. If the head is one of them, the next message is due now, unless the line is on
 * hold.
 */
async function removeFromLine(
  tx: Transaction,
  lineId: number,
  { messages, head, now }: { messages: readonly QueuedMessage[]; head: number; now: number },
): Promise<void> {
  if (messages.length === 0) return;
  const positions = messages.map(({ position }) => position);
  const withHead = positions.includes(head);
  await deleteMessages(tx, positions);
  if (withHead) await advanceUnleasedLine(tx, lineId, now);
  const followers = positions.length - (withHead ? 1 : 0);
  if (followers > 0) await subtractFromLine(tx, lineId, followers);
}
