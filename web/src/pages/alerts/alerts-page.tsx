import { IconBell, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type Alert, alertListQuery, alertsKey, deleteAlert } from '../../api/alerts.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ButtonLink } from '../../components/links.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { RowLink } from '../../components/row-link.tsx';
import { useBulkDelete } from '../../components/selection/use-bulk-delete.tsx';
import { useSelection } from '../../components/selection/use-selection.ts';
import { ShortList } from '../../components/short-list.tsx';
import type { Column } from '../../components/table-columns.ts';
import { alerts as texts } from '../../texts/alerts.ts';
import { shared } from '../../texts/shared.ts';
import { AlertState, conditionOf, Notices, Notifies } from './alert-cells.tsx';
import { AlertMenu } from './alert-menu.tsx';
import styles from './alerts.module.css';
import { useAlertActions } from './use-alert-actions.tsx';

const keyOf = ({ id }: Alert) => id;
const nameOf = ({ name }: Alert) => name;

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
];

function actionsColumn(act: ReturnType<typeof useAlertActions>['act']): Column<Alert> {
  return {
    id: 'actions',
    label: shared.actions,
    width: '4rem',
    align: 'end',
    card: 'actions',
    cell: (alert) => <AlertMenu alert={alert} onAct={act} />,
  };
}

/** The alert rules, with their state and whether their notices arrive. */
export function AlertsPage() {
  const query = useQuery(alertListQuery);
  const queryClient = useQueryClient();
  const selection = useSelection(query.data ?? [], keyOf, { isWhole: true });
  const actions = useAlertActions();
  const remove = useBulkDelete(selection, {
    words: texts.remove.many,
    nameOf,
    description: () => texts.remove.manyDescription,
    act: ({ id }) => deleteAlert(id),
    onEnd: () => queryClient.invalidateQueries({ queryKey: alertsKey }),
  });
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={<CreateButton />} />
      <ShortList
        label={texts.title}
        columns={[...COLUMNS, actionsColumn(actions.act)]}
        query={query}
        rowKey={keyOf}
        selecting={{ selection, nameOf, actions: remove.button }}
        exportName="alerts"
        empty={<EmptyState icon={IconBell} title={texts.empty.title} description={texts.empty.description} />}
      />
      {remove.dialog}
      {actions.dialogs}
    </>
  );
}

function CreateButton() {
  return (
    <ButtonLink leftSection={<IconPlus size={16} stroke={1.8} />} to="/administration/alerts/new">
      {texts.create}
    </ButtonLink>
  );
}
