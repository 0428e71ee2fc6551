import type { Reader } from '../../database/database.ts';
import { postbackFailureReason } from '../history/postback-failure.ts';
import { type FailedDelivery, readLastFailed } from './health-store.ts';
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
 * an error of its own, so it is not used.
 * @param lastError the last error in the statistics, which a reset clears
 */
export async function readLastFailure(
  reader: Pick<Reader, 'query' | 'dialect'>,
  webhookId: number,
  lastError: string | null,
): Promise<LastFailure> {
  const failed = (await readLastFailed(reader, webhookId)) ?? null;
  const errorMessage = lastError ?? failed?.error ?? null;
  return { errorMessage, delivery: failed?.error === errorMessage ? failed : null };
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
