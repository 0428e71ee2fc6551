import { Fragment } from 'react';
import { postbackFailureReason } from '../../../../src/webhooks/history/postback-failure.ts';
import type { EventWebhookRecord, WaitingReasonRecord } from '../../api/events.ts';
import { MessageStatusBadge } from '../../components/events/message-status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { events } from '../../texts/events.ts';
import styles from './events.module.css';
import { MessageLink } from './message-link.tsx';
import { WaitingReason } from './waiting-reason.tsx';

const { details: texts } = events;

/** The outcome of an event for a webhook: the status of its message and why it waits, or why it got none. */
export function OutcomeRow({
  outcome,
  reason,
}: {
  outcome: EventWebhookRecord;
  /** Why messages of the webhook wait; undefined if nothing delays them. */
  reason: WaitingReasonRecord | undefined;
}) {
  const { message } = outcome;
  return message === null ? (
    <OtherRow outcome={outcome} />
  ) : (
    <MessageRow outcome={outcome} message={message} reason={reason} />
  );
}

function MessageRow({
  outcome,
  message,
  reason,
}: {
  outcome: EventWebhookRecord;
  message: NonNullable<EventWebhookRecord['message']>;
  reason: WaitingReasonRecord | undefined;
}) {
  const { status, delivery_id: delivery, attempts, updated_dt: updated, error } = message;
  const { webhook_id: webhookId, name } = outcome;
  const facts = [
    outcome.via === 'REPLAY' ? <span key="replayed">{texts.replayed}</span> : null,
    attempts > 0 ? <span key="attempts">{texts.attempts(attempts)}</span> : null,
    updated === null ? null : <Time key="updated" value={updated} />,
  ].filter((fact) => fact !== null);
  return (
    <li className={styles.row}>
      <span>
        <MessageStatusBadge status={status} />
      </span>
      <span className={styles.name}>
        <MessageLink webhookId={webhookId}>
          <bdi>{name}</bdi>
        </MessageLink>{' '}
        <span className={styles.dim}>
          {facts.map((fact, at) => (
            <Fragment key={fact.key}>
              {at > 0 && ' · '}
              {fact}
            </Fragment>
          ))}
        </span>
      </span>
      {delivery !== null && (
        <MessageLink webhookId={webhookId} delivery={delivery} aria-label={texts.delivery(name)}>
          {texts.openDelivery}
        </MessageLink>
      )}
      {reason !== undefined && <WaitingReason outcome={outcome} reason={reason} />}
      {error !== null && status !== 'DELIVERED' && (
        <span className={styles.bad} title={error}>
          <bdi>{postbackFailureReason(error)}</bdi>
        </span>
      )}
    </li>
  );
}

function OtherRow({ outcome }: { outcome: EventWebhookRecord }) {
  return (
    <li className={`${styles.row} ${styles.other}`}>
      <span className={styles.name}>
        <MessageLink webhookId={outcome.webhook_id}>
          <bdi>{outcome.name}</bdi>
        </MessageLink>
      </span>
      <span>
        {outcome.reason !== null && events.reasons[outcome.reason]}
        {outcome.configuration_changed && <span className={styles.dim}> {texts.changed}</span>}
      </span>
    </li>
  );
}
