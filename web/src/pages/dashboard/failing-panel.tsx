import { postbackFailureReason } from '../../../../src/webhooks/history/postback-failure.ts';
import type { FailingWebhook } from '../../api/dashboard.ts';
import { DataRows } from '../../components/data-rows.tsx';
import { Panel } from '../../components/panel.tsx';
import { RowLink } from '../../components/row-link.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import type { Column } from '../../components/table-columns.ts';
import { Time } from '../../components/time.tsx';
import { dashboard } from '../../texts/dashboard.ts';
import { webhookDetails } from '../../texts/webhook-details.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import styles from './dashboard.module.css';

const texts = dashboard.failing;

const TONES: Record<FailingWebhook['state'], Tone> = {
  'in-error': 'bad',
  inactive: 'quiet',
  paused: 'warn',
  recovered: 'good',
  untried: 'warn',
  unknown: 'quiet',
};

const COLUMNS: readonly Column<FailingWebhook>[] = [
  {
    id: 'webhook',
    label: texts.webhook,
    card: 'title',
    width: '28%',
    cell: (webhook) => (
      <RowLink
        to="/administration/integrations/webhooks/$webhookId"
        params={{ webhookId: webhook.webhook_id }}
      >
        <bdi className={styles.lines} title={webhook.name}>
          {webhook.name}
        </bdi>
      </RowLink>
    ),
  },
  {
    id: 'error',
    label: texts.error,
    cell: (webhook) =>
      webhook.last_error_message !== null && (
        <bdi className={styles.reason} title={webhook.last_error_message}>
          {webhookDetails.error.reason(
            postbackFailureReason(webhook.last_error_message),
            webhook.explanation,
          )}
        </bdi>
      ),
  },
  { id: 'last', label: texts.last, width: '9rem', cell: (webhook) => <Time value={webhook.last_error_dt} /> },
  {
    id: 'count',
    label: texts.count,
    align: 'end',
    width: '8rem',
    cell: (webhook) => formatNumber(webhook.failure_count),
  },
  {
    id: 'state',
    label: texts.state,
    width: '8rem',
    cell: ({ state }) => <StatusBadge tone={TONES[state]}>{texts.states[state]}</StatusBadge>,
  },
];

/**
 * Webhooks with failed attempts in the last hour, most failures first.
 * @param total the number of all that have failures. No list of webhooks shows exactly these
 */
export function FailingPanel({ webhooks, total }: { webhooks: readonly FailingWebhook[]; total: number }) {
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      flush={webhooks.length > 0}
      actions={
        total > webhooks.length && (
          <span className={styles.second}>
            {texts.shown(formatNumber(webhooks.length), formatNumber(total))}
          </span>
        )
      }
    >
      {webhooks.length === 0 ? (
        <p className={styles.none}>{texts.none}</p>
      ) : (
        <DataRows label={texts.title} columns={COLUMNS} rows={webhooks} rowKey={({ webhook_id: id }) => id} />
      )}
    </Panel>
  );
}
