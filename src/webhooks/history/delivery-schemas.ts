import { type Static, Type } from 'typebox';
import { PageQuery } from '../../http/paging.ts';
import { DateTime, Id, Nullable, OptionalDateTime } from '../../http/schemas.ts';
import { SubtopicMember } from '../configuration/webhook-schemas.ts';
import { MessageMember } from '../messages/message-schemas.ts';
import { DELIVERY_STATUSES, STATUS_REASONS } from './delivery-history.ts';

/** Messages that one call sends again when it names no limit, and at most. */
export const DEFAULT_REDELIVER_LIMIT = 1_000;
const MAX_REDELIVER_LIMIT = 10_000;

const Status = Type.Enum([...DELIVERY_STATUSES], {
  title: 'DeliveryStatus',
  description:
    'RETRYING: an attempt failed and another will follow. QUEUED: requeued manually, not attempted since. The others are final.',
});

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
};

/** A delivery in a list. */
export const DeliverySummary = Type.Object(summary, {
  title: 'Delivery',
  description: 'A message and its outcome.',
});
export type DeliverySummary = Static<typeof DeliverySummary>;

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
              'Whether the request was sent twice because the target closed a kept-alive connection while it was being ' +
              'written. This happens at most once per message.',
          }),
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

/** Which deliveries a list is of. */
export const DeliveriesQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(
    Type.Array(Status, { description: 'Only deliveries with this status. Can be repeated.' }),
  ),
});

/** Which deliveries are sent again. */
export const RedeliverQuery = Type.Object({
  status: Type.Optional(
    Type.Array(Type.Enum(['DEAD_LETTERED', 'DISCARDED']), {
      minItems: 1,
      description: 'Only deliveries with this status. Can be repeated. Defaults to both.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_REDELIVER_LIMIT,
      description: `Maximum number of messages. Defaults to ${DEFAULT_REDELIVER_LIMIT}.`,
    }),
  ),
});

/** What such a call did. */
export const RedeliverRecord = Type.Object(
  {
    redelivered: Type.Integer({ description: 'The requeued messages, in order.' }),
    remaining: Type.Integer({
      description:
        'How many messages with these statuses remain, counted up to 10,000. If not 0, call again.',
    }),
  },
  { title: 'Redelivery', description: 'What sending messages again did.' },
);

/** A webhook's line. */
export const LineRecord = Type.Object(
  {
    webhook_id: Id('The webhook.'),
    state: Type.Enum(['EMPTY', 'DUE', 'IN_FLIGHT', 'RETRYING', 'PAUSED'], {
      title: 'LineState',
      description:
        'DUE: the head is about to be sent. RETRYING: the head failed and waits for its next attempt. ' +
        'PAUSED: the webhook is paused, or the settings of the service turn delivery off.',
    }),
    depth: Type.Integer({ description: 'Number of waiting messages, including the head.' }),
    oldest_dt: OptionalDateTime('When the event of the head occurred.'),
    oldest_age: Nullable(Type.Number({ description: 'The same, as an age in seconds.' })),
    head: Type.Union(
      [
        Type.Object(
          {
            message_id: Type.String(),
            subtopic: SubtopicMember,
            attempts: Type.Integer({ description: 'Attempts started.' }),
            in_flight: Type.Boolean(),
            last_error_message: Nullable(Type.String()),
            next_attempt_dt: OptionalDateTime('Null while the head is in flight or delivery is paused.'),
          },
          { title: 'LineHead', description: 'The first message of a line.' },
        ),
        Type.Null(),
      ],
      { description: 'The first message of the line. All others wait for it.' },
    ),
  },
  { title: 'Line', description: 'The line of a webhook: its ordered queue of waiting messages.' },
);
export type LineRecord = Static<typeof LineRecord>;

/** Guards an action on the head of a line. */
export const HeadQuery = Type.Object({
  message_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Act only if this message is still the head; otherwise the response is 409.',
    }),
  ),
});

/** The result of a test message. */
export const TestRecord = Type.Object(
  {
    delivered: Type.Boolean(),
    response_status: Nullable(Type.Integer()),
    response_body: Nullable(Type.String()),
    error: Nullable(Type.String()),
    duration_ms: Type.Integer(),
    message: MessageMember('The message that was sent.'),
  },
  { title: 'TestResult', description: 'The response of the target to a test message.' },
);
export type TestRecord = Static<typeof TestRecord>;
