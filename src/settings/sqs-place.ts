import type { Settings } from './settings-table.ts';

/** The place and names of the queues. A null region or endpoint comes from the AWS environment or profile. */
export interface SqsPlace {
  messageQueueName: string;
  deadLetterQueueName: string;
  region: string | null;
  endpoint: string | null;
}

/** The place of the queues on Amazon SQS according to the settings. */
export function sqsPlaceOf(settings: Settings): SqsPlace {
  return {
    messageQueueName: settings.message_queue_name,
    deadLetterQueueName: settings.dead_letter_queue_name,
    region: settings.sqs_region,
    endpoint: settings.sqs_endpoint,
  };
}
