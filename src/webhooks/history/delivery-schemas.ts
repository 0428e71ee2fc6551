import { type Static, Type } from 'typebox';
import { givenTime } from '../../http/given.ts';
import { PageQuery } from '../../http/paging.ts';
import { DateTime, Id, Nullable, READ_AS, TimeQuery } from '../../http/schemas.ts';
import { MAX_LEARNER_ID_LENGTH } from '../../text-lengths.ts';
import { SubtopicMember } from '../configuration/webhook-schemas.ts';
import { MessageMember } from '../messages/message-schemas.ts';
import type { DeliveryFilter } from './delivery-filter.ts';
import { DELIVERY_STATUSES, type DeliveryStatus, STATUS_REASONS } from './delivery-status.ts';

/** Default and maximum number of messages that one call redelivers. */
export const DEFAULT_REDELIVER_LIMIT = 1_000;
const MAX_REDELIVER_LIMIT = 10_000;
const MAX_REDELIVER_IDS = 200;

const Status = Type.Enum([...DELIVERY_STATUSES], {
  title: 'DeliveryStatus',
  description:
    'RETRYING: an attempt failed and another will follow. QUEUED: redelivered manually, not attempted since. The others are final until someone redelivers the message.',
});

const named = (title: string, description: string) =>
  Type.Union([Type.Object({ id: Type.Integer(), name: Type.String() }, { title, description }), Type.Null()]);

/** Whom and what a message is about. */
export const Subject = Type.Object(
  {
    account: named('SubjectAccount', 'The account, with its name at the time of the event.'),
    course: named('SubjectCourse', 'The course, with its name at the time of the event.'),
    learner_id: Nullable(Type.String()),
    registration_id: Nullable(Type.String()),
    content: Type.Union(
      [
        Type.Object(
          { type: Type.String(), id: Type.Integer(), name: Type.String() },
          { title: 'SubjectContent', description: 'What was added to an account or removed from it.' },
        ),
        Type.Null(),
      ],
      { description: 'The first asset that was added or removed.' },
    ),
    content_count: Type.Integer({
      description: 'How many assets were added to an account or removed from it. 0 for other events.',
    }),
  },
  {
    title: 'DeliverySubject',
    description:
      'Whom and what the message is about. Of messages of more than 32,768 characters, only the account and the content.',
  },
);

const summary = {
  id: Id('The id of the delivery.'),
  webhook_id: Id('The webhook.'),
  message_id: Type.String({ description: 'The header `webhook-id`, which is the same for all attempts.' }),
  subtopic: SubtopicMember,
  status: Status,
  status_reason: Nullable(
    Type.String({ description: `Why it was dead-lettered or discarded: ${STATUS_REASONS.join(', ')}.` }),
  ),
  attempts: Type.Integer({ description: 'Number of attempts, including redeliveries.' }),
  event_dt: DateTime('When the event occurred.'),
  updated_dt: DateTime('When the delivery was last changed.'),
  duration_ms: Nullable(Type.Integer({ description: 'Duration of the latest attempt.' })),
  response_status: Nullable(Type.Integer({ description: 'HTTP status code of the latest response.' })),
  error: Nullable(Type.String({ description: 'Why the latest attempt failed.' })),
  about: Subject,
};

/** A delivery in a list. */
export const DeliverySummary = Type.Object(summary, {
  title: 'Delivery',
  description: 'A message and its outcome.',
});
export type DeliverySummary = Static<typeof DeliverySummary>;

const HeaderMember = Type.Object(
  { name: Type.String(), value: Type.String() },
  {
    title: 'AttemptHeader',
    description: 'A header of an attempt. Anything that looks like a credential is replaced by `[censored]`.',
  },
);

function headersMember(description: string) {
  return Type.Union([Type.Array(HeaderMember), Type.Null()], { description });
}

/** A complete delivery. */
export const DeliveryRecord = Type.Object(
  {
    ...summary,
    message: MessageMember('The body of the postback.'),
    attempt_history: Type.Array(
      Type.Object(
        {
          attempt: Type.Integer(),
          attempted_dt: DateTime('When it started.'),
          duration_ms: Type.Integer(),
          response_status: Nullable(Type.Integer()),
          response_body: Nullable(
            Type.String({ description: 'The first 8,192 characters of the response body.' }),
          ),
          error: Nullable(Type.String()),
          resent: Type.Boolean({
            description:
              'Whether the request was sent twice because the target closed an idle connection while the request was being ' +
              'written. This happens at most once per message.',
          }),
          request_headers: headersMember(
            "The headers of the request. Null if the webhook's logging mode omits them: FULL keeps those of every attempt, " +
              'FULLONERROR those of failed ones.',
          ),
          response_headers: headersMember(
            'The headers of the response, kept as those of the request. Null also if there was no response.',
          ),
        },
        { title: 'DeliveryAttempt', description: 'An attempt to deliver a message.' },
      ),
      { description: 'The latest 100 attempts, in order.' },
    ),
  },
  { title: 'DeliveryDetails', description: 'The outcome of a message, with its attempts.' },
);
export type DeliveryRecord = Static<typeof DeliveryRecord>;
export type DeliveryAttempt = DeliveryRecord['attempt_history'][number];

