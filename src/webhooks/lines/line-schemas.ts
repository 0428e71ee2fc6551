import { type Static, Type } from 'typebox';
import { Id, Nullable, OptionalDateTime } from '../../http/schemas.ts';
import { SubtopicMember } from '../configuration/webhook-schemas.ts';

/** A webhook's line. */
export const LineRecord = Type.Object(
  {
    webhook_id: Id('The webhook.'),
    state: Type.Enum(['EMPTY', 'DUE', 'IN_FLIGHT', 'RETRYING', 'PAUSED'], {
      title: 'LineState',
      description:
        'DUE: the head is about to be sent. RETRYING: the head failed and waits for its next attempt, or it cannot be read. ' +
        'PAUSED: the webhook is paused, or the settings of every instance turn delivery off.',
    }),
    depth: Type.Integer({ description: 'Number of waiting messages, including the head.' }),
    oldest_dt: OptionalDateTime('When the event of the head occurred.'),
    oldest_age: Nullable(Type.Number({ description: 'The age of that event in seconds.' })),
    head: Type.Union(
      [
        Type.Object(
          {
            message_id: Type.String(),
            subtopic: SubtopicMember,
            attempts: Type.Integer({
              description: 'Number of attempts since it was queued, including one in flight.',
            }),
            max_attempts: Type.Integer({
              description:
                'Effective attempts: the smaller of the webhook’s `max_attempts` and the limit of the queue. If the ' +
                'last one fails, the message is moved to the dead-letter queue. If it was lowered, and the head ' +
                'has already failed that often, the head is moved without another attempt, unless delivery is ' +
                'paused.',
            }),
            in_flight: Type.Boolean(),
            last_error_message: Nullable(Type.String()),
            unreadable: Nullable(
              Type.String({
                description:
                  'Why the head cannot be read from the database, so that the line waits. Skip the head, or repair the ' +
                  'database: the head is read again every 30 s. Null if it can be read.',
              }),
            ),
            next_attempt_dt: OptionalDateTime(
              'Null while the head is in flight or cannot be read, or delivery is paused.',
            ),
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
