import { Button } from '@mantine/core';
import { IconBell, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type Alert, alertListQuery } from '../../api/alerts.ts';
import { DataRows } from '../../components/data-rows.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { RowLink } from '../../components/row-link.tsx';
import type { Column } from '../../components/table-columns.ts';
import { alerts as texts } from '../../texts/alerts.ts';
import { shared } from '../../texts/shared.ts';
import { AlertState, conditionOf, Notices, Notifies } from './alert-cells.tsx';
import { AlertMenu } from './alert-menu.tsx';
import styles from './alerts.module.css';

const PLACEHOLDER_ROWS = 3;

const COLUMNS: readonly Column<Alert>[] = [
  {
    id: 'name',
    label: texts.columns.name,
    card: 'title',
    cell: ({ id, name }) => (
      <RowLink to="/administration/alerts/$alertId" params={{ alertId: id }}>
        <bdi>{name}</bdi>
      </RowLink>
    ),
  },
  { id: 'condition', label: texts.columns.condition, cell: conditionOf },
  { id: 'state', label: texts.columns.state, width: '11rem', cell: (alert) => <AlertState alert={alert} /> },
  { id: 'notifies', label: texts.columns.notifies, cell: (alert) => <Notifies alert={alert} /> },
  {
    id: 'last',
    label: texts.columns.last,
    cell: ({ last_notices }) =>
      last_notices.length === 0 ? (
        <span className={styles.muted}>{texts.notice.none}</span>
      ) : (
        <Notices notices={last_notices} />
      ),
  },
  {
    id: 'actions',
    label: shared.actions,
    width: '4rem',
    align: 'end',
    card: 'actions',
    cell: (alert) => <AlertMenu alert={alert} />,
  },
];

/** The alert rules, with their state and whether their notices arrive. */
export function AlertsPage() {
  const { data, error, refetch } = useQuery(alertListQuery);
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={<CreateButton />} />
      <div className={styles.frame}>
        {data === undefined && error !== null ? (
          <ErrorState error={error} retry={() => void refetch()} />
        ) : data?.length === 0 ? (
          <EmptyState icon={IconBell} title={texts.empty.title} description={texts.empty.description} />
        ) : (
          <DataRows
            label={texts.title}
            columns={COLUMNS}
            rows={data}
            rowKey={({ id }) => id}
            placeholderRows={PLACEHOLDER_ROWS}
          />
        )}
      </div>
    </>
  );
}

function CreateButton() {
  return (
    <Button
      leftSection={<IconPlus size={16} stroke={1.8} />}
      renderRoot={(props) => <Link to="/administration/alerts/new" {...props} />}
    >
      {texts.create}
    </Button>
  );
}
