import type { Reader, Transaction } from '../../database/database.ts';
import { sent } from '../../database/sent.ts';
import { STEP_BYTES } from '../../database/step-bytes.ts';
import type { QueuedMessage, Settled, Settlement } from '../message-queue.ts';
import { insertDeadLetters } from './dead-letter-statements.ts';
import {
  advanceLines,
  type LeasedLine,
  lockLeasedLines,
  type NextLease,
  postponeLines,
} from './lease-statements.ts';
import { subtractFromLine } from './line-statements.ts';
import { deleteMessages, readFirstSizes } from './message-statements.ts';
import { readFirstOfLocked } from './unreadable-messages.ts';

/**
 * Maximum number of messages that are discarded together with a head. This limits the duration of the transaction,
 * during which others wait.
 */
const MAX_FOLLOWERS_DISCARDED = 500;

/** Options of settling. */
export interface SettlingOptions {
  now: number;
  /** Reads outside of the transaction. */
  reader: Reader;
  /** Whether the engine also places dead letters on another queue. */
  placesDeadLetters: boolean;
  /** Whether settled messages stay in the table for now. */
  deletesLater: boolean;
  /** The lease for messages behind deleted ones. */
  nextLease: NextLease;
  nextLimit: number;
}

/** The result of settling. */
export interface SettledBatch<S extends Settlement> {
  /** The settlements that took effect. */
  settled: Settled<S>[];
  /** The positions of the messages that left their lines. */
  gone: number[];
  /** The lines that the settled messages were in. */
  lineIds: number[];
  /** The lines whose next message was leased. */
  continued: number[];
}

/**
 * Settles messages. Of several settlements of one line, only the first takes effect, because it ends the lease. The
 * lines are locked until the transaction ends. Statements that are independent of each other are sent together.
 */
export async function settle<S extends Settlement>(
  tx: Transaction,
  settlements: readonly S[],
  { now, reader, placesDeadLetters, deletesLater, nextLease, nextLimit }: SettlingOptions,
): Promise<SettledBatch<S>> {
  const { effective, lines } = await stillHeld(tx, settlements);
  const continued = effective
    .filter(({ action, message }) => action === 'delete' && lines.get(message.lineId)!.pending > 1)
    .slice(0, nextLimit)
    .map(({ message }) => message.lineId);
  const continuedLines = new Set(continued);
  const leaving = effective.filter((settlement) => !staysInLine(settlement));
  const gone = positionsOf(leaving);
  const heads = leaving.map(({ message }) => ({
    lineId: message.lineId,
    doneTo: deletesLater ? message.position : null,
    nextLease: continuedLines.has(message.lineId) ? nextLease : null,
  }));
  const staying = effective.filter(staysInLine).map((settlement) => ({
    lineId: settlement.message.lineId,
    availableAt: settlement.availableAt ?? now,
    uncounted: settlement.action === 'release',
  }));
  const dead = effective.filter((settlement) => settlement.action === 'dead-letter');
  const writes: Promise<void>[] = [];
  if (heads.length > 0) writes.push(advanceLines(tx, heads, now));
  if (staying.length > 0) writes.push(postponeLines(tx, staying));
  if (dead.length > 0)
    writes.push(insertDeadLetters(tx, positionsOf(dead), { now, arePlaced: placesDeadLetters }));
  if (gone.length > 0 && !deletesLater) writes.push(deleteMessages(tx, gone));
  await sent(tx, writes);
  const lineIds = effective.map(({ message }) => message.lineId);
  return { settled: await discardFollowers(tx, reader, effective), gone, lineIds, continued };
}

/**
 * Discards the followers of discarded heads, and returns each settlement with the messages that were discarded with it.
 * Followers that are too large to be read together are discarded with the next heads.
 */
async function discardFollowers<S extends Settlement>(
  tx: Transaction,
  reader: Reader,
  effective: readonly S[],
): Promise<Settled<S>[]> {
  const settled: Settled<S>[] = [];
  let bytesLeft = STEP_BYTES;
  for (const settlement of effective) {
    const { discarded, bytes } =
      settlement.action === 'discard' && settlement.followersBefore > 0
        ? await discardRun(tx, settlement.message.lineId, {
            reader,
            before: settlement.followersBefore,
            bytesLeft,
          })
        : { discarded: [], bytes: 0 };
    bytesLeft -= bytes;
    settled.push({ settlement, discarded });
  }
  return settled;
}

/**
 * Discards the messages at the front of a line whose events occurred before a given time, as many as fit into
 * `bytesLeft`. Returns these messages, and how many bytes were read.
 */
async function discardRun(
  tx: Transaction,
  lineId: number,
  { reader, before, bytesLeft }: { reader: Reader; before: number; bytesLeft: number },
): Promise<{ discarded: QueuedMessage[]; bytes: number }> {
  let bytes = 0;
  const positions: number[] = [];
  for (const size of await readFirstSizes(tx, lineId, MAX_FOLLOWERS_DISCARDED)) {
    if (bytes + size.bytes > bytesLeft) break;
    bytes += size.bytes;
    positions.push(size.position);
  }
  const [next, last] = [positions[0], positions.at(-1)];
  if (next === undefined || last === undefined) return { discarded: [], bytes };
  const part = { after: next - 1, through: last };
  const first = await readFirstOfLocked(tx, reader, lineId, positions.length, part);
  const end = first.findIndex(({ occurredAt }) => occurredAt >= before);
  const discarded = end === -1 ? first : first.slice(0, end);
  if (discarded.length === 0) return { discarded, bytes };
  await deleteMessages(
    tx,
    discarded.map((message) => message.position),
  );
  await subtractFromLine(tx, lineId, discarded.length);
  return { discarded, bytes };
}

/** The settlements whose lease is still valid, and their lines. */
async function stillHeld<S extends Settlement>(
  tx: Transaction,
  settlements: readonly S[],
): Promise<{ effective: S[]; lines: ReadonlyMap<number, LeasedLine> }> {
  const lines = await lockLeasedLines(
    tx,
    settlements.map(({ message }) => message),
  );
  const settled = new Set<number>();
  const effective = settlements.filter(({ message: { lineId, leaseToken } }) => {
    if (lines.get(lineId)?.leaseToken !== leaseToken || settled.has(lineId)) return false;
    settled.add(lineId);
    return true;
  });
  return { effective, lines };
}

function staysInLine<S extends Settlement>(settlement: S): settlement is S & { action: 'retry' | 'release' } {
  return settlement.action === 'retry' || settlement.action === 'release';
}

function positionsOf(settlements: readonly Settlement[]): number[] {
  return settlements.map((settlement) => settlement.message.position);
}
