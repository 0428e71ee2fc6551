import type { MatchedWebhook } from '../src/webhooks/configuration/trigger-store.ts';
import { type DatedEvent, MessageBuilder } from '../src/webhooks/messages/message.ts';

/** The size is about 1 KB as a message. */
const EVENT: DatedEvent = {
  subtopic: 'REGISTRATION_STATUS_UPDATED',
  occurredAt: Date.UTC(2026, 0, 31, 12, 30),
  user: 'learner-00017',
  resource: {
    account: { id: 4_711, name: 'Northern Region: Production Sites and Warehouses', enabled: true },
    content: {
      course: {
        id: 815,
        name: 'Working Safely at Heights: Ladders, Scaffolds and Rescue Plans',
        version_id: 3,
        learning_standard: 'SCORM_2004_4TH_EDITION',
        location: ['Home', ...Array.from({ length: 8 }, (_, n) => `Occupational Safety, part ${n + 1}`)].join(
          ' > ',
        ),
      },
    },
    registration: {
      account_id: 4_711,
      registration_id: '019aee0d-36d5-7c11-a8c8-5b0e3a5a3f10',
      course_id: 815,
      learner_id: 'learner-00017',
      completion: 'Completed',
      success: 'PASS',
      score: 87.5,
      duration: 4_021,
      completion_dt: '2026-01-31T12:30:00.000Z',
    },
  },
};

/** The label of such messages in the queue. */
export const EXAMPLE_LABEL = EVENT.subtopic;

/** A postback of about 1 KB, built as the service builds it. */
export function exampleMessage(webhook: Pick<MatchedWebhook, 'id' | 'target_url'>): string {
  return new MessageBuilder(EVENT).build({
    name: 'Completions for the personnel system',
    topic: 'REGISTRATION',
    logging_mode: 'FULLONERROR',
    max_attempts: 10,
    ...webhook,
  });
}
