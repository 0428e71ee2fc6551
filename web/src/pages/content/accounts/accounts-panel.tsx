import { Button, Skeleton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { assetKey } from '../../../../../src/events/asset-key.ts';
import type { ContentReference } from '../../../../../src/events/event.ts';
import { type AccountWithContent, accountsWithQuery, readAccountsWith } from '../../../api/many-accounts.ts';
import { AssetLink } from '../../../components/asset-link.tsx';
import { BusyButton } from '../../../components/busy-button.tsx';
import { AddToAccountsDialog } from '../../../components/content-dialog/add-to-accounts-dialog.tsx';
import { DataRows } from '../../../components/data-rows.tsx';
import { ExportButton } from '../../../components/export-button.tsx';
import { Panel } from '../../../components/panel.tsx';
import { selectColumn } from '../../../components/selection/select-column.tsx';
import { type Selection, useSelection } from '../../../components/selection/use-selection.ts';
import { StatusBadge } from '../../../components/status-badge.tsx';
import type { Column } from '../../../components/table-columns.ts';
import { Unread } from '../../../components/unread.tsx';
import { useIsAdmin } from '../../../session/session-context.ts';
import { contentDialog } from '../../../texts/content-dialog.ts';
import { manyAccounts as texts } from '../../../texts/many-accounts.ts';
import { selection as selectionTexts } from '../../../texts/selection.ts';
import { formatNumber } from '../../../utilities/numbers.ts';
import styles from './accounts-panel.module.css';
import { hasDirectly, RemoveFromAccountsDialog } from './remove-from-accounts-dialog.tsx';

type Asset = ContentReference & { name: string };
const keyOf = ({ account_id }: AccountWithContent) => account_id;

/** The accounts that have an asset, and how they have it. */
export function AccountsPanel({ asset }: { asset: Asset }) {
  const isAdmin = useIsAdmin();
  const { type, id } = asset;
  const query = useInfiniteQuery(accountsWithQuery({ type, id }));
  const rows = query.data?.pages.flatMap((page) => page.data);
  const selection = useSelection(rows ?? [], keyOf);
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState(false);
  const columns = columnsOf(asset);
  return (
    <Panel
      title={texts.title}
      description={texts.description}
      flush={rows !== undefined && rows.length > 0}
      actions={
        isAdmin &&
        (selection.chosen.size > 0 ? (
          <SelectedAccounts asset={asset} selection={selection} onRemove={() => setRemoving(true)} />
        ) : (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} stroke={1.8} />}
            onClick={() => setAdding(true)}
          >
            {texts.add.action}
          </Button>
        ))
      }
    >
      {rows === undefined ? (
        <Unread
          query={query}
          placeholder={
            <div aria-busy="true">
              <Skeleton height={12} my={6} width="40%" />
              <Skeleton height={12} my={6} width="70%" />
            </div>
          }
        />
      ) : rows.length === 0 ? (
        texts.empty
      ) : (
        <>
          <DataRows
            label={texts.label}
            columns={
              isAdmin
                ? [selectColumn(selection, rows, keyOf, ({ account_name }) => account_name), ...columns]
                : columns
            }
            rows={rows}
            rowKey={keyOf}
          />
          <ListFooter asset={asset} query={query} />
        </>
      )}
      <AddToAccountsDialog contents={[asset]} opened={adding} onClose={() => setAdding(false)} />
      <RemoveFromAccountsDialog
        asset={asset}
        accounts={selection.items}
        opened={removing}
        onRemoved={selection.clear}
        onClose={() => setRemoving(false)}
      />
    </Panel>
  );
}

function columnsOf(asset: Asset): Column<AccountWithContent>[] {
  return [
    {
      id: 'account',
      label: texts.columns.account,
      card: 'title',
      cell: ({ account_id, account_name, enabled }) => (
        <span className={styles.account}>
          <AssetLink type="ACCOUNT" id={account_id}>
            <bdi>{account_name}</bdi>
          </AssetLink>
          {!enabled && <StatusBadge tone="quiet">{texts.inactive}</StatusBadge>}
        </span>
      ),
    },
    {
      id: 'through',
      label: texts.columns.through,
      cell: ({ through }) => <Through ways={through} asset={asset} />,
    },
  ];
}

/** What can be done with the selected accounts. */
function SelectedAccounts({
  asset,
  selection,
  onRemove,
}: {
  asset: Asset;
  selection: Selection<AccountWithContent>;
  onRemove: () => void;
}) {
  const anyDirect = selection.items.some((account) => hasDirectly(account, asset));
  return (
    <div className={styles.selection}>
      <span role="status">{selectionTexts.count(formatNumber(selection.chosen.size))}</span>
      <Button variant="subtle" size="compact-sm" color="gray" onClick={selection.clear}>
        {selectionTexts.none}
      </Button>
      <Button
        size="xs"
        color="red"
        variant="light"
        disabled={!anyDirect}
        title={anyDirect ? undefined : texts.remove.none}
        onClick={onRemove}
      >
        {texts.remove.action}
      </Button>
    </div>
  );
}

function ListFooter({
  asset: { type, id },
  query: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  asset: Asset;
  query: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
}) {
  return (
    <div className={styles.more}>
      {hasNextPage && (
        <BusyButton
          variant="subtle"
          size="compact-sm"
          isBusy={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          {texts.more}
        </BusyButton>
      )}
      <ExportButton
        exporting={{
          name: 'accounts-with-access',
          page: (_client, cursor, limit) => readAccountsWith({ type, id }, cursor, limit),
        }}
        rowKey={keyOf}
      />
    </div>
  );
}

function Through({ ways, asset }: { ways: AccountWithContent['through']; asset: Asset }) {
  return (
    <ul className={styles.ways}>
      {ways.map(({ type, id, name, path }) => (
        <li key={assetKey({ type, id })}>
          {type === asset.type && id === asset.id ? (
            texts.directly
          ) : (
            <>
              {contentDialog.types[type]}{' '}
              <AssetLink type={type} id={id}>
                <bdi>{name}</bdi>
              </AssetLink>
              {path.map((step) => (
                <Fragment key={assetKey(step)}>
                  {' › '}
                  <AssetLink type={step.type} id={step.id}>
                    <bdi>{step.name}</bdi>
                  </AssetLink>
                </Fragment>
              ))}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
