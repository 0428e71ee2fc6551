import type { Settings } from './settings-table.ts';

/** Where the queues are and what they are called. A null region or endpoint comes from the AWS environment or profile. */
export interface SqsPlace {
  messageQueueName: string;
  deadLetterQueueName: string;
  region: string | null;
  endpoint: string | null;
}

/** Where the settings say that the queues on Amazon SQS are. */
export function sqsPlaceOf(settings: Settings): SqsPlace {
  return {
    messageQueueName: settings.message_queue_name,
    deadLetterQueueName: settings.dead_letter_queue_name,
    region: settings.sqs_region,
    endpoint: settings.sqs_endpoint,
  };
}
