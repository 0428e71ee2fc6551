import { Button } from '@mantine/core';
import { IconKey, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CLIENT_STATES } from '../../../../src/ui-api/clients/client-list-choices.ts';
import { type ApiClient, clientListQuery, clientsKey, deleteClient } from '../../api/clients.ts';
import { fetchCurrent } from '../../api/query-client.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useBulkDelete } from '../../components/selection/use-bulk-delete.tsx';
import { useSelection } from '../../components/selection/use-selection.ts';
import type { Column } from '../../components/table-columns.ts';
import { TableFilter } from '../../components/table-filter.tsx';
import { Time } from '../../components/time.tsx';
import { useTable } from '../../components/use-table.ts';
import { clients as texts } from '../../texts/clients.ts';
import { shared } from '../../texts/shared.ts';
import { listQuery } from '../../utilities/table-search.ts';
import { NameCell, ScopesCell, StateCell } from './client-cells.tsx';
import { ClientMenu } from './client-menu.tsx';
import styles from './clients.module.css';
import { useClientActions } from './use-client-actions.tsx';

const COLUMNS: readonly Column<ApiClient>[] = [
  {
    id: 'name',
    label: texts.columns.name,
    width: '15rem',
    sort: 'name',
    card: 'title',
    cell: (client) => <NameCell client={client} />,
  },
  {
    id: 'email',
    label: texts.columns.email,
    width: '11.5rem',
    sort: 'email',
    cell: ({ email }) => <bdi className={styles.email}>{email}</bdi>,
  },
  { id: 'scopes', label: texts.columns.scopes, cell: (client) => <ScopesCell client={client} /> },
  { id: 'state', label: texts.columns.state, width: '7rem', cell: (client) => <StateCell client={client} /> },
  {
    id: 'last_used',
    isSpare: true,
    label: texts.columns.lastUsed,
    sort: 'last_used',
    firstDirection: 'desc',
    cell: ({ last_used_dt }) => <Time value={last_used_dt} fallback={texts.neverUsed} />,
  },
  {
    id: 'created',
    isSpare: true,
    label: texts.columns.created,
    sort: 'created',
    firstDirection: 'desc',
    cell: ({ created_dt }) => <Time value={created_dt} />,
  },
];

/** The systems that use the automation API: create, change and delete them, and renew their secrets. */
export function ClientsPage() {
  const table = useTable();
  const query = useQuery(clientListQuery(listQuery(table.values)));
  const { create, act, dialogs } = useClientActions();
  const queryClient = useQueryClient();
  const selection = useSelection(query.data?.data ?? [], ({ client_id }) => client_id);
  const nameOf = ({ name }: ApiClient) => name;
  const remove = useBulkDelete(selection, {
    words: texts.remove.many,
    nameOf,
    description: () => texts.remove.manyDescription,
    act: ({ client_id }) => deleteClient(client_id),
    onEnd: () => queryClient.invalidateQueries({ queryKey: clientsKey }),
  });
  const isEmpty = query.data?.total === 0 && !table.narrowed;
  const columns: readonly Column<ApiClient>[] = [
    ...COLUMNS,
    {
      id: 'actions',
      label: shared.actions,
      width: '3.5rem',
      align: 'end',
      card: 'actions',
      cell: (client) => <ClientMenu client={client} onAct={(action) => act(action, client)} />,
    },
  ];
  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          !isEmpty && (
            <Button leftSection={<IconPlus size={16} stroke={1.8} />} onClick={create}>
              {texts.create.action}
            </Button>
          )
        }
      />
      <DataTable
        label={texts.label}
        columns={columns}
        rowKey={({ client_id }) => client_id}
        table={table}
        exporting={{
          name: 'api-clients',
          list: (client, part) =>
            fetchCurrent(client, clientListQuery({ ...listQuery(table.values), ...part })),
          steadySort: 'created',
        }}
        query={query}
        defaultOrder={{ sort: 'name', direction: 'asc' }}
        searchLabel={texts.search}
        filters={
          <TableFilter
            table={table}
            name="state"
            label={texts.stateFilter}
            options={CLIENT_STATES.map((value) => ({ value, label: texts.states[value] }))}
          />
        }
        selecting={{ selection, nameOf, actions: remove.button }}
        empty={
          <EmptyState
            icon={IconKey}
            title={texts.empty.title}
            description={texts.empty.description}
            action={
              <Button leftSection={<IconPlus size={16} stroke={1.8} />} onClick={create}>
                {texts.empty.action}
              </Button>
            }
          />
        }
      />
      {dialogs}
      {remove.dialog}
    </>
  );
}
