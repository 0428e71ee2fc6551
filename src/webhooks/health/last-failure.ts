import type { Reader } from '../../database/database.ts';
import { postbackFailureReason } from '../history/postback-failure.ts';
import { type FailedDelivery, type LastFailedDelivery, readLastFailed } from './health-store.ts';
import { responseExplanation } from './response-explanation.ts';

/** The last failure of a webhook. */
export interface LastFailure {
  /** The text of the error, with the address; null if nothing is known. */
  errorMessage: string | null;
  /** The message that failed, if it is still known. */
  delivery: FailedDelivery | null;
}

/**
 * The last failure of a webhook. Its message may have been removed or redelivered since. An older message failed with
 * an error of its own, so it is not used, even if the texts are the same: the target's responses may differ.
 * @param lastError the last error in the statistics, which a reset clears
 */
export async function readLastFailure(
  reader: Pick<Reader, 'query' | 'dialect'>,
  webhookId: number,
  lastError: string | null,
): Promise<LastFailure> {
  const found = await readLastFailed(reader, webhookId);
  const failed = found !== undefined && failedLast(found) ? found : null;
  const errorMessage = lastError ?? failed?.error ?? null;
  return { errorMessage, delivery: failed?.error === errorMessage ? failed : null };
}

/**
 * Whether the latest attempt of a message is the last one of its webhook that failed. After a reset of the statistics,
 * it is at least one of the current failures. One that ended before a reset may count from the reset on.
 */
function failedLast({
  ended_at: endedAt,
  last_error_at: lastErrorAt,
  failing_since: failingSince,
  valid_from: validFrom,
}: LastFailedDelivery): boolean {
  if (lastErrorAt !== null) return Math.max(endedAt, validFrom) === lastErrorAt;
  return failingSince === null || endedAt >= failingSince;
}

/**
 * What the target said about it, as one line; null if it said nothing, or its response is no longer known.
 * @param censored removes secrets
 */
export function explanationOf(
  {
    errorMessage,
    delivery,
  }: {
    errorMessage: string | null;
    delivery: Pick<FailedDelivery, 'response_status' | 'response_body'> | null;
  },
  censored?: (text: string) => string,
): string | null {
  if (delivery === null || errorMessage === null) return null;
  const { response_status: status, response_body: body } = delivery;
  return responseExplanation({ status, body, reason: postbackFailureReason(errorMessage) }, censored);
}
