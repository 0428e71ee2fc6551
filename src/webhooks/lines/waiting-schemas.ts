import { type Static, Type } from 'typebox';
import { DateTime, Id, Nullable, READ_AS, TimeQuery } from '../../http/schemas.ts';
import { SubtopicMember } from '../configuration/webhook-schemas.ts';
import { Subject } from '../history/delivery-schemas.ts';
import { MessageMember } from '../messages/message-schemas.ts';

/** Default and maximum number of messages that one call purges. */
export const DEFAULT_PURGE_LIMIT = 1_000;
const MAX_PURGE_LIMIT = 10_000;

const waiting = {
  position: Id(
    'The place of the message in the order of its line. Numbers are not consecutive and never reused.',
  ),
  message_id: Type.String({ description: 'The header `webhook-id`, which is the same for all attempts.' }),
  subtopic: SubtopicMember,
  event_dt: DateTime('When the event occurred.'),
  attempts: Type.Integer({
    description: 'Number of attempts since it was queued. Only the head of a line is attempted.',
  }),
  in_flight: Type.Boolean({ description: 'Whether it is being delivered at the moment.' }),
  delivery_id: Nullable(
    Type.Integer({ description: 'The id of its delivery in the history. Null if it has none yet.' }),
  ),
  about: Subject,
};

/** A waiting message in a list. */
export const WaitingSummary = Type.Object(waiting, {
  title: 'WaitingMessage',
  description: 'A message that waits in the line of a webhook.',
});
export type WaitingSummary = Static<typeof WaitingSummary>;

/** A complete waiting message. */
export const WaitingRecord = Type.Object(
  { ...waiting, message: MessageMember('The body of the postback.') },
  {
    title: 'WaitingMessageDetails',
    description: 'A message that waits in the line of a webhook, with its body.',
  },
);
export type WaitingRecord = Static<typeof WaitingRecord>;

/** Which messages are purged. */
export const PurgeQuery = Type.Object({
  until_dt: TimeQuery(
    'Only messages of events that occurred before: ISO 8601 with a time zone. Defaults to all that wait.',
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PURGE_LIMIT,
      description: `Maximum number of messages. Defaults to ${DEFAULT_PURGE_LIMIT}. Of very large messages, one call takes fewer.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'The `next_cursor` of the previous call with the same `until_dt`.',
      [READ_AS]: 'pair-cursor',
    }),
  ),
});

/** The result of one call to purge. */
export const PurgeRecord = Type.Object(
  {
    purged: Type.Integer({ description: 'Number of discarded messages.' }),
    remaining: Type.Integer({
      description: 'Number of messages left for further calls, counted up to 10,000.',
    }),
    next_cursor: Nullable(Type.String({ description: 'Where the next call continues. Null at the end.' })),
  },
  { title: 'Purge', description: 'The result of a purge.' },
);
export type PurgeRecord = Static<typeof PurgeRecord>;
