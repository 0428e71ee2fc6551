import type { Reader } from '../../database/database.ts';
import { type FailedDelivery, readLastFailed } from './health-store.ts';

/** What failed last. */
export interface LastFailure {
  /** The text of the error, with the address; null if nothing is known. */
  errorMessage: string | null;
  /** The message that failed, if it is still known. */
  delivery: FailedDelivery | null;
}

/**
 * What a webhook failed with last. The message may have been removed or redelivered since. An older one says why it
 * failed itself, which is something else, so it is not used.
 * @param lastError the last error in the statistics, which a reset clears
 */
export async function readLastFailure(
  reader: Pick<Reader, 'query'>,
  webhookId: number,
  lastError: string | null,
): Promise<LastFailure> {
  const failed = (await readLastFailed(reader, webhookId)) ?? null;
  const errorMessage = lastError ?? failed?.error ?? null;
  return { errorMessage, delivery: failed?.error === errorMessage ? failed : null };
}
