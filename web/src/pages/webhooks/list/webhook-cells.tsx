import { Switch, Tooltip } from '@mantine/core';
import { IconAlertTriangleFilled } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { postbackFailureReason } from '../../../../../src/webhooks/history/postback-failure.ts';
import type { WebhookOverview } from '../../../api/webhook-records.ts';
import { RowLink } from '../../../components/row-link.tsx';
import { StatusBadge } from '../../../components/status-badge.tsx';
import { Time } from '../../../components/time.tsx';
import { useWebhooksReadOnly } from '../../../session/session-context.ts';
import { webhooks } from '../../../texts/webhooks.ts';
import { formatNumber, formatShare } from '../../../utilities/numbers.ts';
import { StateBadge } from '../state-badge.tsx';
import type { ActOnWebhook } from '../use-webhook-actions.tsx';
import styles from './webhook-list.module.css';

/**
 * The name, with a link to the webhook. While it is in error, an alert sign shows the latest error and links to the
 * attempts.
 */
export function NameCell({ webhook }: { webhook: WebhookOverview }) {
  return (
    <span className={styles.named}>
      <span className={styles.name}>
        {webhook.in_error && <Alert webhook={webhook} />}
        <RowLink to="/administration/integrations/webhooks/$webhookId" params={{ webhookId: webhook.id }}>
          <bdi className={styles.lines} title={webhook.name}>
            {webhook.name}
          </bdi>
        </RowLink>
      </span>
      {webhook.in_error && webhook.last_error_message !== null && (
        <span className={styles.error}>
          <bdi className={styles.reason} title={webhook.last_error_message}>
            {postbackFailureReason(webhook.last_error_message)}
          </bdi>
          <span>
            {webhooks.list.since} <Time value={webhook.failing_since_dt} format="clock" />
          </span>
        </span>
      )}
    </span>
  );
}

function Alert({ webhook }: { webhook: WebhookOverview }) {
  const message = webhook.last_error_message ?? webhooks.list.noMessage;
  return (
    <Tooltip label={message} multiline maw={420}>
      <Link
        to="/administration/integrations/webhooks/$webhookId"
        params={{ webhookId: webhook.id }}
        search={{ tab: 'history' }}
        className={styles.alert}
        aria-label={webhooks.list.alert(webhook.name, message)}
      >
        <IconAlertTriangleFilled size={16} aria-hidden />
      </Link>
    </Tooltip>
  );
}

/** Successes, with the rate of the last day. */
export function SuccessCell({ webhook }: { webhook: WebhookOverview }) {
  return (
    <span className={styles.two}>
      <span>{formatNumber(webhook.success_count)}</span>
      {webhook.success_rate !== null && (
        <span className={styles.second}>{webhooks.list.columns.rate(formatShare(webhook.success_rate))}</span>
      )}
    </span>
  );
}

/** The topic and its selected events. */
export function TopicCell({ webhook }: { webhook: WebhookOverview }) {
  const names = webhook.subtopics.map((each) => webhooks.subtopics[each].name);
  const events = webhook.all_subtopics ? webhooks.allEvents : names.join(', ');
  return (
    <span className={styles.two}>
      <span>{webhooks.topics[webhook.topic].name}</span>
      <span className={styles.second} title={names.join(', ')}>
        {events}
        {webhook.focus_count > 0 && ` · ${webhooks.focused(webhook.focus_count)}`}
      </span>
    </span>
  );
}

/** The target. The host is emphasized. */
export function TargetCell({ webhook }: { webhook: WebhookOverview }) {
  const url = URL.canParse(webhook.target_url) ? new URL(webhook.target_url) : null;
  if (url === null) return <span className={styles.target}>{webhook.target_url}</span>;
  return (
    <span className={`${styles.two} ${styles.where}`} title={webhook.target_url}>
      <span className={styles.target}>{url.host}</span>
      <span className={styles.second}>{`${url.pathname}${url.search}`}</span>
    </span>
  );
}

/** A switch for whether it is active, and a badge if it is paused. */
export function ActiveCell({ webhook, onAct }: { webhook: WebhookOverview; onAct: ActOnWebhook }) {
  const readOnly = useWebhooksReadOnly();
  const paused = webhook.enabled && webhook.paused;
  if (readOnly) return <StateBadge enabled={webhook.enabled} paused={webhook.paused} />;
  return (
    <span className={styles.active}>
      <Switch
        size="sm"
        checked={webhook.enabled}
        onChange={() => onAct(webhook.enabled ? 'deactivate' : 'activate', webhook)}
        aria-label={webhooks.list.activeSwitch(webhook.name)}
      />
      {paused && <StatusBadge tone="warn">{webhooks.states.paused}</StatusBadge>}
    </span>
  );
}
