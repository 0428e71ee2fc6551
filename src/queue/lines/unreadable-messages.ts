import { isDamage } from '../../database/damage.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { messageOf } from '../../problems/error-message.ts';
import type { MessageOutline, QueuedMessage, ReceivedMessage } from '../message-queue.ts';
import { lockLeasedLines, postponeLines } from './lease-statements.ts';
import {
  type Positions,
  readFirstMessages,
  readFirstOutlines,
  readHeadNames,
  readHeads,
} from './message-statements.ts';

/**
 * Messages whose bodies cannot be read, because the database was damaged or changed manually. Only their own lines may
 * wait for them, and an administrator can remove them (docs/decisions/0040-unreadable-messages.md).
 */

/**
 * How long a line waits until its head is read again, in milliseconds. It must not be longer than the slack for overlong
 * waits, which would end it.
 */
export const UNREADABLE_PAUSE_MS = 30_000;

type LineReading = Pick<Reader, 'dialect' | 'all' | 'allFor'>;

/** A message whose body cannot be read. */
export type UnreadableMessage = QueuedMessage & { unreadable: string };

/** Options of {@link putBackUnreadable}. */
export interface PuttingBackOptions {
  now: number;
  /** Called for each message that was put back. */
  onUnreadable: (message: UnreadableMessage) => void;
}

function isUnreadable<M extends QueuedMessage>(message: M): message is M & UnreadableMessage {
  return message.unreadable !== undefined;
}

/**
 * Puts the lines of unreadable heads back for a while, and returns the other messages. These receives are not counted. The
 * lines are not in flight, so someone can skip the messages.
 */
export async function putBackUnreadable(
  tx: Transaction,
  received: readonly ReceivedMessage[],
  { now, onUnreadable }: PuttingBackOptions,
): Promise<ReceivedMessage[]> {
  const unreadable = received.filter(isUnreadable);
  const lines = await lockLeasedLines(tx, unreadable);
  const held = unreadable.filter(({ lineId, leaseToken }) => lines.get(lineId)?.leaseToken === leaseToken);
  await postponeLines(
    tx,
    held.map(({ lineId }) => ({ lineId, availableAt: now + UNREADABLE_PAUSE_MS, uncounted: true })),
  );
  tx.onCommit(() => {
    for (const message of held) onUnreadable(message);
  });
  return received.filter((message) => !isUnreadable(message));
}

/** Whether some of the messages cannot be read. */
export function areSomeUnreadable(messages: readonly QueuedMessage[]): boolean {
  return messages.some(isUnreadable);
}

/**
 * Reads a head whose body may be damaged. Undefined if the line is empty. A damaged head has its name, but not the time of
 * its event, which may be damaged, too.
 */
export async function readHeadAlone(reader: Reader, lineId: number): Promise<QueuedMessage | undefined> {
  try {
    const [head] = await readHeads(reader, [lineId]);
    return head;
  } catch (error) {
    if (!isDamage(error)) throw error;
    const [name] = await readHeadNames(reader, [lineId]);
    return name === undefined ? undefined : unreadableOf({ ...name, occurredAt: 0 }, error);
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
    const messages: QueuedMessage[] = [];
    for (const outline of await readFirstOutlines(reader, lineId, limit, part))
      messages.push(await readAlone(reader, outline));
    return messages;
  }
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

async function readAlone(reader: LineReading, outline: MessageOutline): Promise<QueuedMessage> {
  const { lineId, position } = outline;
  try {
    const [message] = await readFirstMessages(reader, lineId, 1, { after: position - 1, through: position });
    if (message === undefined) throw new Error(`message ${outline.messageId} is missing`);
    return message;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return unreadableOf(outline, error);
  }
}

function unreadableOf(outline: MessageOutline, error: unknown): UnreadableMessage {
  return { ...outline, body: '', unreadable: `the database cannot read its body: ${messageOf(error)}` };
}
