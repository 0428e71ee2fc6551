import type { UseQueryResult } from '@tanstack/react-query';
import type { Key, ReactNode } from 'react';
import { shared } from '../texts/shared.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { DataRows } from './data-rows.tsx';
import type { RowSelecting } from './data-table.tsx';
import { ErrorState } from './error-state.tsx';
import { ExportButton } from './export-button.tsx';
import { selectColumn } from './selection/select-column.tsx';
import { SelectionBar } from './selection/selection-bar.tsx';
import styles from './short-list.module.css';
import type { Column } from './table-columns.ts';

const PLACEHOLDER_ROWS = 3;

/** A list that fits in one response, without search, sorting and pages. Its rows can be selected and exported. */
export function ShortList<T extends object>({
  label,
  columns,
  query,
  rowKey,
  selecting,
  exportName,
  empty,
}: {
  /** The name of the list: `Alerts`. */
  label: string;
  columns: readonly Column<T>[];
  query: Pick<UseQueryResult<readonly T[]>, 'data' | 'error' | 'refetch'>;
  rowKey: (row: T) => Key;
  selecting: RowSelecting<T>;
  /** The name of the exported file, without its extension. */
  exportName: string;
  /** Shown if there are no rows. */
  empty?: ReactNode;
}) {
  const { data: rows, error, refetch } = query;
  if (rows === undefined && error !== null) {
    return (
      <div className={styles.frame}>
        <ErrorState error={error} retry={() => void refetch()} />
      </div>
    );
  }
  if (rows?.length === 0 && empty !== undefined) return <div className={styles.frame}>{empty}</div>;
  const { selection, nameOf, actions } = selecting;
  const total = rows?.length ?? 0;
  return (
    <section className={styles.frame} aria-label={label}>
      <div className={styles.bar}>
        {rows !== undefined && selection.chosen.size > 0 ? (
          <SelectionBar selection={selection} rows={rows} keyOf={rowKey} total={total}>
            {actions}
          </SelectionBar>
        ) : (
          total > 0 && (
            <>
              <span className={styles.count}>
                {shared.table.range('1', formatNumber(total), formatNumber(total))}
              </span>
              <ExportButton
                exporting={{
                  name: exportName,
                  list: async (_client, { limit, offset }) => ({
                    data: (rows ?? []).slice(offset, offset + limit),
                    offset,
                    limit,
                    total,
                  }),
                  steadySort: null,
                }}
                rowKey={rowKey}
              />
            </>
          )
        )}
      </div>
      <DataRows
        label={label}
        columns={[selectColumn(selection, rows ?? [], rowKey, nameOf), ...columns]}
        rows={rows}
        rowKey={rowKey}
        placeholderRows={PLACEHOLDER_ROWS}
      />
    </section>
  );
}
