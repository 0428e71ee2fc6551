import { IconBooks } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { assetKey } from '../../../../../src/events/asset-key.ts';
import { CONTENT_TYPES } from '../../../../../src/events/catalogue.ts';
import {
  type Account,
  type AccountContent,
  accountContentsQuery,
  accountsKey,
  removeAccountContent,
} from '../../../api/accounts.ts';
import { fetchCurrent } from '../../../api/query-client.ts';
import { AssetIcon } from '../../../components/asset-icon.tsx';
import { addressOf } from '../../../components/asset-link.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { RowLink } from '../../../components/row-link.tsx';
import { useBulkDelete } from '../../../components/selection/use-bulk-delete.tsx';
import { useSelection } from '../../../components/selection/use-selection.ts';
import type { Column } from '../../../components/table-columns.ts';
import { TableFilter } from '../../../components/table-filter.tsx';
import { Time } from '../../../components/time.tsx';
import { useTable } from '../../../components/use-table.ts';
import { useIsAdmin } from '../../../session/session-context.ts';
import { accounts } from '../../../texts/accounts.ts';
import { listQuery } from '../../../utilities/table-search.ts';
import styles from '../accounts.module.css';

const texts = accounts.contents;
/** Members of the page's address that do not belong to this table. */
const OTHERS = ['tab', 'add', 'new', 'status', 'course_id'];
const SORTS: readonly unknown[] = ['name', 'added'];

const COLUMNS: readonly Column<AccountContent>[] = [
  {
    id: 'name',
    label: texts.columns.name,
    sort: 'name',
    card: 'title',
    cell: (asset) => (
      <div className={styles.asset}>
        <AssetIcon type={asset.type} />
        <div className={styles.words}>
          <RowLink to="." {...(addressOf(asset.type, asset.id) as object)}>
            <bdi className={styles.assetName} title={asset.name}>
              {asset.name}
            </bdi>
          </RowLink>
          <bdi className={styles.location} title={asset.location}>
            {asset.location}
          </bdi>
        </div>
      </div>
    ),
  },
  { id: 'type', label: texts.columns.type, width: '9rem', cell: ({ type }) => texts.types[type] },
  {
    id: 'added',
    label: texts.columns.added,
    sort: 'added',
    firstDirection: 'desc',
    width: '10rem',
    cell: ({ added_dt }) => <Time value={added_dt} />,
  },
];

/** The content that an account has directly. Several items can be selected and removed. */
export function ContentsPanel({ account }: { account: Account }) {
  const isAdmin = useIsAdmin();
  const table = useTable(OTHERS);
  const { search, type, sort, direction, page, size } = table.values;
  const ordered = SORTS.includes(sort) ? { sort, direction } : {};
  const query = listQuery({ search, type, page, size, ...ordered });
  const contents = useQuery(accountContentsQuery(account.id, query));
  const selection = useSelection(contents.data?.data ?? [], assetKey);
  const queryClient = useQueryClient();
  const nameOf = ({ name }: AccountContent) => name;
  const remove = useBulkDelete(selection, {
    label: texts.remove.action(selection.chosen.size),
    words: texts.remove.words,
    nameOf,
    description: () => (
      <>
        <p>{texts.remove.description}</p>
        <p>{texts.remove.event}</p>
      </>
    ),
    act: (asset) => removeAccountContent(account.id, asset),
    onEnd: () => queryClient.invalidateQueries({ queryKey: accountsKey }),
  });
  return (
    <>
      <DataTable
        label={texts.label}
        columns={COLUMNS}
        rowKey={assetKey}
        table={table}
        exporting={{
          name: 'account-content',
          list: (client, part) =>
            fetchCurrent(client, accountContentsQuery(account.id, { ...query, ...part })),
          steadySort: 'added',
        }}
        query={contents}
        defaultOrder={{ sort: 'name', direction: 'asc' }}
        searchLabel={texts.search}
        filters={
          <TableFilter
            table={table}
            name="type"
            label={texts.type}
            options={CONTENT_TYPES.map((value) => ({ value, label: texts.types[value] }))}
          />
        }
        selecting={isAdmin ? { selection, nameOf, actions: remove.button } : undefined}
        empty={
          <EmptyState
            icon={IconBooks}
            title={texts.empty.title}
            description={isAdmin ? texts.empty.description : texts.empty.viewer}
          />
        }
      />
      {remove.dialog}
    </>
  );
}
