import type { Key } from 'react';
import { shared } from '../texts/shared.ts';
import { formatNumber } from '../utilities/numbers.ts';
import { DataRows } from './data-rows.tsx';
import type { RowSelecting } from './data-table.tsx';
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
  rows,
  rowKey,
  selecting,
  exportName,
}: {
  /** The name of the list: `Alerts`. */
  label: string;
  columns: readonly Column<T>[];
  /** Undefined while loading. */
  rows: readonly T[] | undefined;
  rowKey: (row: T) => Key;
  selecting: RowSelecting<T>;
  /** The name of the exported file, without its extension. */
  exportName: string;
}) {
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
