import { type TSchema, Type } from 'typebox';
import {
  CONTENT_TYPES,
  SUBTOPIC_RULES,
  SUBTOPICS,
  type Subtopic,
  TOPICS,
  type Topic,
  topicOf,
} from '../../events/catalogue.ts';
import { DateTime, Nullable } from '../../http/schemas.ts';
import {
  DEFAULT_LOGGING_MODE,
  DEFAULT_MAX_ATTEMPTS,
  MAX_ATTEMPTS,
  MIN_ATTEMPTS,
} from '../configuration/webhook.ts';
import { MessageBuilder } from './message.ts';
import { SAMPLE_RESOURCES } from './sample-events.ts';

/** When the sample events occurred: 2026-01-31T09:42:10.123Z. */
const SAMPLE_MOMENT = 1_769_852_530_123;

const account = Type.Object({ id: Type.Integer(), name: Type.String(), enabled: Type.Boolean() });
const course = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  version_id: Type.Integer({ description: '0 after the import, then counting up.' }),
  learning_standard: Type.String(),
  location: Type.String({ description: "The folder path from the root, joined with ' > '." }),
});
const folder = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  location: Type.String({
    description: 'The path of the parent folder, without its own name. Empty for the root folder.',
  }),
  contents: Type.Array(
    Type.Object({ type: Type.Enum([...CONTENT_TYPES]), id: Type.Integer(), name: Type.String() }),
    { description: 'Exactly the content that was added or removed.' },
  ),
});
const bundle = Type.Object({ id: Type.Integer(), name: Type.String(), location: Type.String() });
const registrationMembers = {
  account_id: Type.Integer(),
  registration_id: Type.String(),
  course_id: Type.Integer(),
  learner_id: Type.String(),
};
const statusMembers = {
  completion: Type.Enum(['Completed', 'Incomplete', 'Unknown']),
  success: Type.Enum(['PASS', 'FAIL', 'UNKNOWN']),
  score: Nullable(Type.Number({ minimum: 0, maximum: 100 })),
  duration: Type.Integer({ description: 'In whole seconds.' }),
  completion_dt: Nullable(DateTime('When it was first completed.')),
};

const accountContent = Type.Object({
  account,
  content: Type.Object({ course: Type.Optional(course), folder, bundle: Type.Optional(bundle) }),
});
const withCourse = Type.Object({ content: Type.Object({ course }) });

const RESOURCE_SCHEMAS: Readonly<Record<Topic, TSchema>> = {
  ACCOUNT: Type.Object({ account }),
  ACCOUNT_CONTENT: accountContent,
  COURSE: withCourse,
  REGISTRATION: Type.Object({
    account,
    content: Type.Object({ course }),
    registration: Type.Object(registrationMembers),
  }),
};

function resourceSchema(subtopic: Subtopic): TSchema {
  if (subtopic !== 'REGISTRATION_STATUS_UPDATED') return RESOURCE_SCHEMAS[topicOf(subtopic)];
  return Type.Object({
    account,
    content: Type.Object({ course }),
    registration: Type.Object({ ...registrationMembers, ...statusMembers }),
  });
}

function messageSchema(subtopic: Subtopic): TSchema {
  return Type.Object({
    subscription_id: Type.Integer({ description: 'The id of the webhook.' }),
    name: Type.String({ description: 'The name of the webhook.' }),
    topic: Type.Enum([...TOPICS]),
    subtopic: Type.Literal(subtopic),
    resource: resourceSchema(subtopic),
    user: Type.String({
      description:
        'Who caused it: the e-mail address of an administrator or API client. For a launch, the id of the learner.',
    }),
    timestamp: DateTime('When the event occurred.'),
    target_url: Type.String(),
    logging_mode: Type.Enum(['NONE', 'SUMMARY', 'FULL', 'FULL_ON_ERROR']),
    max_attempts: Type.Integer({ minimum: MIN_ATTEMPTS, maximum: MAX_ATTEMPTS }),
  });
}

function sampleMessage(subtopic: Subtopic): unknown {
  const builder = new MessageBuilder({
    subtopic,
    resource: SAMPLE_RESOURCES[subtopic],
    user: subtopic === 'REGISTRATION_LAUNCHED' ? 'learner-4711' : 'integration@example.com',
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

/** The postbacks as OpenAPI 3.1 `webhooks`: one for each subtopic, with an example. */
export function describePostbacks(): Record<string, object> {
  return Object.fromEntries(
    SUBTOPICS.map((subtopic) => [
      subtopic,
      {
        post: {
          operationId: `postback_${subtopic.toLowerCase()}`,
          tags: ['Postbacks'],
          summary: `${SUBTOPIC_RULES[subtopic].occursWhen[0]?.toUpperCase()}${SUBTOPIC_RULES[subtopic].occursWhen.slice(1)}`,
          description:
            'Sent to the target of every webhook that matches the event, in order for each webhook. The header ' +
            '`Authorization` carries HTTP Basic credentials for webhooks of type BASIC.',
          parameters: [
            header(
              'webhook-id',
              'The same for all attempts of a message.',
              '01995f3e-7d0b-7c3e-9d2a-6b1f0c9a4e21',
            ),
            header(
              'webhook-timestamp',
              'When this attempt was made, in seconds since the Unix epoch.',
              '1769852530',
            ),
          ],
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
