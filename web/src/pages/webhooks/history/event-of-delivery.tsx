import { useQuery } from '@tanstack/react-query';
import { type EventWebhookRecord, eventsQuery, eventWebhooksQuery } from '../../../api/events.ts';
import { MessageStatusBadge } from '../../../components/events/message-status-badge.tsx';
import { AnchorLink } from '../../../components/links.tsx';
import { deliveries } from '../../../texts/deliveries.ts';
import { Section } from './drawer-sections.tsx';
import styles from './history.module.css';

const texts = deliveries.details;

/** The event of a message: null if it has expired, undefined while it is unknown. */
function useEventId(messageId: string): number | null | undefined {
  const { data } = useQuery(eventsQuery({ message_id: messageId }, 1));
  return data === undefined ? undefined : (data.data[0]?.id ?? null);
}

/** A link to the event of a delivery. */
export function EventLink({ messageId, children }: { messageId: string; children: string }) {
  const eventId = useEventId(messageId);
  return eventId == null ? (
    <AnchorLink to="/administration/integrations/events" search={{ message_id: messageId } as never}>
      {children}
    </AnchorLink>
  ) : (
    <AnchorLink to="/administration/integrations/events/$eventId" params={{ eventId }}>
      {children}
    </AnchorLink>
  );
}

/** The messages about the same event for other webhooks. Absent while that is unknown. */
export function OtherDeliveries({ messageId, webhookId }: { messageId: string; webhookId: number }) {
  const eventId = useEventId(messageId);
  return eventId == null ? null : <OthersOf eventId={eventId} webhookId={webhookId} />;
}

function OthersOf({ eventId, webhookId }: { eventId: number; webhookId: number }) {
  const { data } = useQuery(eventWebhooksQuery(eventId, true));
  if (data === undefined) return null;
  const others = data.data.filter((each) => each.webhook_id !== webhookId);
  const isMore = data.next_cursor !== null;
  return (
    <Section title={texts.others}>
      {others.length === 0 ? (
        !isMore && <div className={styles.dim}>{texts.noOthers}</div>
      ) : (
        <ul className={styles.others} aria-label={texts.others}>
          {others.map((other) => (
            <Other key={other.webhook_id} other={other} />
          ))}
        </ul>
      )}
      {isMore && (
        <AnchorLink
          display="inline-block"
          mt="xs"
          to="/administration/integrations/events/$eventId"
          params={{ eventId }}
        >
          {texts.moreOthers}
        </AnchorLink>
      )}
    </Section>
  );
}

function Other({ other: { webhook_id: webhookId, name, message } }: { other: EventWebhookRecord }) {
  if (message === null) return null;
  const delivery = message.delivery_id;
  return (
    <li className={styles.other}>
      <MessageStatusBadge status={message.status} />
      <AnchorLink
        to="/administration/integrations/webhooks/$webhookId"
        params={{ webhookId }}
        search={(delivery === null ? {} : { delivery }) as never}
      >
        <bdi>{name}</bdi>
      </AnchorLink>
    </li>
  );
}
