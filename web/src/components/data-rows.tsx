import { Skeleton, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import type { DragEvent, Key, ReactNode } from 'react';
import type { Direction } from '../utilities/table-search.ts';
import styles from './data-rows.module.css';
import { keepsFocus } from './focus-heading.ts';
import { rowClicks } from './row-clicks.ts';
import { type Column, leastWidth, type RowDragging, type TableOrder } from './table-columns.ts';
import { type RowForm, useRowForm } from './use-row-form.ts';
import { useTooWide } from './use-too-wide.ts';

const PLACEHOLDER_ROWS = 8;
/** Uneven, like words. */
const PLACEHOLDER_WIDTHS = ['72%', '54%', '64%', '46%'];

interface DataRowsProps<T> {
  /** The name of the list, for screen readers. */
  label: string;
  columns: readonly Column<T>[];
  /** Undefined while loading: placeholders are shown. */
  rows: readonly T[] | undefined;
  rowKey: (row: T) => Key;
  order?: TableOrder;
  onOrder?: (order: TableOrder) => void;
  /** Whether the rows are from the previous query while the next one is loading. */
  stale?: boolean;
  placeholderRows?: number;
  /** Without it, rows cannot be dragged. */
  dragging?: RowDragging<T> | undefined;
}

/**
 * Rows as a table, or as cards where a table would be too narrow to read. For long lists use DataTable, which adds
 * search, sorting and pages.
 */
export function DataRows<T>(props: DataRowsProps<T>) {
  const [place, form] = useRowForm(props.columns);
  return (
    <div ref={place}>
      <Rows {...props} {...form} />
    </div>
  );
}

/** Rows whose form has been decided (see useRowForm). */
export function Rows<T>({ asCards, onTooWide, ...props }: DataRowsProps<T> & RowForm<T>) {
  return asCards ? <Cards {...props} /> : <TableOfRows {...props} onTooWide={onTooWide} />;
}

function TableOfRows<T>({
  label,
  columns,
  rows,
  rowKey,
  order,
  onOrder,
  stale = false,
  placeholderRows = PLACEHOLDER_ROWS,
  dragging,
  onTooWide,
}: DataRowsProps<T> & Pick<RowForm<T>, 'onTooWide'>) {
  const box = useTooWide(onTooWide);
  return (
    <div ref={box}>
      <table className={styles.table} aria-busy={rows === undefined || stale} data-stale={stale || undefined}>
        <VisuallyHidden component="caption">{label}</VisuallyHidden>
        <colgroup>
          {columns.map(({ id, width }) => (
            <col key={id} {...(width === undefined ? {} : { style: { width } })} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell key={column.id} column={column} order={order} onOrder={onOrder} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows?.map((row) => (
            <tr
              key={rowKey(row)}
              ref={keepsFocus}
              className={styles.row}
              {...rowClicks}
              {...rowDrags(row, dragging)}
            >
              {columns.map(({ id, cell, align }) => (
                <td key={id} data-align={align}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          )) ??
            placeholders(placeholderRows).map((line) => (
              <tr key={`placeholder-${line}`}>
                {columns.map(({ id, align }, at) => (
                  <td key={id} data-align={align}>
                    <Placeholder at={line + at} end={align === 'end'} />
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </div>
  );
}

function HeadCell<T>({
  column,
  order,
  onOrder,
}: {
  column: Column<T>;
  order: TableOrder | undefined;
  onOrder: ((order: TableOrder) => void) | undefined;
}) {
  const { id, label, sort, align, card, head } = column;
  const attributes = {
    'data-column': id,
    'data-align': align,
    style: { minWidth: `${leastWidth(column)}rem` },
  };
  if (head !== undefined) {
    return (
      <th scope="col" {...attributes}>
        {head}
      </th>
    );
  }
  if (sort === undefined || onOrder === undefined) {
    return (
      <th scope="col" {...attributes}>
        {card === 'actions' ? <VisuallyHidden>{label}</VisuallyHidden> : label}
      </th>
    );
  }
  const direction = order?.sort === sort ? order.direction : null;
  const Icon = direction === null ? IconArrowsSort : direction === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <th scope="col" {...attributes} aria-sort={ariaSort(direction)}>
      <button
        type="button"
        className={styles.order}
        data-chosen={direction !== null || undefined}
        onClick={() => onOrder({ sort, direction: nextDirection(column, direction) })}
      >
        {label}
        <Icon size={14} stroke={1.8} aria-hidden />
      </button>
    </th>
  );
}

function Cards<T>({
  label,
  columns,
  rows,
  rowKey,
  stale = false,
  placeholderRows = PLACEHOLDER_ROWS,
  dragging,
}: DataRowsProps<T>) {
  return (
    <ul
      className={styles.cards}
      aria-label={label}
      aria-busy={rows === undefined || stale}
      data-stale={stale || undefined}
    >
      {rows?.map((row) => (
        <li
          key={rowKey(row)}
          ref={keepsFocus}
          className={styles.card}
          {...rowClicks}
          {...rowDrags(row, dragging)}
        >
          <CardContent columns={columns} content={(column) => column.cell(row)} />
        </li>
      )) ??
        placeholders(placeholderRows).map((line) => (
          <li key={`placeholder-${line}`} className={styles.card}>
            <CardContent
              columns={columns.filter(({ card }) => card !== 'actions')}
              content={({ id, card }) => <Placeholder at={line + id.length} end={card === undefined} />}
            />
          </li>
        ))}
    </ul>
  );
}

function CardContent<T>({
  columns,
  content,
}: {
  columns: readonly Column<T>[];
  content: (column: Column<T>) => ReactNode;
}) {
  const at = (place: Column<T>['card']) => columns.filter(({ card }) => card === place);
  const actions = at('actions');
  return (
    <>
      <div className={styles.cardHead}>
        <div className={styles.cardTitle}>
          {at('title').map((column) => (
            <div key={column.id}>{content(column)}</div>
          ))}
        </div>
        {actions.map((column) => (
          <div key={column.id}>{content(column)}</div>
        ))}
      </div>
      <dl className={styles.facts}>
        {at(undefined).map((column) => (
          <div key={column.id} className={styles.fact}>
            <dt>{column.label}</dt>
            <dd>{content(column)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function rowDrags<T>(row: T, dragging: RowDragging<T> | undefined) {
  if (dragging === undefined) return {};
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => dragging.onDragStart(row, event),
    onDragEnd: dragging.onDragEnd,
  };
}

function Placeholder({ at, end }: { at: number; end: boolean }) {
  const width = PLACEHOLDER_WIDTHS[at % PLACEHOLDER_WIDTHS.length] ?? '60%';
  return <Skeleton height={12} my={4} width={width} ml={end ? 'auto' : 0} />;
}

function placeholders(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

function nextDirection<T>({ firstDirection = 'asc' }: Column<T>, current: Direction | null): Direction {
  if (current === null) return firstDirection;
  return current === 'asc' ? 'desc' : 'asc';
}

function ariaSort(direction: Direction | null): 'ascending' | 'descending' | 'none' {
  if (direction === null) return 'none';
  return direction === 'asc' ? 'ascending' : 'descending';
}
