import { Button, Drawer, Skeleton } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { postbackFailureReason } from '../../../../../src/webhooks/history/postback-failure.ts';
import { deadLettersKey } from '../../../api/dead-letters.ts';
import { type Delivery, type DeliveryAttempt, deliveryQuery, redeliver } from '../../../api/deliveries.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { webhooksKey } from '../../../api/webhooks.ts';
import { BusyButton } from '../../../components/busy-button.tsx';
import { CodeBlock } from '../../../components/code-block.tsx';
import { Facts } from '../../../components/facts.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { Time } from '../../../components/time.tsx';
import { Unread } from '../../../components/unread.tsx';
import { useFormMutation } from '../../../components/use-form-mutation.ts';
import { useIdempotencyKey } from '../../../components/use-idempotency-key.ts';
import { useIsMissing } from '../../../components/use-is-missing.ts';
import { useReturnFocus } from '../../../components/use-return-focus.ts';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { deliveries } from '../../../texts/deliveries.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { formatDuration } from '../../../utilities/times.ts';
import { AttemptHeaders } from './attempt-headers.tsx';
import { DeliveryStatusBadge, reasonText } from './delivery-status.tsx';
import { MessageSection, prettyPrinted, Section } from './drawer-sections.tsx';
import { OtherDeliveries } from './event-of-delivery.tsx';
import styles from './history.module.css';
import { messageFacts } from './message-facts.tsx';

const texts = deliveries.details;
const PLACEHOLDER_HEIGHT = 320;

/** A delivery with its message, the target's responses, and the available actions. */
export function DeliveryDrawer({
  webhookId,
  deliveryId,
  webhook,
  neighbours,
  onOpen,
  onClose,
}: {
  /** The ids of the previous and next deliveries in the visible list; null if there is none. */
  neighbours: { previous: number | null; next: number | null };
  onOpen: (deliveryId: number) => void;
  webhookId: number;
  /** Null: none is open. */
  deliveryId: number | null;
  /** Null while it is unknown, or if the webhook was deleted. */
  webhook: WebhookRecord | null;
  onClose: () => void;
}) {
  // The drawer keeps its content while it closes.
  const [shown, setShown] = useState(deliveryId);
  if (deliveryId !== null && deliveryId !== shown) setShown(deliveryId);
  const isOpen = deliveryId !== null;
  // Newer messages may push the row off the list in the meantime. Mantine would then lose the focus.
  useReturnFocus(isOpen);
  const open = (id: number | null) => isOpen && id !== null && onOpen(id);
  useHotkeys([
    ['j', () => open(neighbours.next)],
    ['k', () => open(neighbours.previous)],
  ]);
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      returnFocus={false}
      position="right"
      size="lg"
      title={shown === null ? texts.title : texts.titleOf(shown)}
      classNames={{ title: styles.drawerTitle ?? '' }}
    >
      {(neighbours.previous !== null || neighbours.next !== null) && (
        <div className={styles.neighbours}>
          <Button
            variant="default"
            size="xs"
            disabled={neighbours.previous === null}
            onClick={() => open(neighbours.previous)}
            aria-keyshortcuts="k"
          >
            {texts.previous}
          </Button>
          <Button
            variant="default"
            size="xs"
            disabled={neighbours.next === null}
            onClick={() => open(neighbours.next)}
            aria-keyshortcuts="j"
          >
            {texts.next}
          </Button>
        </div>
      )}
      {shown !== null && (
        <DrawerContent key={shown} webhookId={webhookId} deliveryId={shown} webhook={webhook} />
      )}
    </Drawer>
  );
}

function DrawerContent({
  webhookId,
  deliveryId,
  webhook,
}: {
  webhookId: number;
  deliveryId: number;
  webhook: WebhookRecord | null;
}) {
  const read = useQuery(deliveryQuery(webhookId, deliveryId));
  const { data } = read;
  const isMissing = useIsMissing(deliveryId, read);
  if (data !== undefined) return <DeliveryDetails delivery={data} webhook={webhook} />;
  if (isMissing) return <div>{texts.missing}</div>;
  return <Unread query={read} placeholder={<Skeleton height={PLACEHOLDER_HEIGHT} aria-busy="true" />} />;
}

