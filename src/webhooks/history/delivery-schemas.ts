import { Type } from 'typebox';
import { SUBTOPICS } from '../../events/catalogue.ts';
import { PageQuery } from '../../http/paging.ts';
import { DateTime, Id, Nullable, OptionalDateTime } from '../../http/schemas.ts';
import { DELIVERY_STATUSES, STATUS_REASONS } from './delivery-history.ts';

/** Messages that one call sends again when it names no limit, and at most. */
export const DEFAULT_REDELIVER_LIMIT = 1_000;
const MAX_REDELIVER_LIMIT = 10_000;

const Status = Type.Enum([...DELIVERY_STATUSES], {
  description:
    'RETRYING: an attempt failed, another follows. QUEUED: sent again by hand, not tried since. The others are final.',
});

const summary = {
  id: Id('The delivery’s id.'),
  webhook_id: Id('The webhook.'),
  message_id: Type.String({ description: 'The header `webhook-id`: the same over all attempts.' }),
  subtopic: Type.Enum([...SUBTOPICS]),
  status: Status,
  status_reason: Nullable(
    Type.String({ description: `Why it was dead-lettered or discarded: ${STATUS_REASONS.join(', ')}.` }),
  ),
  attempts: Type.Integer({ description: 'Attempts made, over redeliveries.' }),
  event_dt: DateTime('When the event occurred.'),
  updated_dt: DateTime('When this last changed.'),
  duration_ms: Nullable(Type.Integer({ description: 'How long the latest attempt took.' })),
  response_status: Nullable(Type.Integer({ description: 'HTTP status of the latest answer.' })),
  error: Nullable(Type.String({ description: 'Why the latest attempt failed.' })),
};

/** A delivery in a list. */
export const DeliverySummary = Type.Object(summary, { description: 'What became of a message.' });

/** A delivery, whole. */
export const DeliveryRecord = Type.Object(
  {
    ...summary,
    message: Type.Unknown({ description: 'The postback body.' }),
    attempt_history: Type.Array(
      Type.Object({
        attempt: Type.Integer(),
        attempted_dt: DateTime('When it began.'),
        duration_ms: Type.Integer(),
        response_status: Nullable(Type.Integer()),
        response_body: Nullable(
          Type.String({ description: 'What the target answered, its first 8,192 characters.' }),
        ),
        error: Nullable(Type.String()),
        resent: Type.Boolean({
          description:
            'Whether the request was sent twice: the target closed a kept connection as the request was written. ' +
            'That happens once a message at most.',
        }),
      }),
      { description: 'The latest attempts, up to 100, in order.' },
    ),
  },
  { description: 'What became of a message, with its attempts.' },
);

/** Which deliveries a list is of. */
export const DeliveriesQuery = Type.Object({
  ...PageQuery.properties,
  status: Type.Optional(Type.Array(Status, { description: 'Only these; may be repeated.' })),
});

/** Which deliveries are sent again. */
export const RedeliverQuery = Type.Object({
  status: Type.Optional(
    Type.Array(Type.Enum(['DEAD_LETTERED', 'DISCARDED']), {
      minItems: 1,
      description: 'Only these; may be repeated. Both when left out.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_REDELIVER_LIMIT,
      description: `How many at most; ${DEFAULT_REDELIVER_LIMIT} when left out.`,
    }),
  ),
});

/** What such a call did. */
export const RedeliverRecord = Type.Object({
  redelivered: Type.Integer({ description: 'Messages that were queued again, in their order.' }),
  remaining: Type.Integer({ description: 'Messages of these statuses that are left: call again.' }),
});

/** A webhook's line. */
export const LineRecord = Type.Object(
  {
    webhook_id: Id('The webhook.'),
    state: Type.Enum(['EMPTY', 'DUE', 'IN_FLIGHT', 'RETRYING', 'PAUSED'], {
      description:
        'DUE: the head is about to be taken up. RETRYING: it failed and waits for its next attempt. ' +
        'PAUSED: the service delivers nothing (its settings say so).',
    }),
    depth: Type.Integer({ description: 'Messages that wait, the head included.' }),
    oldest_dt: OptionalDateTime('When the event of the head occurred.'),
    oldest_age: Nullable(Type.Number({ description: 'The same as an age in seconds.' })),
    head: Type.Union(
      [
        Type.Object({
          message_id: Type.String(),
          subtopic: Type.Enum([...SUBTOPICS]),
          attempts: Type.Integer({ description: 'Attempts begun.' }),
          in_flight: Type.Boolean(),
          last_error_message: Nullable(Type.String()),
          next_attempt_dt: OptionalDateTime('Null while in flight or paused.'),
        }),
        Type.Null(),
      ],
      { description: 'The message whose turn it is; those behind it wait for it.' },
    ),
  },
  { description: 'The messages that wait for a webhook.' },
);

/** Guards an action on the head of a line. */
export const HeadQuery = Type.Object({
  message_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only if this message is the head still; otherwise 409.' }),
  ),
});

/** What came of a test message. */
export const TestRecord = Type.Object(
  {
    delivered: Type.Boolean(),
    response_status: Nullable(Type.Integer()),
    response_body: Nullable(Type.String()),
    error: Nullable(Type.String()),
    duration_ms: Type.Integer(),
    message: Type.Unknown({ description: 'The message that was sent.' }),
  },
  { description: 'What the target answered to a test message.' },
);
