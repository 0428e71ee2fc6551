import { Button, Drawer, SegmentedControl, Skeleton, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { deadLettersKey } from '../../../api/dead-letters.ts';
import { type Delivery, deliveryQuery, redeliver } from '../../../api/deliveries.ts';
import { isProblem } from '../../../api/errors.ts';
import { newIdempotencyKey } from '../../../api/request.ts';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { webhooksKey } from '../../../api/webhooks.ts';
import { useWebhooksReadOnly } from '../../../app/session-context.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { Facts } from '../../../components/facts.tsx';
import { FormProblem } from '../../../components/form-problem.tsx';
import { notifyDone } from '../../../components/notify.tsx';
import { Time } from '../../../components/time.tsx';
import { deliveries } from '../../../texts/deliveries.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { formatBytes, formatNumber } from '../../../utilities/numbers.ts';
import { formatDuration } from '../../../utilities/times.ts';
import { CodeBlock } from '../code-block.tsx';
import { curlCommand } from './curl.ts';
import { DeliveryStatusBadge, reasonText } from './delivery-status.tsx';
import styles from './history.module.css';

const texts = deliveries.details;
const JSON_INDENT = 2;
const PLACEHOLDER_HEIGHT = 320;

/** A delivery with its message, the target's answers, and all that can be done with it. */
export function DeliveryDrawer({
  webhookId,
  deliveryId,
  webhook,
  onClose,
}: {
  webhookId: number;
  /** Null: none is open. */
  deliveryId: number | null;
  /** Null while it is not known, or when it was deleted. */
  webhook: WebhookRecord | null;
  onClose: () => void;
}) {
  // While the drawer slides out it still shows what it showed.
  const [shown, setShown] = useState(deliveryId);
  if (deliveryId !== null && deliveryId !== shown) setShown(deliveryId);
  return (
    <Drawer
      opened={deliveryId !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={shown === null ? texts.title : texts.titleOf(shown)}
      classNames={{ title: styles.drawerTitle ?? '' }}
    >
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
  const { data, error, refetch } = useQuery(deliveryQuery(webhookId, deliveryId));
  if (data !== undefined) return <DeliveryDetails delivery={data} webhook={webhook} />;
  if (error === null) return <Skeleton height={PLACEHOLDER_HEIGHT} aria-busy="true" />;
  if (isProblem(error, 404)) return <div>{texts.missing}</div>;
  return <ErrorState error={error} retry={() => void refetch()} />;
}

function DeliveryDetails({ delivery, webhook }: { delivery: Delivery; webhook: WebhookRecord | null }) {
  const reason = reasonText(delivery.status_reason);
  return (
    <div className={styles.sections}>
      <div>
        <div className={styles.drawerHead}>
          <DeliveryStatusBadge status={delivery.status} />
          {reason !== null && <span>{reason}</span>}
        </div>
      </div>
      <Facts
        items={[
          [texts.event, webhooks.subtopics[delivery.subtopic].name],
          [
            texts.messageId,
            <span key="id" className={styles.idRow}>
              {delivery.message_id}
              <CopyButton value={delivery.message_id} label={texts.copyMessageId} />
            </span>,
          ],
          [texts.occurred, <Time key="occurred" value={delivery.event_dt} format="precise" />],
          [texts.updated, <Time key="updated" value={delivery.updated_dt} format="precise" />],
          [texts.attempts, formatNumber(delivery.attempts)],
        ]}
      />
      <Redelivery delivery={delivery} webhook={webhook} />
      <Message delivery={delivery} webhook={webhook} />
      <Attempts delivery={delivery} />
    </div>
  );
}

function Redelivery({ delivery, webhook }: { delivery: Delivery; webhook: WebhookRecord | null }) {
  const readOnly = useWebhooksReadOnly();
  const queryClient = useQueryClient();
  // One key for each state it is in: a second press, or one after a lost answer, sends nothing twice.
  const attempt = useRef({ of: '', key: '' });
  const send = useMutation({
    mutationFn: () => {
      const of = `${delivery.id} ${delivery.updated_dt}`;
      if (attempt.current.of !== of) attempt.current = { of, key: newIdempotencyKey() };
      return redeliver(delivery.webhook_id, delivery.id, attempt.current.key);
    },
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
        <Button variant="default" size="xs" onClick={() => send.mutate()} loading={send.isPending}>
          {texts.redeliver}
        </Button>
      ) : (
        <span className={styles.dim}>{texts.inactive}</span>
      )}
    </div>
  );
}

/** The message is made as JSON without white space: writing it so again gives the very bytes that are sent. */
function Message({ delivery, webhook }: { delivery: Delivery; webhook: WebhookRecord | null }) {
  const [asSent, setAsSent] = useState(false);
  const body = JSON.stringify(delivery.message);
  const curl = curlCommand({
    targetUrl: webhook?.target_url ?? targetOf(delivery.message),
    messageId: delivery.message_id,
    body,
    withCredentials: webhook?.authentication.type === 'BASIC',
  });
  return (
    <Section
      title={texts.message}
      aside={formatBytes(new TextEncoder().encode(body).length)}
      actions={
        <>
          <SegmentedControl
            size="xs"
            aria-label={texts.messageView}
            value={asSent ? 'sent' : 'readable'}
            onChange={(value) => setAsSent(value === 'sent')}
            data={[
              { value: 'readable', label: texts.readable },
              { value: 'sent', label: texts.asSent },
            ]}
          />
          <CopyButton value={body} label={texts.copyMessage} />
        </>
      }
    >
      <CodeBlock label={texts.message} wrap={asSent}>
        {asSent ? body : JSON.stringify(delivery.message, null, JSON_INDENT)}
      </CodeBlock>
      <div className={styles.below}>
        <CopyButton value={curl} label={texts.copyCurl} wide />
        {webhook?.authentication.type === 'BASIC' && <span className={styles.dim}>{texts.curlHint}</span>}
      </div>
    </Section>
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
                <span>{attempt.response_status ?? deliveries.noAnswer}</span>
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
                  <CodeBlock label={`${texts.answer}: ${texts.attempt(attempt.attempt)}`} wrap>
                    {attempt.response_body}
                  </CodeBlock>
                </div>
              )}
            </li>
          ))}
        </ol>
      )}
      {attempts.length > 0 && attempts.length < delivery.attempts && (
        <div className={styles.dim}>{texts.earlierLeftOut}</div>
      )}
    </Section>
  );
}

function Section({
  title,
  aside,
  actions,
  children,
}: {
  title: string;
  aside?: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title}>
      <div className={styles.sectionHead}>
        <Title order={3}>
          {title} {aside !== undefined && <span className={styles.dim}>· {aside}</span>}
        </Title>
        <div className={styles.sectionActions}>{actions}</div>
      </div>
      {children}
    </section>
  );
}

/** Where the message says it goes: all that is known once the webhook was deleted. */
function targetOf(message: unknown): string {
  if (typeof message !== 'object' || message === null || !('target_url' in message)) return '';
  return String(message.target_url);
}
