import type { Database, Transaction } from '../../database/database.ts';
import type { QueuedMessage, ReceivedMessage } from '../message-queue.ts';
import { leaseDueLines, type NextLease } from './lease-statements.ts';
import { readNextDue, recountLine } from './line-statements.ts';
import { readHeadNames, readHeads } from './message-statements.ts';
import { readHeadAlone } from './unreadable-messages.ts';

/** What a transaction has settled so far. */
export interface SettledLines {
  /** The lines of the settled messages, which the transaction has locked. */
  lineIds: readonly number[];
  /** The lines whose next message is leased with `leaseToken`. */
  continued: readonly number[];
  leaseToken: string;
}

/** Options of receiving. */
export interface ReceivingOptions {
  now: number;
  /** Maximum number of messages. */
  capacity: number;
  /** The lease for heads of further lines. */
  lease: NextLease;
  /** Called with a sentence about a line whose wrong count was corrected. */
  onMiscount: (text: string) => void;
}

/** A head that was leased. */
type Leased<Head> = Head & Pick<ReceivedMessage, 'leaseToken' | 'receiveCount'>;

/** The result of receiving. */
export interface ReceivedHeads<Head = QueuedMessage> {
  received: Leased<Head>[];
  /** The number of lines that were leased, even if they contain no message. */
  leased: number;
  /** When the next line is due, in epoch milliseconds; null if none is. */
  nextAt: number | null;
}

/** Returns the heads of the lines that `settled` continues, and leases further heads that are due. */
export async function receive(
  tx: Transaction,
  settled: SettledLines | undefined,
  options: ReceivingOptions,
): Promise<ReceivedHeads> {
  return await leaseHeads(tx, settled, options, readHeads);
}

/** Receives in transactions of its own, with a statement for each body, because the database may fail to read one. */
export async function receiveOneByOne(database: Database, options: ReceivingOptions): Promise<ReceivedHeads> {
  const heads = await database.transaction((tx) => leaseHeads(tx, undefined, options, readHeadNames), {
    durability: 'deferred',
  });
  const received: ReceivedMessage[] = [];
  for (const { lineId, position, leaseToken, receiveCount } of heads.received) {
    const head = await readHeadAlone(database.reader, lineId);
    if (head?.position === position) received.push({ ...head, leaseToken, receiveCount });
  }
  return { ...heads, received };
}

/** Leases heads, and reads them as requested. */
async function leaseHeads<Head extends Pick<QueuedMessage, 'lineId'>>(
  tx: Transaction,
  settled: SettledLines | undefined,
  { now, capacity, lease, onMiscount }: ReceivingOptions,
  read: (tx: Transaction, lineIds: Iterable<number>) => Promise<Head[]>,
): Promise<ReceivedHeads<Head>> {
  const continued = settled?.continued ?? [];
  const limit = capacity - continued.length;
  // PostgreSQL receives the query for the heads of lines that this transaction has locked together with the other
  // statements.
  const locked = tx.dialect === 'postgres' && limit > 0 ? (settled?.lineIds ?? []) : continued;
  const [{ taken, nextAt }, lockedHeads] = await Promise.all([
    leaseDue(tx, { now, limit, ...lease }),
    locked.length === 0 ? [] : read(tx, locked),
  ]);
  const continuedLines = new Set(continued);
  const known = new Set(locked);
  const others = [...taken.keys()].filter((lineId) => !known.has(lineId));
  const heads = [...lockedHeads, ...(others.length === 0 ? [] : await read(tx, others))];
  const received = heads.flatMap((head): Leased<Head>[] => {
    if (continuedLines.has(head.lineId))
      return [{ ...head, leaseToken: settled!.leaseToken, receiveCount: 1 }];
    const receiveCount = taken.get(head.lineId);
    return receiveCount === undefined ? [] : [{ ...head, leaseToken: lease.leaseToken, receiveCount }];
  });
  const leased = continued.length + taken.size;
  if (received.length < leased)
    await recountEmpty(tx, [...continued, ...taken.keys()], { heads: received, now, onMiscount });
  return { received, leased, nextAt };
}

/** Leases lines that are due. Returns their receive counts, and when the next line is due. */
async function leaseDue(
  tx: Transaction,
  request: Parameters<typeof leaseDueLines>[1],
): Promise<{ taken: Map<number, number>; nextAt: number | null }> {
  const nothing = new Map<number, number>();
  if (tx.dialect === 'postgres') {
    const [taken, nextAt] = await Promise.all([
      request.limit > 0 ? leaseDueLines(tx, request) : nothing,
      readNextDue(tx),
    ]);
    return { taken, nextAt };
  }
  // Usually, no other line is due, and a read costs a tenth of an update that finds none.
  const nextAt = await readNextDue(tx);
  if (request.limit <= 0 || nextAt === null || nextAt > request.now) return { taken: nothing, nextAt };
  return { taken: await leaseDueLines(tx, request), nextAt: await readNextDue(tx) };
}

/** Corrects lines that have a count but no messages. */
async function recountEmpty(
  tx: Transaction,
  lineIds: Iterable<number>,
  {
    heads,
    now,
    onMiscount,
  }: { heads: readonly Pick<QueuedMessage, 'lineId'>[]; now: number; onMiscount: (text: string) => void },
): Promise<void> {
  const withHead = new Set(heads.map((head) => head.lineId));
  const empty = [...lineIds].filter((lineId) => !withHead.has(lineId));
  for (const lineId of empty) await recountLine(tx, lineId, now);
  tx.onCommit(() => {
    for (const lineId of empty)
      onMiscount(`the line of webhook ${lineId} had a count of messages but contains none`);
  });
}
