import { useQuery } from '@tanstack/react-query';
import { postbackFailureReason } from '../../../../src/webhooks/history/postback-failure.ts';
import { type EventWebhookRecord, type WaitingReasonRecord, waitingReasonsQuery } from '../../api/events.ts';
import { Time } from '../../components/time.tsx';
import { events } from '../../texts/events.ts';
import { webhookDetails } from '../../texts/webhook-details.ts';
import styles from './events.module.css';
import { MessageLink } from './message-link.tsx';

const texts = events.details.waits;

/** Statuses of messages that are still to be sent. */
const UNSENT: ReadonlySet<string | undefined> = new Set(['WAITING', 'RETRYING', 'QUEUED']);

/** Why the messages of these outcomes wait, by webhook. */
export function useWaitingReasons(
  outcomes: readonly EventWebhookRecord[] | undefined,
): ReadonlyMap<number, WaitingReasonRecord> {
  const unsent = (outcomes ?? []).filter(({ message }) => UNSENT.has(message?.status));
  const { data = [] } = useQuery(waitingReasonsQuery(unsent.map(({ webhook_id: id }) => id)));
  return new Map(data.map((reason) => [reason.webhook_id, reason]));
}

/** Why a message waits, with a link to the cause. */
export function WaitingReason({
  outcome,
  reason,
}: {
  outcome: EventWebhookRecord;
  reason: WaitingReasonRecord;
}) {
  const { webhook_id: webhookId, name, message } = outcome;
  if (!UNSENT.has(message?.status)) return null;
  return (
    <span className={styles.reason}>
      <ReasonText reason={reason} messageId={message?.message_id} />{' '}
      <MessageLink inherit underline="always" webhookId={webhookId} aria-label={texts.line(name)}>
        {texts.openLine}
      </MessageLink>
    </span>
  );
}

function ReasonText({
  reason: of,
  messageId,
}: {
  reason: WaitingReasonRecord;
  messageId: string | undefined;
}) {
  const { webhook_id: webhookId, since_dt: since, blocker } = of;
  if (of.reason === 'TURNED_OFF') return texts.turnedOff;
  if (of.reason === 'UNREADABLE') return texts.unreadable;
  if (of.reason === 'PAUSED' || of.reason === 'INACTIVE' || blocker === null) {
    return (
      <>
        {of.reason === 'INACTIVE' ? texts.inactive : texts.paused} <Time value={since} format="clock" />.
      </>
    );
  }
  const { last_error_message: error, explanation, delivery_id: delivery } = blocker;
  const isItself = blocker.message_id === messageId;
  return (
    <>
      {isItself ? (
        texts.blocks
      ) : (
        <>
          {texts.behind}{' '}
          <MessageLink inherit underline="always" webhookId={webhookId} delivery={delivery}>
            {texts.blocker}
          </MessageLink>
        </>
      )}
      {since !== null && (
        <>
          {' '}
          {texts.since} <Time value={since} format="clock" />
        </>
      )}
      {/* Its own error is shown below. */}
      {!isItself && error !== null && (
        <>
          : <bdi title={error}>{webhookDetails.error.reason(postbackFailureReason(error), explanation)}</bdi>
        </>
      )}
      {'. '}
      {texts.next}{' '}
      {blocker.next_attempt_dt === null ? (
        webhookDetails.line.sending
      ) : (
        <Time value={blocker.next_attempt_dt} format="clock" />
      )}
      .
    </>
  );
}
