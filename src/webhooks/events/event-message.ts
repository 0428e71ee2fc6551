import type { QueueMessage } from '../../queue/message-queue.ts';
import type { MatchedWebhook } from '../configuration/trigger-store.ts';
import type { MessageBuilder } from '../messages/message.ts';
import { messageIdOf } from './message-ids.ts';
import type { StoredEvent } from './stored-event.ts';

/** The message of an event for a webhook, as it is queued: when the event occurs, and when it is replayed. */
export function eventMessage(
  {
    id: eventId,
    subtopic,
    occurredAt,
    sharedId,
  }: Pick<StoredEvent, 'id' | 'subtopic' | 'occurredAt' | 'sharedId'>,
  builder: MessageBuilder,
  webhook: MatchedWebhook,
): QueueMessage {
  return {
    lineId: webhook.id,
    messageId: messageIdOf({ eventId, occurredAt, webhookId: webhook.id }),
    label: subtopic,
    body: builder.build(webhook),
    ...(sharedId === null ? {} : { shared: { id: sharedId, own: builder.buildOwnPart(webhook) } }),
    occurredAt,
  };
}