const MAX_MESSAGE_ID_LENGTH = 255;
const FIRST_STATUS_CODE = 100;
const LAST_STATUS_CODE = 999;

const filterMembers = {
  subtopic: Type.Optional(
    Type.Array(SubtopicMember, { description: 'Only messages of this event. Can be repeated.' }),
  ),
  message_id: Type.Optional(
    Type.String({
      maxLength: MAX_MESSAGE_ID_LENGTH,
      description: 'Only the message with this `webhook-id`.',
    }),
  ),
  response_status: Type.Optional(
    Type.Array(Type.Integer({ minimum: FIRST_STATUS_CODE, maximum: LAST_STATUS_CODE }), {
      description: 'Only deliveries whose latest response had this status code. Can be repeated.',
    }),
  ),
  account_id: Type.Optional(Id('Only messages about this account.')),
  course_id: Type.Optional(Id('Only messages about this course.')),
  learner_id: Type.Optional(
    Type.String({ maxLength: MAX_LEARNER_ID_LENGTH, description: 'Only messages about this learner.' }),
  ),
  from_dt: TimeQuery('Only events that occurred then or later: ISO 8601 with a time zone.'),
  until_dt: TimeQuery('Only events that occurred before: ISO 8601 with a time zone.'),
};
/** The members that select deliveries. */
export const FilterQuery = Type.Object(filterMembers, { additionalProperties: false });

/** The filter that a request names. */
export function deliveryFilter(
  query: Static<typeof FilterQuery> & { status?: DeliveryStatus[] },
): DeliveryFilter {
  const given = {
    statuses: query.status,
    subtopics: query.subtopic,
    // A UUID may be written with capitals (RFC 9562 section 4).
    messageId: query.message_id?.toLowerCase(),
    responseStatuses: query.response_status,
    accountId: query.account_id,
    courseId: query.course_id,
    learnerId: query.learner_id,
    from: givenTime(query.from_dt) ?? undefined,
    until: givenTime(query.until_dt) ?? undefined,
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** The query of a list. */
export const DeliveriesQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(
    Type.Array(Status, { description: 'Only deliveries with this status. Can be repeated.' }),
  ),
  ...filterMembers,
});

/** How many messages one call redelivers or removes. */
const StepLimit = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: MAX_REDELIVER_LIMIT,
    description: `Maximum number of messages. Defaults to ${DEFAULT_REDELIVER_LIMIT}. Of very large messages, one call takes fewer.`,
  }),
);

/** Where a call continues the previous one. */
const StepCursor = Type.Optional(
  Type.String({
    maxLength: 200,
    description: 'The `next_cursor` of the previous call with the same filter.',
    [READ_AS]: 'cursor',
  }),
);

/** Which deliveries are redelivered. */
export const RedeliverQuery = Type.Object({
  status: Type.Optional(
    Type.Array(Type.Enum(['DEAD_LETTERED', 'DISCARDED'], { title: 'UndeliveredStatus' }), {
      minItems: 1,
      description:
        'Only deliveries with this status. Can be repeated. Defaults to both, except for messages that someone discarded (PURGED, REMOVED).',
    }),
  ),
  limit: StepLimit,
  delivery_id: Type.Optional(
    Type.Array(Id(), {
      minItems: 1,
      maxItems: MAX_REDELIVER_IDS,
      description:
        'Only these deliveries, including delivered ones unless `status` is given. Messages that are already waiting ' +
        'are skipped. Can be repeated. Cannot be combined with members other than `status`.',
    }),
  ),
  ...filterMembers,
  cursor: StepCursor,
});

/** The result of one call to redeliver. */
export const RedeliverRecord = Type.Object(
  {
    redelivered: Type.Integer({ description: 'Number of redelivered messages.' }),
    remaining: Type.Integer({
      description:
        'Number of messages with these statuses that have not been examined, counted up to 10,000. If it is not 0, repeat the call ' +
        'with the `next_cursor`.',
    }),
    next_cursor: Nullable(
      Type.String({
        description:
          'Where the next call continues: one call examines at most 2,000 messages, or `limit` if that is more and there is no filter but ' +
          '`status`. Null at the end.',
      }),
    ),
  },
  { title: 'Redelivery', description: 'The result of a redelivery.' },
);

/** Which dead letters are removed. */
export const RemoveQuery = Type.Object({
  limit: StepLimit,
  delivery_id: Type.Optional(
    Type.Array(Id(), {
      minItems: 1,
      maxItems: MAX_REDELIVER_IDS,
      description:
        'Only these deliveries. Those that are not dead letters are skipped. Can be repeated. Cannot be combined with other members.',
    }),
  ),
  ...filterMembers,
  cursor: StepCursor,
});

/** The result of one call to remove. */
export const RemoveRecord = Type.Object(
  {
    removed: Type.Integer({ description: 'Number of removed dead letters.' }),
    remaining: Type.Integer({
      description: 'Number of dead letters that have not been examined, counted up to 10,000.',
    }),
    next_cursor: Nullable(
      Type.String({
        description:
          'Where the next call continues, because one call examines at most 2,000 messages. Null at the end.',
      }),
    ),
  },
  { title: 'DeadLetterRemoval', description: 'The result of a removal.' },
);
