import { Button } from '@mantine/core';
import { IconSearchOff } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import type { Key, ReactNode } from 'react';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { shared } from '../texts/shared.ts';
import { Rows } from './data-rows.tsx';
import styles from './data-table.module.css';
import { EmptyState } from './empty-state.tsx';
import { ErrorState } from './error-state.tsx';
import { ExportButton, type ListExport } from './export-button.tsx';
import { RereadProblem } from './reread-problem.tsx';
import { type FurtherSearch, SearchFurther } from './search-further.tsx';
import { selectColumn } from './selection/select-column.tsx';
import { SelectionBar } from './selection/selection-bar.tsx';
import type { Selection } from './selection/use-selection.ts';
import type { Column, RowDragging, TableOrder } from './table-columns.ts';
import { TableFooter } from './table-footer.tsx';
import { TableToolbar } from './table-toolbar.tsx';
import { useRowForm } from './use-row-form.ts';
import type { TableState } from './use-table.ts';

/** How rows of a list are selected. */
export interface RowSelecting<T> {
  selection: Selection<T>;
  nameOf: (row: T) => string;
  /** Buttons for the actions on the selected rows. */
  actions: ReactNode;
}

/** Options of {@link DataTable}. */
export interface DataTableProps<T> {
  /** The name of the list: `Webhooks`. */
  label: string;
  columns: readonly Column<T>[];
  rowKey: (row: T) => Key;
  table: TableState;
  query: Pick<
    UseQueryResult<ListResponse<T>>,
    'data' | 'error' | 'isPlaceholderData' | 'isFetching' | 'refetch'
  >;
  /** The order if the address has none: the default of the service. */
  defaultOrder?: TableOrder;
  /** The label of the search; without it, there is no search. */
  searchLabel?: string;
  /** TableFilter elements. */
  filters?: ReactNode;
  /** Content at the end of the bar, while no rows are selected. */
  toolbar?: ReactNode;
  /** Without it, rows cannot be dragged. */
  dragging?: RowDragging<T> | undefined;
  /** Without it, rows cannot be selected. */
  selecting?: RowSelecting<T> | undefined;
  /** Without it, the list cannot be exported. */
  exporting?: ListExport<T>;
  /** Without it, the search is complete. */
  further?: FurtherSearch | undefined;
  /** Shown if there are no rows at all (an EmptyState that says what to do). */
  empty: ReactNode;
}

/**
 * A list that the service searches, sorts and pages. Its state is in the address (see useTable), its content is a
 * query (with `placeholderData: keepPreviousData`, so that the rows stay while another page loads).
 */
export function DataTable<T extends object>({
  label,
  columns,
  rowKey,
  table,
  query,
  defaultOrder,
  searchLabel,
  filters,
  toolbar,
  dragging,
  selecting,
  exporting,
  further,
  empty,
}: DataTableProps<T>) {
  const { data, error, isPlaceholderData, refetch } = query;
  const rows = data?.data ?? [];
  const shown =
    selecting === undefined
      ? columns
      : [selectColumn(selecting.selection, rows, rowKey, selecting.nameOf), ...columns];
  const [place, form] = useRowForm(shown);
  const order = orderOf(table, columns, defaultOrder);
  const onOrder = ({ sort, direction }: TableOrder) => table.change({ sort, direction });
  const problem = <RereadProblem error={data === undefined ? null : error} className={styles.notice} />;
  if (data?.total === 0 && !table.narrowed && !isPlaceholderData) {
    return (
      <div className={styles.frame}>
        {problem}
        {empty}
      </div>
    );
  }
  const isSelecting = selecting !== undefined && selecting.selection.chosen.size > 0;
  return (
    <section ref={place} className={styles.frame} aria-label={label}>
      <TableToolbar
        table={table}
        columns={columns}
        order={order}
        onOrder={onOrder}
        offersOrder={
          form.asCards || shown.some((each) => each.sort !== undefined && !form.columns.includes(each))
        }
        searchLabel={searchLabel}
        filters={isSelecting ? undefined : filters}
        extra={
          isSelecting ? (
            <SelectionBar
              selection={selecting.selection}
              rows={rows}
              keyOf={rowKey}
              total={data?.total ?? 0}
              isLowerBound={data?.total_is_lower_bound ?? false}
              list={exporting?.list}
            >
              {selecting.actions}
            </SelectionBar>
          ) : (
            toolbar
          )
        }
      />
      {problem}
      {data === undefined && error !== null ? (
        // The search stays, because the service may have refused its text.
        <ErrorState error={error} retry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <EmptyTable table={table} page={data} further={further} />
      ) : (
        <Rows
          {...form}
          label={label}
          rows={data?.data}
          rowKey={rowKey}
          stale={isPlaceholderData}
          dragging={dragging}
          {...(order === undefined ? {} : { order })}
          onOrder={onOrder}
        />
      )}
      {(data !== undefined || error === null) && (
        <TableFooter
          table={table}
          page={data}
          further={further}
          actions={
            exporting !== undefined && (
              <ExportButton exporting={exporting} sort={order?.sort} rowKey={rowKey} />
            )
          }
        />
      )}
    </section>
  );
}

function EmptyTable({
  table,
  page: { total, total_is_lower_bound: isPartial = false },
  further,
}: {
  table: TableState;
  page: ListResponse<unknown>;
  further: FurtherSearch | undefined;
}) {
  if (total === 0 && further !== undefined) return <SearchFurther {...further} />;
  const words = total === 0 ? shared.nothingFound : shared.table.beyond;
  return (
    <EmptyState
      icon={IconSearchOff}
      title={words.title}
      description={total === 0 && isPartial ? shared.nothingFound.partial : words.description}
      action={
        <Button
          variant="default"
          onClick={() => (total === 0 ? table.clear() : table.change({ page: undefined }))}
        >
          {words.action}
        </Button>
      }
    />
  );
}

function orderOf<T>(
  { values }: TableState,
  columns: readonly Column<T>[],
  defaultOrder: TableOrder | undefined,
): TableOrder | undefined {
  const { sort = defaultOrder?.sort, direction } = values;
  if (sort === undefined) return undefined;
  const first = columns.find((column) => column.sort === sort)?.firstDirection ?? 'asc';
  const implied = sort === defaultOrder?.sort ? defaultOrder.direction : first;
  return { sort, direction: direction ?? implied };
}
