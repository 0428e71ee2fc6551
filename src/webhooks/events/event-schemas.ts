import { type Static, Type } from 'typebox';
import { ASSET_TYPES, SUBTOPICS } from '../../events/catalogue.ts';
import { PageQuery } from '../../http/paging.ts';
import {
  DateTime,
  describedAs,
  Id,
  Nullable,
  OptionalDateTime,
  SearchedText,
  TimeQuery,
} from '../../http/schemas.ts';
import { SubtopicMember, TopicMember } from '../configuration/webhook-schemas.ts';
import { DELIVERY_STATUSES, STATUS_REASONS } from '../history/delivery-status.ts';
import { ResourceMember } from '../messages/message-schemas.ts';
import { UNMATCHED_REASONS } from './event-matching.ts';

/** Maximum number of assets of an event in a list; a message can have hundreds. */
export const MAX_CONTENT_SHOWN = 20;

/** Which events are listed. */
export const EventsQuery = Type.Object({
  ...PageQuery.properties,
  subtopic: Type.Optional(
    describedAs(Type.Enum([...SUBTOPICS], { description: 'Only events of this subtopic.' }), SubtopicMember),
  ),
  account_id: Type.Optional(Id('Only events about this account.')),
  course_id: Type.Optional(Id('Only events about this course.')),
  equivalent_id: Type.Optional(Id('Only events about this equivalent, or about registrations for it.')),
  bundle_id: Type.Optional(Id('Only events about this bundle.')),
  registration_id: SearchedText('Only events of this registration.'),
  learner_id: SearchedText('Only events about this learner.'),
  user: SearchedText('Only events that this user caused: an e-mail address, or the id of a learner.'),
  message_id: SearchedText('Only the event of the message with this header `webhook-id`.'),
  from_dt: TimeQuery('Only events at or after this time: ISO 8601 with a time zone.'),
  to_dt: TimeQuery('Only events before this time.'),
});
export type EventsQuery = Static<typeof EventsQuery>;

const summary = {
  id: Id('The id of the event.'),
  topic: TopicMember,
  subtopic: SubtopicMember,
  event_dt: DateTime('When it occurred: the `timestamp` of its messages.'),
  user: Type.String({
    description:
      'Who caused it: the e-mail address of an administrator or API client. For launches and for results that a course reports, the id of the learner.',
  }),
  account: Type.Union(
    [
      Type.Object(
        { id: Id(), name: Type.String({ description: 'The name at the time.' }) },
        { title: 'EventAccount', description: 'The account of an event.' },
      ),
      Type.Null(),
    ],
    { description: 'The account. Null if the event concerns none.' },
  ),
  content: Type.Array(
    Type.Object(
      {
        type: Type.Enum([...ASSET_TYPES], { title: 'AssetType' }),
        id: Id(),
        name: Type.String({ description: 'The name at the time.' }),
      },
      { title: 'EventContent', description: 'An asset of an event.' },
    ),
    { description: `The assets that it is about: the first ${MAX_CONTENT_SHOWN}.` },
  ),
  content_count: Type.Integer({ description: 'How many assets it is about.' }),
  registration_id: Nullable(Type.String({ description: 'The registration.' })),
  learner_id: Nullable(Type.String({ description: 'The learner.' })),
  matched_webhooks: Type.Integer({ description: 'How many webhooks matched it when it occurred.' }),
  replayed_webhooks: Type.Integer({ description: 'To how many further webhooks it was replayed.' }),
};

/** An event in a list. */
export const EventSummary = Type.Object(summary, {
  title: 'Event',
  description: 'An event that occurred.',
});
export type EventSummary = Static<typeof EventSummary>;

/** A complete event. */
export const EventRecord = Type.Object(
  { ...summary, resource: ResourceMember('`resource` of its messages.') },
  { title: 'EventDetails', description: 'An event that occurred, with the content of its messages.' },
);
export type EventRecord = Static<typeof EventRecord>;

/** Which webhooks of an event are listed. */
export const EventWebhooksQuery = Type.Object({
  ...PageQuery.properties,
  got_message: Type.Optional(
    Type.Boolean({ description: 'True: only webhooks that got a message. False: only the others.' }),
  ),
  webhook_id: Type.Optional(Id('Only this webhook.')),
});

const Via = Type.Enum(['MATCH', 'REPLAY'], {
  title: 'EventVia',
  description: 'MATCH: the event matched the webhook when it occurred. REPLAY: it was replayed to it later.',
});
const Reason = Type.Enum([...UNMATCHED_REASONS], {
  title: 'UnmatchedReason',
  description:
    'CONFIGURATION_CHANGED: the webhook would match now, but did not when the event occurred. ' +
    'SERVICE_DISABLED: `enable_webhooks_service` was false.',
});

/** The outcome of an event for one webhook. */
export const EventWebhookRecord = Type.Object(
  {
    webhook_id: Id('The webhook.'),
    name: Type.String({ description: 'The name of the webhook.' }),
    via: Type.Union([Via, Type.Null()], { description: 'How it got a message. Null if it got none.' }),
    reason: Type.Union([Reason, Type.Null()], {
      description: 'Why it got no message, by the current configuration of the webhook. Null if it got one.',
    }),
    configuration_changed: Type.Boolean({
      description:
        'Whether the topic, subtopics, focus or activation of the webhook changed after the event: another reason may ' +
        'have applied then.',
    }),
    message: Type.Union(
      [
        Type.Object(
          {
            message_id: Type.String({ description: 'The header `webhook-id`.' }),
            status: Type.Enum(['WAITING', ...DELIVERY_STATUSES, 'EXPIRED'], {
              title: 'MessageStatus',
              description:
                'WAITING: not attempted yet. EXPIRED: its history is not kept any longer. Otherwise the status of the delivery.',
            }),
            status_reason: Nullable(
              Type.String({
                description: `Why it was dead-lettered or discarded: ${STATUS_REASONS.join(', ')}.`,
              }),
            ),
            delivery_id: Nullable(Id('The delivery; null before the first attempt.')),
            attempts: Type.Integer({ description: 'Number of attempts, including redeliveries.' }),
            updated_dt: OptionalDateTime('When the delivery was last changed.'),
            response_status: Nullable(
              Type.Integer({ description: 'HTTP status code of the latest response.' }),
            ),
            error: Nullable(Type.String({ description: 'Why the latest attempt failed.' })),
          },
          { title: 'EventMessage', description: 'The message of an event for a webhook.' },
        ),
        Type.Null(),
      ],
      { description: 'The message for this webhook. Null if it got none.' },
    ),
  },
  { title: 'EventWebhook', description: 'The outcome of an event for one webhook.' },
);
export type EventWebhookRecord = Static<typeof EventWebhookRecord>;
