import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Alert, type AlertFiring, firingsQuery, readFirings } from '../../api/alerts.ts';
import { BusyButton } from '../../components/busy-button.tsx';
import { DataRows } from '../../components/data-rows.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ExportButton } from '../../components/export-button.tsx';
import { AnchorLink } from '../../components/links.tsx';
import { Panel } from '../../components/panel.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import type { Column } from '../../components/table-columns.ts';
import { Time } from '../../components/time.tsx';
import { alerts } from '../../texts/alerts.ts';
import styles from './alerts.module.css';
import { noticesColumn } from './notices-column.tsx';

const texts = alerts.history;
const FIRST_ROWS = 20;
const MAX_ROWS = 200;
const PLACEHOLDER_ROWS = 3;

/** Without the notices. */
const COLUMNS: readonly Column<AlertFiring>[] = [
  {
    id: 'about',
    label: texts.columns.about,
    card: 'title',
    cell: ({ name, webhook_id: webhookId }) =>
      webhookId === null ? (
        <bdi>{name}</bdi>
      ) : (
        <AnchorLink to="/administration/integrations/webhooks/$webhookId" params={{ webhookId }}>
          <bdi>{name}</bdi>
        </AnchorLink>
      ),
  },
  { id: 'state', label: texts.columns.state, width: '12rem', cell: (firing) => <State firing={firing} /> },
  {
    id: 'since',
    label: texts.columns.since,
    width: '11rem',
    cell: ({ since_dt }) => <Time value={since_dt} format="clock" />,
  },
  {
    id: 'reason',
    label: texts.columns.reason,
    cell: ({ condition, reason, explanation }) => {
      if (reason !== null) return <bdi>{explanation === null ? reason : `${reason}: ${explanation}`}</bdi>;
      return condition === 'SERVICE_IN_TROUBLE' ? (
        <span className={styles.muted}>{texts.onlyAdmins}</span>
      ) : (
        '–'
      );
    },
  },
];

/** The firings of a rule. */
export function FiringsPanel({ alert }: { alert: Alert }) {
  const alertId = alert.id;
  const [limit, setLimit] = useState(FIRST_ROWS);
  const { data, error, refetch, isPlaceholderData } = useQuery(firingsQuery({ alert_id: alertId, limit }));
  return (
    <Panel title={texts.title} description={texts.description} flush>
      {data === undefined && error !== null ? (
        <ErrorState error={error} retry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <p className={styles.empty}>{texts.empty}</p>
      ) : (
        <DataRows
          label={texts.label}
          columns={[...COLUMNS, noticesColumn(alert, data?.data ?? [])]}
          rows={data?.data}
          rowKey={({ id }) => id}
          placeholderRows={PLACEHOLDER_ROWS}
        />
      )}
      {data !== undefined && data.data.length > 0 && (
        <div className={styles.more}>
          {data.next_cursor !== null && limit < MAX_ROWS && (
            <BusyButton
              variant="subtle"
              size="compact-sm"
              isBusy={isPlaceholderData}
              onClick={() => setLimit(MAX_ROWS)}
            >
              {texts.more}
            </BusyButton>
          )}
          <ExportButton
            exporting={{
              name: 'alert-history',
              page: (_client, cursor, rows) => readFirings(alertId, cursor, rows),
            }}
            rowKey={({ id }) => id}
          />
        </div>
      )}
    </Panel>
  );
}

function State({ firing: { state, cleared_dt, ended_dt, end_reason, relapses } }: { firing: AlertFiring }) {
  const back = relapses > 0 && <div className={styles.muted}>{texts.relapses(relapses)}</div>;
  if (state === 'FIRING')
    return (
      <>
        <StatusBadge tone={cleared_dt === null ? 'bad' : 'warn'}>
          {cleared_dt === null ? texts.firing : texts.cleared}
        </StatusBadge>
        {back}
      </>
    );
  return (
    <>
      <StatusBadge tone={end_reason === 'RESOLVED' ? 'good' : 'quiet'}>
        {end_reason === null ? texts.ended : texts.reasons[end_reason]}
      </StatusBadge>
      <div className={styles.muted}>
        <Time value={ended_dt} format="clock" />
      </div>
      {back}
    </>
  );
}
