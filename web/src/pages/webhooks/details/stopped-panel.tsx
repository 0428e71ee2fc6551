import { Button } from '@mantine/core';
import type { WebhookRecord } from '../../../api/webhook-records.ts';
import { Callout } from '../../../components/callout.tsx';
import { Time } from '../../../components/time.tsx';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhookDetails } from '../../../texts/webhook-details.ts';
import { webhookReplay } from '../../../texts/webhook-replay.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { useWebhookActions } from '../use-webhook-actions.tsx';
import styles from './webhook-page.module.css';

const { paused, inactive } = webhookDetails;

/** Explains why the webhook sends nothing, since when, and how to change that. Renders nothing while it sends. */
export function StoppedPanel({
  webhook,
  depth,
  onReplay,
}: {
  webhook: WebhookRecord;
  depth: number | undefined;
  /** Opens the replay of what it missed. */
  onReplay: (since: string | null) => void;
}) {
  const readOnly = useWebhooksReadOnly();
  const { act, pending } = useWebhookActions();
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
            {webhook.enabled && depth !== undefined && paused.waiting(depth, formatNumber(depth))}
          </div>
        )}
        <div>{texts.hint}</div>
        {!readOnly && (
          <div className={styles.actions}>
            <Button
              variant="default"
              size="xs"
              loading={pending}
              onClick={() => act(webhook.enabled ? 'resume' : 'activate', { ...webhook, depth: depth ?? 0 })}
            >
              {webhook.enabled ? paused.resume : inactive.activate}
            </Button>
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
