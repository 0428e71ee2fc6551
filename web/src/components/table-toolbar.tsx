import { ActionIcon, Select, Tooltip } from '@mantine/core';
import { IconSearch, IconSortAscending, IconSortDescending } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { MAX_SEARCH_LENGTH } from '../../../src/ui-api/list-limits.ts';
import { shared } from '../texts/shared.ts';
import styles from './data-table.module.css';
import { FilterInput } from './filter-input.tsx';
import type { Column, TableOrder } from './table-columns.ts';
import type { TableState } from './use-table.ts';

const TYPING_MS = 250;

/** Search, filters and, if there are no column headers to click, the order. */
export function TableToolbar<T>({
  table,
  columns,
  order,
  onOrder,
  offersOrder,
  searchLabel,
  filters,
  extra,
}: {
  table: TableState;
  columns: readonly Column<T>[];
  order: TableOrder | undefined;
  onOrder: (order: TableOrder) => void;
  /** Whether a column that can be sorted has no header to click. */
  offersOrder: boolean;
  searchLabel: string | undefined;
  filters: ReactNode;
  extra: ReactNode;
}) {
  const sortable = columns.filter(({ sort }) => sort !== undefined);
  const hasOrder = offersOrder && sortable.length > 0;
  if (searchLabel === undefined && !filters && !extra && !hasOrder) return null;
  return (
    <search className={styles.toolbar}>
      {searchLabel !== undefined && (
        <FilterInput
          table={table}
          name="search"
          label={searchLabel}
          pauseMs={TYPING_MS}
          className={styles.search ?? ''}
          type="search"
          maxLength={MAX_SEARCH_LENGTH}
          leftSection={<IconSearch size={16} stroke={1.6} />}
        />
      )}
      {filters}
      {hasOrder && <OrderField columns={sortable} order={order} onOrder={onOrder} />}
      {extra !== undefined && <div className={styles.extra}>{extra}</div>}
    </search>
  );
}

function OrderField<T>({
  columns,
  order,
  onOrder,
}: {
  columns: readonly Column<T>[];
  order: TableOrder | undefined;
  onOrder: (order: TableOrder) => void;
}) {
  const direction = order?.direction ?? 'asc';
  const Icon = direction === 'asc' ? IconSortAscending : IconSortDescending;
  const directionLabel = direction === 'asc' ? shared.table.ascending : shared.table.descending;
  return (
    <div className={styles.order}>
      <Select
        aria-label={shared.table.sortBy}
        placeholder={shared.table.sortBy}
        value={order?.sort ?? null}
        onChange={(sort) => {
          const column = columns.find((each) => each.sort === sort);
          if (column?.sort === undefined) return;
          onOrder({ sort: column.sort, direction: column.firstDirection ?? 'asc' });
        }}
        data={columns.map(({ sort = '', label }) => ({ value: sort, label }))}
      />
      <Tooltip label={directionLabel}>
        <ActionIcon
          variant="default"
          size="lg"
          disabled={order === undefined}
          aria-label={directionLabel}
          onClick={() =>
            order !== undefined &&
            onOrder({ sort: order.sort, direction: direction === 'asc' ? 'desc' : 'asc' })
          }
        >
          <Icon size={18} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
