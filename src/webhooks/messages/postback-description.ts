import { SUBTOPIC_RULES, SUBTOPICS, type Subtopic, topicOf } from '../../events/catalogue.ts';
import { DEFAULT_LOGGING_MODE, DEFAULT_MAX_ATTEMPTS } from '../configuration/webhook.ts';
import { MessageBuilder } from './message.ts';
import { messageName, messageSchema } from './message-schemas.ts';
import { SAMPLE_RESOURCES, sampleUser } from './sample-events.ts';

/** When the sample events occurred: 2026-01-31T09:42:10.123Z. */
const SAMPLE_MOMENT = 1_769_852_530_123;

function sampleMessage(subtopic: Subtopic): unknown {
  const builder = new MessageBuilder({
    subtopic,
    resource: SAMPLE_RESOURCES[subtopic],
    user: sampleUser(subtopic, 'integration@example.com'),
    occurredAt: SAMPLE_MOMENT,
  });
  return JSON.parse(
    builder.build({
      id: 1,
      name: 'To the learning record store',
      topic: topicOf(subtopic),
      target_url: 'https://example.com/postbacks',
      logging_mode: DEFAULT_LOGGING_MODE,
      max_attempts: DEFAULT_MAX_ATTEMPTS,
    }),
  );
}

const header = (name: string, description: string, example: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
  example,
});

/** The header fields of postbacks, except `Authorization`. */
const HEADER_FIELDS = [
  header('webhook-id', 'The same for all attempts of a message.', '01995f3e-7d0b-7c3e-9d2a-6b1f0c9a4e21'),
  header('webhook-timestamp', 'When this attempt was made, in seconds since the Unix epoch.', '1769852530'),
  {
    ...header(
      'webhook-signature',
      'Signatures of id, timestamp and body (Standard Webhooks), if the webhook has a signing secret.',
      'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
    ),
    required: false,
  },
  {
    ...header('webhook-test', '`true` for a test message, whose data is made up.', 'true'),
    required: false,
  },
  {
    ...header(
      'traceparent',
      'The place of the attempt in a trace (W3C Trace Context), if the service sends traces.',
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    ),
    required: false,
  },
  {
    ...header(
      'tracestate',
      'Data of the tracing system beside `traceparent`, if there is any.',
      'vendor=b7ad6b7169203331',
    ),
    required: false,
  },
];

/** The postbacks as OpenAPI 3.1 `webhooks`: one for each subtopic, with an example. */
export function describePostbacks(): Record<string, object> {
  return Object.fromEntries(
    SUBTOPICS.map((subtopic) => [
      subtopic,
      {
        post: {
          operationId: `receive${messageName(subtopic)}`,
          tags: ['Postbacks'],
          summary: `${SUBTOPIC_RULES[subtopic].occursWhen[0]?.toUpperCase()}${SUBTOPIC_RULES[subtopic].occursWhen.slice(1)}`,
          description:
            'Sent to the target of every webhook that matches the event, in order for each webhook, and at least once: handle ' +
            'each `webhook-id` only once. The header `Authorization` has HTTP Basic credentials for webhooks of type BASIC.',
          parameters: HEADER_FIELDS,
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: messageSchema(subtopic), example: sampleMessage(subtopic) },
            },
          },
          responses: {
            '2XX': { description: 'Delivered. The next message of the webhook is sent.' },
            default: {
              description: 'Failed. The message is sent again after a delay, and later messages wait for it.',
            },
          },
          security: [],
        },
      },
    ]),
  );
}
