import { Button } from '@mantine/core';
import { IconBuilding, IconPlus } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type AccountOverview, accountListQuery, accountsKey, deleteAccount } from '../../../api/accounts.ts';
import { fetchCurrent } from '../../../api/query-client.ts';
import { registrationsKey } from '../../../api/registrations.ts';
import { DataTable } from '../../../components/data-table.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { PageHeader } from '../../../components/page-header.tsx';
import { RowLink } from '../../../components/row-link.tsx';
import { useAskedRows } from '../../../components/selection/use-asked-rows.ts';
import { useBulkDelete } from '../../../components/selection/use-bulk-delete.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import type { Column } from '../../../components/table-columns.ts';
import { TableFilter } from '../../../components/table-filter.tsx';
import { Time } from '../../../components/time.tsx';
import { useTable } from '../../../components/use-table.ts';
import { useFormInAddress } from '../../../navigation/opened-within.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { accounts } from '../../../texts/accounts.ts';
import { manyAccounts } from '../../../texts/many-accounts.ts';
import { shared } from '../../../texts/shared.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import { listQuery } from '../../../utilities/table-search.ts';
import { AccountMenu } from '../account-menu.tsx';
import { AccountState } from '../account-state.tsx';
import styles from '../accounts.module.css';
import { DeletedWithAccounts } from '../deleted-with-accounts.tsx';
import { AddContentsDialog } from '../details/add-contents-dialog.tsx';
import { type ActOnAccount, useAccountActions } from '../use-account-actions.tsx';
import { CreateAccountDialog } from './create-account-dialog.tsx';

const route = getRouteApi('/app/accounts');
const words = accounts.columns;

const COLUMNS: readonly Column<AccountOverview>[] = [
  {
    id: 'name',
    label: words.name,
    sort: 'name',
    card: 'title',
    cell: (account) => <NameCell account={account} />,
  },
  {
    id: 'state',
    label: words.state,
    width: '8rem',
    cell: ({ enabled }) => <AccountState enabled={enabled} />,
  },
  {
    id: 'contents',
    label: words.contents,
    align: 'end',
    width: '7rem',
    cell: ({ content_count: count }) => formatNumber(count),
  },
  {
    id: 'updated',
    isSpare: true,
    label: words.updated,
    sort: 'updated',
    firstDirection: 'desc',
    width: '10rem',
    cell: (account) => <Time value={account.updated_dt} />,
  },
  {
    id: 'created',
    isSpare: true,
    label: words.created,
    sort: 'created',
    firstDirection: 'desc',
    width: '10rem',
    cell: (account) => <Time value={account.created_dt} />,
  },
];

function actionsColumn(act: ActOnAccount): Column<AccountOverview> {
  return {
    id: 'actions',
    label: shared.actions,
    width: '4rem',
    align: 'end',
    card: 'actions',
    cell: (account) => <AccountMenu account={account} onAct={act} />,
  };
}

const nameOf = ({ name }: AccountOverview) => name;

/** All accounts. */
export function AccountListPage() {
  const isAdmin = useIsAdmin();
  const { new: creating } = route.useSearch();
  const table = useTable(['new']);
  const { new: _dialog, ...values } = table.values;
  const query = useQuery(accountListQuery(listQuery(values)));
  const selection = useSelection(query.data?.data ?? [], ({ id }) => id);
  const actions = useAccountActions();
  const adding = useAskedRows(selection);
  const queryClient = useQueryClient();
  const remove = useBulkDelete(selection, {
    words: accounts.remove.many,
    nameOf,
    typed: () => true,
    description: (rows) => <DeletedWithAccounts selected={rows} />,
    act: ({ id }) => deleteAccount(id),
    onEnd: () =>
      Promise.all([
        queryClient.invalidateQueries({ queryKey: accountsKey }),
        queryClient.invalidateQueries({ queryKey: registrationsKey }),
      ]),
  });
  const isEmpty = query.data?.total === 0 && !table.narrowed;
  const form = useFormInAddress(['new']);
  return (
    <>
      <PageHeader
        title={accounts.title}
        description={accounts.description}
        actions={
          isAdmin &&
          !isEmpty && (
            <Button
              leftSection={<IconPlus size={16} stroke={1.8} />}
              onClick={() => form.open({ new: 'yes' })}
            >
              {accounts.create.action}
            </Button>
          )
        }
      />
      <DataTable
        label={accounts.label}
        columns={isAdmin ? [...COLUMNS, actionsColumn(actions.act)] : COLUMNS}
        rowKey={({ id }) => id}
        table={table}
        exporting={{
          name: 'accounts',
          list: (client, part) => fetchCurrent(client, accountListQuery({ ...listQuery(values), ...part })),
          steadySort: 'created',
        }}
        query={query}
        defaultOrder={{ sort: 'name', direction: 'asc' }}
        searchLabel={accounts.search}
        filters={
          <TableFilter
            table={table}
            name="enabled"
            label={accounts.stateFilter}
            options={[
              { value: 'true', label: accounts.states.active },
              { value: 'false', label: accounts.states.inactive },
            ]}
          />
        }
        selecting={
          isAdmin
            ? {
                selection,
                nameOf,
                actions: (
                  <>
                    <Button size="xs" variant="default" onClick={adding.open}>
                      {manyAccounts.add.content}
                    </Button>
                    {remove.button}
                  </>
                ),
              }
            : undefined
        }
        empty={
          <EmptyState
            icon={IconBuilding}
            title={accounts.empty.title}
            description={isAdmin ? accounts.empty.description : accounts.empty.viewer}
            {...(isAdmin
              ? {
                  action: (
                    <Button
                      leftSection={<IconPlus size={16} stroke={1.8} />}
                      onClick={() => form.open({ new: 'yes' })}
                    >
                      {accounts.create.first}
                    </Button>
                  ),
                }
              : {})}
          />
        }
      />
      {isAdmin && (
        <>
          <CreateAccountDialog opened={creating === 'yes'} onClose={form.close} />
          <AddContentsDialog
            accounts={adding.rows}
            opened={adding.isOpen}
            onDone={adding.deselect}
            onClose={adding.close}
          />
          {remove.dialog}
          {actions.dialogs}
        </>
      )}
    </>
  );
}

function NameCell({ account }: { account: AccountOverview }) {
  return (
    <div className={styles.name}>
      <RowLink to="/accounts/$accountId" params={{ accountId: account.id }}>
        <bdi className={styles.clamped} title={account.name}>
          {account.name}
        </bdi>
      </RowLink>
      <span className={styles.quiet}>{accounts.id(account.id)}</span>
    </div>
  );
}
