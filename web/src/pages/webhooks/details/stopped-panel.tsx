import { Button } from '@mantine/core';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { BusyButton } from '../../../components/busy-button.tsx';
import { Callout } from '../../../components/callout.tsx';
import { Time } from '../../../components/time.tsx';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { webhookReplay } from '../../../texts/webhook-replay.ts';
import styles from './webhook-page.module.css';

const { paused, inactive } = webhookDetails;

/** Explains why the webhook sends nothing, since when, and how to change that. Renders nothing while it sends. */
export function StoppedPanel({
  webhook,
  depth,
  pending,
  onAct,
  onReplay,
}: {
  webhook: WebhookRecord;
  depth: number | undefined;
  /** Whether it is being activated or resumed. */
  pending: boolean;
  onAct: (action: 'activate' | 'resume') => void;
  /** Opens the replay of what it missed. */
  onReplay: (since: string | null) => void;
}) {
  const readOnly = useWebhooksReadOnly();
  if (webhook.enabled && !webhook.paused) return null;
  const texts = webhook.enabled ? paused : inactive;
  const since = webhook.enabled ? webhook.paused_since_dt : webhook.inactive_since_dt;
  return (
    <div className={styles.stopped}>
      <Callout tone={webhook.enabled ? 'warn' : 'quiet'} title={texts.title}>
        {since !== null && (
          <div>
            {texts.since} <Time value={since} format="absolute" />
            {'. '}
            {webhook.enabled && depth !== undefined && paused.waiting(depth)}
          </div>
        )}
        <div>{texts.hint}</div>
        {!readOnly && (
          <div className={styles.actions}>
            <BusyButton
              variant="default"
              size="xs"
              isBusy={pending}
              onClick={() => onAct(webhook.enabled ? 'resume' : 'activate')}
            >
              {webhook.enabled ? paused.resume : inactive.activate}
            </BusyButton>
            {!webhook.enabled && (
              <Button variant="default" size="xs" onClick={() => onReplay(since)}>
                {webhookReplay.activateAndReplay}
              </Button>
            )}
          </div>
        )}
      </Callout>
    </div>
  );
}
