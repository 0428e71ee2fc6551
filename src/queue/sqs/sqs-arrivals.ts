import type { Transaction } from '../../database/database.ts';
import type { QueueMessage } from '../message-queue.ts';
import { readMovedBack } from './sqs-dead-letter-statements.ts';
import {
  type ArrivalLine,
  adopt,
  noteReceipts,
  type ReceivedHead,
  readArrivalLines,
} from './sqs-head-statements.ts';
import type { SentMessage } from './sqs-message.ts';
import type { Arrival } from './sqs-receivers.ts';
import { moveRedriven, type RecordDeadLettered } from './sqs-redrive.ts';
import type { SqsCall } from './sqs-settler.ts';
import { forwardAnew } from './sqs-statements.ts';

/** Amazon SQS hides in whole seconds: what is due sooner is kept until then. */
const SOON_MS = 1_000;

/** An arrival that this service sent. */
export type OwnArrival = Arrival & { message: SentMessage };

/** What judging arrivals needs to know. */
export interface ArrivalContext {
  now: number;
  maxReceives: number;
  recordDeadLettered: RecordDeadLettered;
  /** Queues a dead letter again, behind what waits. */
  requeue(message: QueueMessage): Promise<void>;
}

/** What arrivals come to. */
export interface Judgement {
  /** Heads that may be taken up, the longest due first. */
  due: OwnArrival[];
  /** Arrivals that are held no longer. */
  done: Set<Arrival>;
  calls: SqsCall[];
  /** Arrivals that are kept: heads that will be due within a second, and those of lines that others are at work on. */
  soon: number;
  /** Sent by another program. */
  foreign: Arrival[];
}

/**
 * What an arrival is to its line:
 * - `due`: its head, and it may be taken up;
 * - `early`: its head, but the line waits, for a retry or because the head is out;
 * - `unknown`: the line does not hold it and has not settled it; `unknown early` while the line's head is out;
 * - `settled`: it was settled before, or it moved back from the dead-letter queue;
 * - `copy`: sent before the line was sent anew; another copy follows;
 * - `follower`: it arrived though its head did not, so the head has left the queue;
 * - `redriven`: the same, and the head was out for the last time that Amazon SQS hands it out;
 * - `foreign`: another message has its place.
 */
type Standing =
  | 'due'
  | 'early'
  | 'unknown'
  | 'unknown early'
  | 'settled'
  | 'copy'
  | 'follower'
  | 'redriven'
  | 'foreign';

function standingOf(
  { message }: OwnArrival,
  line: ArrivalLine,
  { now, maxReceives }: ArrivalContext,
): Standing {
  const waits = line.availableAt !== null && line.availableAt > now;
  if (line.messageId === null) {
    if (message.position <= line.settledTo || message.wasDead || !message.bodySent) return 'settled';
    return line.isLeased && waits ? 'unknown early' : 'unknown';
  }
  if (line.messageId !== message.messageId) return 'foreign';
  if (line.head === message.position) return waits ? 'early' : 'due';
  if (message.generation !== line.generation) return 'copy';
  return line.isLeased && line.receives >= maxReceives ? 'redriven' : 'follower';
}

/** Holds arrivals against their lines, in the transaction that may take them up; one of each line at a time. */
export async function judgeArrivals(
  tx: Transaction,
  arrivals: readonly Arrival[],
  context: ArrivalContext,
): Promise<Judgement> {
  const { now } = context;
  const judgement: Judgement = { due: [], done: new Set(), calls: [], soon: 0, foreign: [] };
  const firsts = firstOfEachLine(arrivals, judgement);
  if (firsts.size === 0) return judgement;
  const lines = await readArrivalLines(
    tx,
    [...firsts.values()].map(({ message }) => message),
  );
  const dueSince = new Map<Arrival, number>();
  const early: OwnArrival[] = [];
  for (const arrival of firsts.values()) {
    const line = lines.get(arrival.message.lineId);
    if (line === undefined) {
      judgement.soon += 1;
      continue;
    }
    const standing = standingOf(arrival, line, context);
    if (standing === 'due' || standing === 'unknown') {
      if (standing === 'unknown') await adopt(tx, arrival.message, now);
      judgement.due.push(arrival);
      dueSince.set(arrival, standing === 'due' ? (line.availableAt ?? now) : now);
      continue;
    }
    const waitMs = (line.availableAt ?? now) - now;
    const mayWait = standing === 'early' || standing === 'unknown early' || standing === 'redriven';
    if (mayWait && waitMs > 0 && waitMs < SOON_MS) {
      judgement.soon += 1;
      continue;
    }
    judgement.done.add(arrival);
    if (standing === 'foreign') {
      judgement.foreign.push(arrival);
      continue;
    }
    const call = await seeTo(tx, arrival, { line, standing, context });
    judgement.calls.push(call);
    if (standing === 'early' && call.do === 'hide') early.push(arrival);
  }
  // Only the latest receipt shows it or deletes it, should an administrator not want to wait.
  await noteReceipts(tx, early.map(toReceived));
  judgement.due.sort((a, b) => dueSince.get(a)! - dueSince.get(b)!);
  return judgement;
}

/** Does what an arrival calls for that is not to be taken up, and answers what becomes of it on Amazon SQS. */
async function seeTo(
  tx: Transaction,
  arrival: OwnArrival,
  {
    line,
    standing,
    context,
  }: {
    line: ArrivalLine;
    standing: Exclude<Standing, 'due' | 'unknown' | 'foreign'>;
    context: ArrivalContext;
  },
): Promise<SqsCall> {
  const { receiptHandle, receivedAt, message } = arrival;
  const hide = (at: number): SqsCall => ({ do: 'hide', receiptHandle, receivedAt, at });
  switch (standing) {
    case 'early':
      // Amazon SQS would not hand it out once more, and nobody tried it this time: a new copy starts from zero.
      if (!line.isLeased && arrival.receives > 1 && arrival.receives >= context.maxReceives) {
        await forwardAnew(tx, [line.lineId], context.now);
        break;
      }
      return hide(line.availableAt ?? context.now);
    case 'unknown early':
      return hide(line.availableAt ?? context.now);
    case 'settled': {
      const movedBack = await readMovedBack(tx, message);
      if (movedBack !== undefined) await context.requeue(movedBack);
      break;
    }
    case 'redriven':
      if (line.availableAt !== null && line.availableAt > context.now) return hide(line.availableAt);
      await moveRedriven(tx, line.lineId, context);
      // Now this one may be the head.
      return hide(context.now);
    case 'follower':
      await forwardAnew(tx, [line.lineId], context.now);
      break;
    case 'copy':
      break;
  }
  return { do: 'delete', receiptHandle };
}

/** What is noted of an arrival that stays on the queue. */
export function toReceived({ message, receiptHandle, receivedAt, receives }: OwnArrival): ReceivedHead {
  return { lineId: message.lineId, receiptHandle, receivedAt, receives };
}

function firstOfEachLine(arrivals: readonly Arrival[], judgement: Judgement): Map<number, OwnArrival> {
  const firsts = new Map<number, OwnArrival>();
  for (const arrival of arrivals) {
    if (arrival.message === null) {
      judgement.foreign.push(arrival);
      judgement.done.add(arrival);
    } else if (!firsts.has(arrival.message.lineId)) {
      firsts.set(arrival.message.lineId, arrival as OwnArrival);
    }
  }
  return firsts;
}
