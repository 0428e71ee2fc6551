import { createHash } from 'node:crypto';
import type { Logger } from '../../observability/log.ts';
import type { SqsApi } from './sqs-api.ts';
import type { Arrival } from './sqs-receivers.ts';
import type { SqsSettler } from './sqs-settler.ts';

/**
 * Moves messages that this service did not send to the dead-letter queue, where a person finds them: left where they
 * are, they would come again and again. What fails here is tried again when they do.
 */
export async function removeForeign(
  arrivals: readonly Arrival[],
  { api, settler, log }: { api: SqsApi; settler: SqsSettler; log: Logger },
): Promise<void> {
  for (const { receiptHandle, groupId, body } of arrivals) {
    log.warn('Amazon SQS: a message of another program is moved to the dead-letter queue', {
      message_group: groupId,
    });
    const deduplicationId = createHash('sha256').update(`${groupId}\n${body}`).digest('hex');
    try {
      const [failed] = await api.send('dead letters', [{ body, groupId, deduplicationId, attributes: {} }]);
      if (failed === null) settler.add([{ do: 'delete', receiptHandle }]);
    } catch (error) {
      log.warn('Amazon SQS: it could not be moved; it is tried again when it comes again', {
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }
}
