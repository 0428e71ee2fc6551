import { useQuery } from '@tanstack/react-query';
import type { WebhookHealth, WebhookRecord } from '../../../api/webhook-records.ts';
import { healthQuery, lineQuery } from '../../../api/webhooks.ts';
import { Callout } from '../../../components/callout.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ButtonLink } from '../../../components/links.tsx';
import { RetryButton } from '../../../components/retry-button.tsx';
import { Time } from '../../../components/time.tsx';
import { OPENED_WITHIN } from '../../../navigation/opened-within.ts';
import { useSession, useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import styles from './webhook-page.module.css';

const texts = webhookDetails.error;

type Failure = NonNullable<WebhookHealth['failure']>;

/** Why the webhook is in error, how often and since when, what happens next, and what can be done. */
export function ErrorPanel({ webhook }: { webhook: WebhookRecord }) {
  const readOnly = useWebhooksReadOnly();
  const { read_only: serviceReadOnly } = useSession().service;
  const health = useQuery(healthQuery(webhook.id));
  const line = useQuery(lineQuery(webhook.id));
  const failure = health.data?.failure;
  const head = line.data?.record.head ?? null;
  return (
    <Callout
      tone="bad"
      title={failure == null ? texts.title : texts.reason(failure.reason ?? texts.title, failure.explanation)}
      live="title"
    >
      {failure != null && (
        <>
          <div>
            {texts.failed(failure.failures)}{' '}
            {failure.since_dt !== null && <Time value={failure.since_dt} format="clock" />}
            {'. '}
            {failure.delivery !== null && consequenceOf(failure, failure.delivery)}
          </div>
          {failure.error_message !== null && (
            <p className={styles.message} data-testid="last-error">
              <bdi className={styles.cut} title={failure.error_message}>
                {failure.error_message}
              </bdi>
            </p>
          )}
        </>
      )}
      <div>{serviceReadOnly ? texts.hintReadOnly : texts.hint}</div>
      <div className={styles.actions}>
        {!readOnly && head !== null && (
          <RetryButton
            webhookId={webhook.id}
            messageId={head.message_id}
            inFlight={head.in_flight}
            disabled={line.data?.record.state === 'PAUSED'}
          />
        )}
        {failure?.delivery != null && (
          <ButtonLink
            variant="default"
            size="xs"
            from="/administration/integrations/webhooks/$webhookId"
            to="."
            search={(current) => ({ ...current, delivery: failure.delivery!.id })}
            state={OPENED_WITHIN}
            resetScroll={false}
          >
            {texts.attempts}
          </ButtonLink>
        )}
        {failure?.error_message != null && <CopyButton value={failure.error_message} label={texts.copy} />}
      </div>
    </Callout>
  );
}

function consequenceOf({ max_attempts: max }: Failure, delivery: NonNullable<Failure['delivery']>): string {
  if (delivery.status === 'DEAD_LETTERED') return texts.deadLettered;
  return texts.lastAttempt(max);
}
