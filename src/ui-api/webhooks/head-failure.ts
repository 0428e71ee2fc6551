import type { Reader } from '../../database/database.ts';
import type { LineState } from '../../queue/message-queue.ts';
import { explanationOf } from '../../webhooks/health/last-failure.ts';

/** Why the head of a line is failing. Times are in epoch milliseconds. */
export interface HeadFailure {
  /** Failed attempts since the message was queued last. */
  attempts: number;
  /** When the first of them began; null if it is not known. */
  since: number | null;
  lastErrorMessage: string | null;
  /** The target's explanation, from its response. */
  explanation: string | null;
}

/** The history of a head that failed. */
export interface FailedHead {
  id: number;
  attempts: number;
  attempted_at: number | null;
  error: string | null;
  response_status: number | null;
  response_body: string | null;
}

/** Describes the failure of a head that blocks its line. `attempts` of its history include redeliveries. */
export async function readHeadFailure(
  reader: Pick<Reader, 'all'>,
  { receiveCount, inFlight }: Pick<NonNullable<LineState['head']>, 'receiveCount' | 'inFlight'>,
  failed: FailedHead,
): Promise<HeadFailure> {
  const attempts = Math.max(1, receiveCount - (inFlight ? 1 : 0));
  const first = failed.attempts - attempts + 1;
  return {
    attempts,
    since: (await readAttemptedAt(reader, failed.id, first)) ?? failed.attempted_at,
    lastErrorMessage: failed.error,
    explanation: explanationOf({ errorMessage: failed.error, delivery: failed }),
  };
}

/** When an attempt before the latest started, or null if it is no longer known. */
async function readAttemptedAt(
  reader: Pick<Reader, 'all'>,
  deliveryId: number,
  attempt: number,
): Promise<number | null> {
  const [row] = await reader.all<{ attempted_at: number }>(
    `select attempted_at from delivery_attempts where delivery_id = ? and attempt >= ?
     order by attempt limit 1`,
    deliveryId,
    attempt,
  );
  return row?.attempted_at ?? null;
}
