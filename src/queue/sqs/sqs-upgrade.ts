import type { Database, Reader, Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { addToLines, type LineAddition, lockLines } from '../lines/line-statements.ts';
import type { QueueMessage } from '../message-queue.ts';
import { countEarlierLines } from './earlier-lines.ts';
import type { SqsApi } from './sqs-api.ts';
import type { Copy } from './sqs-message.ts';
import type { SqsOutage } from './sqs-outage.ts';
import { readDeadLetters } from './sqs-statements.ts';

const LOOK_MS = 1_000;
/** The queue is empty when it was in so many looks in a row: Amazon's counts are approximate. */
const LOOKS = 3;
/** Copies that an earlier release hid and cannot be shown are waited for as long. */
const HIDDEN_MS = 120_000;

/** Of these messages, those that the history knows, and whether each is settled. */
export type ReadHistory = (
  reader: Pick<Reader, 'all' | 'dialect'>,
  messageIds: readonly string[],
) => Promise<ReadonlyMap<string, boolean>>;

/** What an earlier release noted of a line: it sent the messages up to `forwarded_to`, and settled those up to `settled_to`. */
interface NotedLine {
  line_id: number;
  settled_to: number;
  forwarded_to: number;
}

/** What the upgrade works with. */
export interface SqsUpgradeDependencies {
  database: Database;
  api: SqsApi;
  outage: SqsOutage;
  readHistory: ReadHistory;
  /** Queues messages behind what waits. */
  queueAgain: (tx: Transaction, messages: readonly QueueMessage[]) => Promise<void>;
  onDone: () => void;
  now: () => number;
}

/**
 * Recognises copies that an earlier release sent, which carry no installation's id, and takes those messages into their lines
 * that it let go: an instance that did not poll deleted them from the database, so that only the queue holds them. Until
 * the queue has been emptied nothing may be delivered, since they come before what was queued later.
 */
export class SqsUpgrade implements AsyncDisposable {
  readonly #with: SqsUpgradeDependencies;
  #isPending = false;
  #looksLeft = LOOKS;
  #hiddenUntil = 0;
  readonly #task = new BackgroundTask({
    round: () => this.#look(),
    firstPauseMs: LOOK_MS,
    pauseMs: LOOK_MS,
    onError: (error) => {
      this.#looksLeft = LOOKS;
      this.#with.outage.failed('look', error);
    },
  });

  constructor(dependencies: SqsUpgradeDependencies) {
    this.#with = dependencies;
  }

  /** Whether messages may be missing from their lines. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /** Answers receipts of copies that an earlier release hid: they are to be deleted, since they hold back what follows. */
  async start(): Promise<string[]> {
    this.#isPending = (await countEarlierLines(this.#with.database.reader)) > 0;
    if (!this.#isPending) return [];
    this.#hiddenUntil = this.#with.now() + HIDDEN_MS;
    this.#task.start();
    return await readReceipts(this.#with.database.reader);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  /** Of copies without an installation's id, those that are this one's; messages that were let go are in their lines then. */
  async recognise(copies: readonly Copy[]): Promise<Set<Copy>> {
    return await this.#with.database.transaction(async (tx) => {
      const noted = await readNotedLines(
        tx,
        copies.map((copy) => copy.lineId),
      );
      await lockLines(tx, [...noted.keys()]);
      const ids = copies.flatMap(({ messageId }) => messageId ?? []);
      const history = await this.#with.readHistory(tx, ids);
      const dead = new Set((await readDeadLetters(tx, ids)).map((message) => message.messageId));
      const waiting = await readWaiting(
        tx,
        copies.flatMap(({ position }) => position ?? []),
      );
      const ours = new Set<Copy>();
      const letGo: Copy[] = [];
      for (const copy of copies) {
        const { messageId, position, lineId } = copy;
        if (messageId === null || position === null) continue;
        const line = noted.get(lineId);
        const isKnown = history.has(messageId) || dead.has(messageId) || waiting.get(position) === messageId;
        const wasSent = line !== undefined && position <= line.forwarded_to;
        if (isKnown || wasSent) ours.add(copy);
        const isSettled = history.get(messageId) === true || position <= (line?.settled_to ?? 0);
        if (wasSent && !isSettled && !dead.has(messageId) && !waiting.has(position) && copy.hasBody) {
          letGo.push(copy);
          waiting.set(position, messageId);
        }
      }
      if (this.#isPending) await takeIn(tx, letGo, this.#with.now());
      else
        await this.#with.queueAgain(
          tx,
          letGo.map(({ message }) => message),
        );
      return ours;
    });
  }

  /** Ends the wait once the queue has been empty often enough. */
  async #look(): Promise<void> {
    const { api, outage, database, onDone, now } = this.#with;
    const attributes = await api.attributes('messages');
    outage.worked('look');
    const visible = Number(attributes.ApproximateNumberOfMessages ?? 0);
    const hidden = Number(attributes.ApproximateNumberOfMessagesNotVisible ?? 0);
    const isEmpty = visible === 0 && (hidden === 0 || now() >= this.#hiddenUntil);
    this.#looksLeft = isEmpty ? this.#looksLeft - 1 : LOOKS;
    if (this.#looksLeft <= 0) await database.transaction(endAwaiting);
    // Another instance may have seen the end.
    if ((await countEarlierLines(database.reader)) > 0) return;
    this.#isPending = false;
    this.#task.end();
    onDone();
  }
}

/** Of heads, which are in the database. */
async function readReceipts(reader: Pick<Reader, 'all'>): Promise<string[]> {
  const rows = await reader.all<{ receipt_handle: string }>(
    'select receipt_handle from sqs_earlier_lines where is_awaited = 1 and receipt_handle is not null',
  );
  return rows.map((row) => row.receipt_handle);
}

async function endAwaiting(tx: Transaction): Promise<void> {
  await tx.run('update sqs_earlier_lines set is_awaited = 0 where is_awaited = 1');
}

async function readNotedLines(tx: Transaction, lineIds: readonly number[]): Promise<Map<number, NotedLine>> {
  const rows = await tx.all<NotedLine>(
    `select line.line_id, line.settled_to, line.forwarded_to from sqs_earlier_lines as line
     where line.line_id in (select given.id from ${recordset(tx.dialect, 'given', { id: 'bigint' })})`,
    JSON.stringify(lineIds.map((id) => ({ id }))),
  );
  return new Map(rows.map((row) => [row.line_id, row]));
}

/** The ids of messages that wait, by position. */
async function readWaiting(tx: Transaction, positions: readonly number[]): Promise<Map<number, string>> {
  const rows = await tx.all<{ id: number; message_id: string }>(
    `select here.id, here.message_id from queue_messages as here
     where here.id in (select given.id from ${recordset(tx.dialect, 'given', { id: 'bigint' })})`,
    JSON.stringify(positions.map((id) => ({ id }))),
  );
  return new Map(rows.map((row) => [row.id, row.message_id]));
}

/** Takes messages into their lines at their old positions. */
async function takeIn(tx: Transaction, copies: readonly Copy[], now: number): Promise<void> {
  if (copies.length === 0) return;
  const additions = new Map<number, LineAddition>();
  for (const { lineId } of copies) {
    const count = (additions.get(lineId)?.count ?? 0) + 1;
    additions.set(lineId, { lineId, count, lastEnqueuedAt: 0 });
  }
  await addToLines(
    tx,
    [...additions.values()].sort((a, b) => a.lineId - b.lineId),
    now,
  );
  const firsts = new Map<number, number>();
  for (const { lineId, position } of copies)
    firsts.set(lineId, Math.min(position ?? 0, firsts.get(lineId) ?? Number.POSITIVE_INFINITY));
  // Where the first becomes the head, its attempts have not begun.
  await tx.run(
    `update queue_lines set receive_count = 0, lease_token = null, available_at = ?
     from ${recordset(tx.dialect, 'given', { id: 'bigint', first: 'bigint' })}
     where queue_lines.line_id = given.id and not exists
       (select 1 from queue_messages as earlier where earlier.line_id = given.id and earlier.id < given.first)`,
    now,
    JSON.stringify([...firsts].map(([id, first]) => ({ id, first }))),
  );
  await tx.insertMany(
    'queue_messages',
    ['id', 'line_id', 'message_id', 'label', 'stored_body', 'enqueued_at'],
    copies.map(({ position, message: m }) => [
      position,
      m.lineId,
      m.messageId,
      m.label,
      m.body,
      m.enqueuedAt,
    ]),
  );
}
