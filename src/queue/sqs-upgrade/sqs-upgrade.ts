import type { Message } from '@aws-sdk/client-sqs';
import type { Reader, Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import { BackgroundTask } from '../../time/background-task.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { lockLines, recountLine } from '../lines/line-statements.ts';
import type { QueueMessage } from '../message-queue.ts';
import type { SqsContext } from '../sqs/sqs-health.ts';
import { BATCH_ENTRIES, lineIdOf, readAttribute } from '../sqs/sqs-message.ts';
import type { SqsQueue } from '../sqs/sqs-queue.ts';

const LOOK_MS = 1_000;
/** The queue counts as empty after this many consecutive checks, because Amazon's counts are approximate. */
const LOOKS = 3;
/** Amazon's counts may miss messages that were sent less than a minute ago. */
const QUIET_MS = MINUTE_MS;
/** Maximum time to wait for copies that an earlier release received and that cannot be made visible again. */
const HIDDEN_MS = 120_000;

/** Returns the messages of the list that are in the history, and whether each is settled. */
export type ReadHistory = (
  reader: Pick<Reader, 'all' | 'dialect'>,
  messageIds: readonly string[],
) => Promise<ReadonlyMap<string, boolean>>;

/** Dependencies of the upgrade. */
export interface SqsUpgradeOptions extends Pick<SqsContext, 'database' | 'api' | 'health' | 'now'> {
  readHistory: ReadHistory;
  queue: Pick<SqsQueue, 'lines' | 'announceDue'>;
  /**
   * How long no copy of an earlier release may have come before the queue counts as empty, in milliseconds.
   * @defaultValue a minute
   */
  quietMs?: number;
}

/** A copy that an earlier release sent, with the position of its message in its line. */
interface EarlierCopy {
  copy: Message;
  position: number;
  /** False if the body was too long for the queue. */
  hasBody: boolean;
  message: QueueMessage;
}

/**
 * Recognises copies that an earlier release sent, which contain no installation id. Instances of that release that did
 * not poll have deleted messages from the database, so only the queue has them. This class restores those messages to
 * their lines. Until the queue is empty, nothing may be delivered, because the restored messages come first.
 */
export class SqsUpgrade implements AsyncDisposable {
  readonly #with: SqsUpgradeOptions;
  #isPending = false;
  #isOver = false;
  #looksLeft = LOOKS;
  /** When the last copy of an earlier release came, or this instance started. */
  #lastCopyAt = 0;
  /** Receipts of copies that an earlier release received. They block the copies behind them. */
  #hidden: string[] = [];
  #hiddenUntil = 0;
  readonly #task = new BackgroundTask({
    round: () => this.#look(),
    firstPauseMs: LOOK_MS,
    pauseMs: LOOK_MS,
    onError: (error) => {
      this.#looksLeft = LOOKS;
      this.#with.health.failed(error);
    },
  });

  constructor(options: SqsUpgradeOptions) {
    this.#with = options;
  }

  /** Whether messages may be missing from their lines. */
  get isPending(): boolean {
    return this.#isPending;
  }

  /**
   * Whether no instance waits until the queue is empty. Copies that are sent before that could keep it from becoming
   * empty. Once true, it stays so, and the database is no longer read.
   */
  async isOver(): Promise<boolean> {
    this.#isOver ||= (await countEarlierLines(this.#with.database.reader)) === 0;
    return this.#isOver;
  }

  /** Begins to empty the queue if messages may be missing from their lines. */
  async start(): Promise<void> {
    const { database, now } = this.#with;
    this.#isPending = !(await this.isOver());
    if (!this.#isPending) return;
    this.#hidden = await readReceipts(database.reader);
    this.#hiddenUntil = now() + HIDDEN_MS;
    this.#lastCopyAt = now();
    this.#task.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#task[Symbol.asyncDispose]();
  }

  /**
   * Returns the copies without an id that belong to this installation. Also restores to their lines the messages that
   * the earlier release deleted.
   */
  async recognise(copies: readonly Message[]): Promise<Set<Message>> {
    const earlier = copies.flatMap((copy) => toEarlierCopy(copy) ?? []);
    if (earlier.length === 0) return new Set();
    this.#lastCopyAt = this.#with.now();
    return await this.#with.database.transaction(async (tx) => {
      await lockLines(tx, [...new Set(earlier.map(({ message }) => message.lineId))]);
      const ids = earlier.map(({ message }) => message.messageId);
      const [found, history] = [await readFound(tx, earlier), await this.#with.readHistory(tx, ids)];
      const ours = new Set<Message>();
      const deleted = new Map<number, EarlierCopy>();
      for (const [n, each] of earlier.entries()) {
        const { isSent, isSettled, isHere } = found[n]!;
        const isSettledByHistory = history.get(each.message.messageId);
        if (isSent || isHere || isSettledByHistory !== undefined) ours.add(each.copy);
        const isGone = isSettled || isHere || isSettledByHistory === true;
        if (isSent && !isGone && each.hasBody) deleted.set(each.position, each);
      }
      if (this.#isPending) await restore(tx, [...deleted.values()], this.#with.now());
      else
        await this.#with.queue.lines.redeliver(
          tx,
          Array.from(deleted.values(), ({ message }) => message),
        );
      return ours;
    });
  }

  /** Ends the wait once the queue was empty in enough checks, and no copy came for long enough. */
  async #look(): Promise<void> {
    const { api, health, database, queue, now, quietMs = QUIET_MS } = this.#with;
    for (; this.#hidden.length > 0; this.#hidden.splice(0, BATCH_ENTRIES))
      await api.delete(this.#hidden.slice(0, BATCH_ENTRIES));
    const attributes = await api.attributes('messages');
    health.worked();
    const visible = Number(attributes.ApproximateNumberOfMessages ?? 0);
    const hidden = Number(attributes.ApproximateNumberOfMessagesNotVisible ?? 0);
    const delayed = Number(attributes.ApproximateNumberOfMessagesDelayed ?? 0);
    const isEmpty = visible === 0 && delayed === 0 && (hidden === 0 || now() >= this.#hiddenUntil);
    this.#looksLeft = isEmpty ? this.#looksLeft - 1 : LOOKS;
    if (this.#looksLeft <= 0 && now() - this.#lastCopyAt >= quietMs) await database.transaction(endAwaiting);
    // Another instance may have ended the wait.
    if (!(await this.isOver())) return;
    this.#isPending = false;
    this.#task.end();
    await queue.announceDue();
  }
}

/** Null if no earlier release sent the copy. */
function toEarlierCopy(copy: Message): EarlierCopy | null {
  const messageId = readAttribute(copy, 'message_id');
  const position = readAttribute(copy, 'position') ?? '';
  if (messageId === null || !/^\d{1,15}$/.test(position)) return null;
  return {
    copy,
    position: Number(position),
    hasBody: readAttribute(copy, 'body_left_out') === null,
    message: {
      lineId: lineIdOf(copy),
      messageId,
      label: readAttribute(copy, 'label') ?? '',
      body: copy.Body ?? '',
      occurredAt: Number(readAttribute(copy, 'enqueued_at') ?? 0),
    },
  };
}

/** The number of lines with messages that an earlier release deleted and that may exist only on Amazon SQS. */
export async function countEarlierLines(reader: Pick<Reader, 'all'>): Promise<number> {
  const [row] = await reader.all<{ lines: number }>(
    'select count(*) as lines from sqs_earlier_lines where is_awaited = 1',
  );
  return Number(row?.lines ?? 0);
}

/** The receipts of received heads. The heads are in the database. */
async function readReceipts(reader: Pick<Reader, 'all'>): Promise<string[]> {
  const rows = await reader.all<{ receipt_handle: string }>(
    'select receipt_handle from sqs_earlier_lines where is_awaited = 1 and receipt_handle is not null',
  );
  return rows.map((row) => row.receipt_handle);
}

async function endAwaiting(tx: Transaction): Promise<void> {
  await tx.run('update sqs_earlier_lines set is_awaited = 0 where is_awaited = 1');
}

/**
 * For each copy: whether the earlier release sent and settled its position, and whether the message is in the database,
 * waiting or dead.
 */
async function readFound(
  tx: Transaction,
  copies: readonly EarlierCopy[],
): Promise<{ isSent: boolean; isSettled: boolean; isHere: boolean }[]> {
  const rows = await tx.all<{ sent: number; settled: number; here: number }>(
    `select case when given.position <= line.forwarded_to then 1 else 0 end as sent,
       case when given.position <= line.settled_to then 1 else 0 end as settled,
       case when exists (select 1 from queue_messages as waiting
              where waiting.id = given.position and waiting.message_id = given.id)
            or exists (select 1 from queue_dead_letters as dead where dead.message_id = given.id)
         then 1 else 0 end as here
     from ${recordset(tx.dialect, 'given', { n: 'bigint', id: 'text', line_id: 'bigint', position: 'bigint' })}
     left join sqs_earlier_lines as line on line.line_id = given.line_id order by given.n`,
    JSON.stringify(
      copies.map(({ position, message }, n) => ({
        n,
        id: message.messageId,
        line_id: message.lineId,
        position,
      })),
    ),
  );
  return rows.map((row) => ({
    isSent: row.sent === 1,
    isSettled: row.settled === 1,
    isHere: row.here === 1,
  }));
}

/** Restores messages to their lines at their old positions. */
async function restore(tx: Transaction, copies: readonly EarlierCopy[], now: number): Promise<void> {
  const columns = ['id', 'line_id', 'message_id', 'label', 'stored_body', 'enqueued_at'];
  await tx.insertMany(
    'queue_messages',
    columns,
    copies.map(({ position, message: m }) => [
      position,
      m.lineId,
      m.messageId,
      m.label,
      m.body,
      m.occurredAt,
    ]),
  );
  for (const [lineId, group] of Map.groupBy(copies, ({ message }) => message.lineId)) {
    await recountLine(tx, lineId, now);
    // If the first restored message becomes the head, it has no attempts yet.
    await tx.run(
      `update queue_lines set receive_count = 0, lease_token = null, available_at = ? where line_id = ? and not exists
         (select 1 from queue_messages as earlier where earlier.line_id = queue_lines.line_id and earlier.id < ?)`,
      now,
      lineId,
      Math.min(...group.map(({ position }) => position)),
    );
  }
}