function DeliveryDetails({ delivery, webhook }: { delivery: Delivery; webhook: WebhookRecord | null }) {
  const reason = reasonText(delivery.status_reason);
  const latest = delivery.attempt_history.at(-1);
  return (
    <div className={styles.sections}>
      <div>
        <div className={styles.drawerHead}>
          <DeliveryStatusBadge status={delivery.status} />
          {reason !== null && <span>{reason}</span>}
        </div>
      </div>
      {latest !== undefined && <LatestResponse attempt={latest} />}
      <Redelivery delivery={delivery} webhook={webhook} />
      <Facts
        items={[
          ...messageFacts(delivery),
          [texts.updated, <Time key="updated" value={delivery.updated_dt} format="precise" />],
          [texts.attempts, formatNumber(delivery.attempts)],
        ]}
      />
      <OtherDeliveries messageId={delivery.message_id} webhookId={delivery.webhook_id} />
      <MessageSection message={delivery.message} messageId={delivery.message_id} webhook={webhook} />
      <Attempts delivery={delivery} />
    </div>
  );
}

/** The latest response of the target, or the reason why there is none: what most people look for. */
function LatestResponse({ attempt }: { attempt: DeliveryAttempt }) {
  const body = attempt.response_body;
  return (
    <Section title={texts.latest}>
      {attempt.error === null ? (
        <div>{attempt.response_status}</div>
      ) : (
        <div className={styles.attemptError}>
          <bdi>{postbackFailureReason(attempt.error)}</bdi>
        </div>
      )}
      {body === null || body === '' ? (
        <div className={styles.dim}>{texts.emptyResponse}</div>
      ) : (
        <div className={styles.attemptBody}>
          <CodeBlock label={texts.latest} wrap>
            {prettyPrinted(body)}
          </CodeBlock>
        </div>
      )}
      <AttemptHeaders attempt={attempt} />
      {/* Without a response, perhaps no request was made. */}
      {attempt.error !== null && attempt.request_headers === null && attempt.response_status !== null && (
        <div className={styles.dim}>{texts.noHeaders}</div>
      )}
    </Section>
  );
}

function Redelivery({ delivery, webhook }: { delivery: Delivery; webhook: WebhookRecord | null }) {
  const readOnly = useWebhooksReadOnly();
  const queryClient = useQueryClient();
  const keyFor = useIdempotencyKey();
  const send = useFormMutation({
    // One key per state, so that a second click, or a retry after a lost response, sends nothing twice.
    mutationFn: () => redeliver(delivery.webhook_id, delivery.id, keyFor([delivery.id, delivery.updated_dt])),
    onSuccess: () => notifyDone(texts.redelivered),
    onSettled: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: [...webhooksKey, delivery.webhook_id] }),
        queryClient.invalidateQueries({ queryKey: deadLettersKey }),
      ]),
  });
  if (webhook === null || readOnly) return null;
  const waits = delivery.status === 'RETRYING' || delivery.status === 'QUEUED';
  return (
    <div>
      <FormProblem error={send.error} />
      {waits ? (
        <span className={styles.dim}>{texts.waits}</span>
      ) : webhook.enabled ? (
        <BusyButton variant="default" size="xs" onClick={() => send.mutate()} isBusy={send.isPending}>
          {texts.redeliver}
        </BusyButton>
      ) : (
        <span className={styles.dim}>{texts.inactive}</span>
      )}
    </div>
  );
}

function Attempts({ delivery }: { delivery: Delivery }) {
  const attempts = delivery.attempt_history.toReversed();
  return (
    <Section title={texts.attempts}>
      {attempts.length === 0 ? (
        texts.noAttempts
      ) : (
        <ol className={styles.attempts} reversed>
          {attempts.map((attempt) => (
            <li key={attempt.attempt} className={styles.attempt} data-succeeded={attempt.error === null}>
              <div className={styles.attemptHead}>
                <span className={styles.attemptName}>{texts.attempt(attempt.attempt)}</span>
                <span>{attempt.response_status ?? deliveries.noResponse}</span>
                <span className={styles.dim}>{formatDuration(attempt.duration_ms)}</span>
                <span className={styles.dim}>
                  <Time value={attempt.attempted_dt} format="precise" />
                </span>
              </div>
              {attempt.error !== null && (
                <div className={styles.attemptError}>
                  <bdi>{attempt.error}</bdi>
                </div>
              )}
              {attempt.resent && <div className={styles.dim}>{texts.resent}</div>}
              {attempt.response_body !== null && attempt.response_body !== '' && (
                <div className={styles.attemptBody}>
                  <CodeBlock label={`${texts.response}: ${texts.attempt(attempt.attempt)}`} wrap>
                    {prettyPrinted(attempt.response_body)}
                  </CodeBlock>
                </div>
              )}
              <AttemptHeaders attempt={attempt} />
            </li>
          ))}
        </ol>
      )}
      {attempts.length > 0 && attempts.length < delivery.attempts && (
        <div className={styles.dim}>{texts.earlierOmitted}</div>
      )}
    </Section>
  );
}
