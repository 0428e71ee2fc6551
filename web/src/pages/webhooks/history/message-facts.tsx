import type { ReactNode } from 'react';
import type { DeliverySummary } from '../../../api/deliveries.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { Time } from '../../../components/time.tsx';
import { deliveries } from '../../../texts/deliveries.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { DeliverySubject } from './delivery-subject.tsx';
import { EventLink } from './event-of-delivery.tsx';
import styles from './history.module.css';

const texts = deliveries.details;

/** The subject of any message of a webhook, for a list of facts. */
export function messageFacts({
  subtopic,
  about,
  message_id,
  event_dt,
}: Pick<DeliverySummary, 'subtopic' | 'about' | 'message_id' | 'event_dt'>): [string, ReactNode][] {
  return [
    [
      texts.event,
      <EventLink key="event" messageId={message_id}>
        {webhooks.subtopics[subtopic].name}
      </EventLink>,
    ],
    [texts.about, <DeliverySubject key="about" about={about} />],
    [
      texts.messageId,
      <span key="id" className={styles.idRow}>
        {message_id}
        <CopyButton value={message_id} label={texts.copyMessageId} />
      </span>,
    ],
    [texts.occurred, <Time key="occurred" value={event_dt} format="precise" />],
  ];
}
