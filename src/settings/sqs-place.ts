import type { SqsPlace } from '../queue/sqs/sqs-api.ts';
import type { Settings } from './settings-table.ts';

/** Where the settings say that the queues on Amazon SQS are. */
export function sqsPlaceOf(settings: Settings): SqsPlace {
  return {
    messageQueueName: settings.message_queue_name,
    deadLetterQueueName: settings.dead_letter_queue_name,
    region: settings.sqs_region,
    endpoint: settings.sqs_endpoint,
  };
}
