import type { DeliveryNow, PausedWebhook } from '../../api/dashboard.ts';
import { DataRows } from '../../components/data-rows.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Panel } from '../../components/panel.tsx';
import { RowLink } from '../../components/row-link.tsx';
import type { Column } from '../../components/table-columns.ts';
import { Time } from '../../components/time.tsx';
import { dashboard } from '../../texts/dashboard.ts';
import { formatNumber } from '../../utilities/numbers.ts';
import styles from './dashboard.module.css';

const texts = dashboard.paused;

const COLUMNS: readonly Column<PausedWebhook>[] = [
  {
    id: 'webhook',
    label: texts.webhook,
    card: 'title',
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
  { id: 'since', label: texts.since, width: '9rem', cell: ({ since_dt: since }) => <Time value={since} /> },
  {
    id: 'waiting',
    label: texts.waiting,
    align: 'end',
    width: '6rem',
    cell: ({ depth }) => formatNumber(depth),
  },
];

/**
 * Paused webhooks, the longest paused first, with the number of waiting messages. Renders nothing if there are none.
 */
export function PausedPanel({ delivery }: { delivery: DeliveryNow }) {
  const { paused_webhooks: rows, webhooks_paused: total, waiting_paused: messages } = delivery;
  if (rows.length === 0) return null;
  return (
    <Panel
      title={texts.title}
      description={texts.description(messages)}
      flush
      actions={
        total > rows.length && (
          <AnchorLink size="sm" to="/administration/integrations/webhooks" search={{ state: 'paused' }}>
            {texts.all(formatNumber(total))}
          </AnchorLink>
        )
      }
    >
      <DataRows label={texts.title} columns={COLUMNS} rows={rows} rowKey={({ webhook_id: id }) => id} />
    </Panel>
  );
}
