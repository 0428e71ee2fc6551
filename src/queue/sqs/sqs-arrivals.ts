import type { Transaction } from '../../database/database.ts';
import type { QueueMessage } from '../message-queue.ts';
import { readMovedBack } from './sqs-dead-letter-statements.ts';
import { type ArrivalLine, adopt, readArrivalLines } from './sqs-head-statements.ts';
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
  /** Heads that are kept, since they will be due within a second. */
  soon: number;
  /** Sent by another program. */
  foreign: Arrival[];
}

/**
 * What an arrival is to its line:
 * - `due`: its head, and it may be taken up;
 * - `early`: the line waits, for a retry or because its head is out;
 * - `unknown`: the line does not hold it and has not settled it;
 * - `settled`: it was settled before, or it moved back from the dead-letter queue;
 * - `copy`: sent before the line was sent anew; another copy follows;
 * - `follower`: it arrived though its head did not, so the head has left the queue;
 * - `foreign`: another message has its place.
 */
type Standing = 'due' | 'early' | 'unknown' | 'settled' | 'copy' | 'follower' | 'foreign';

function standingOf({ message }: OwnArrival, line: ArrivalLine, now: number): Standing {
  if (line.messageId === null) {
    if (message.position <= line.settledTo || message.wasDead || !message.bodySent) return 'settled';
    return line.isLeased && line.availableAt !== null && line.availableAt > now ? 'early' : 'unknown';
  }
  if (line.messageId !== message.messageId) return 'foreign';
  if (line.availableAt !== null && line.availableAt > now) return 'early';
  if (line.head === message.position) return 'due';
  return message.generation === line.generation ? 'follower' : 'copy';
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
  for (const arrival of firsts.values()) {
    const line = lines.get(arrival.message.lineId)!;
    const standing = standingOf(arrival, line, now);
    if (standing === 'due' || standing === 'unknown') {
      if (standing === 'unknown') await adopt(tx, arrival.message, now);
      judgement.due.push(arrival);
      dueSince.set(arrival, standing === 'due' ? (line.availableAt ?? now) : now);
      continue;
    }
    if (standing === 'early' && (line.availableAt ?? now) - now < SOON_MS) {
      judgement.soon += 1;
      continue;
    }
    judgement.done.add(arrival);
    if (standing === 'foreign') judgement.foreign.push(arrival);
    else judgement.calls.push(await seeTo(tx, arrival, { line, standing, context }));
  }
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
    standing: 'early' | 'settled' | 'copy' | 'follower';
    context: ArrivalContext;
  },
): Promise<SqsCall> {
  const { receiptHandle, receivedAt, message } = arrival;
  switch (standing) {
    case 'early':
      return { do: 'hide', receiptHandle, receivedAt, at: line.availableAt ?? context.now };
    case 'settled': {
      const movedBack = await readMovedBack(tx, message);
      if (movedBack !== undefined) await context.requeue(movedBack);
      break;
    }
    case 'follower':
      // Handed out for the last time to a process that died: Amazon SQS has moved it. Then this one may be the head.
      if (line.isLeased && line.receives >= context.maxReceives) {
        await moveRedriven(tx, line.lineId, context);
        return { do: 'hide', receiptHandle, receivedAt, at: context.now };
      }
      await forwardAnew(tx, [line.lineId], context.now);
      break;
    case 'copy':
      break;
  }
  return { do: 'delete', receiptHandle };
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
