import type { DragEvent, ReactNode } from 'react';
import type { Direction } from '../utilities/table-search.ts';

/** A column of a table, or a line of a card on phones. */
export interface Column<T> {
  /** Unique in its table. */
  id: string;
  label: string;
  /** The head in a table, instead of the label. */
  head?: ReactNode;
  cell: (row: T) => ReactNode;
  /** The sort key in the API; absent if the column cannot be sorted. */
  sort?: string;
  /** The first direction of sorting. Defaults to `asc`. */
  firstDirection?: Direction;
  /** `end` for numbers. */
  align?: 'end';
  /** A CSS width. Columns without one share the remaining space. */
  width?: string;
  /** Whether the column is omitted if the table would be too narrow. The last such column is omitted first. */
  isSpare?: true;
  /** Its place on a card. Defaults to a line with its label. */
  card?: 'title' | 'actions' | 'hidden';
}

/** The order of a table. */
export interface TableOrder {
  sort: string;
  direction: Direction;
}

/** Handlers for dragging rows. */
export interface RowDragging<T> {
  onDragStart: (row: T, event: DragEvent) => void;
  onDragEnd: () => void;
}

/** Room for two short words in a line, or for a long number. */
const WORDS_REM = 8;
const NUMBER_REM = 5;
const SHORT_WORDS_REM = 6;
/** The part of its usual width that a column can do without. */
const SPARE = 0.1;

/** The width, in rem, below which the content of a column is hard to read. */
export function readableWidth({ width, align }: Pick<Column<never>, 'width' | 'align'>): number {
  if (width?.endsWith('rem') === true) return Number.parseFloat(width) * (1 - SPARE);
  return align === 'end' ? NUMBER_REM : WORDS_REM;
}

/** The width, in rem, that a column keeps in a table. Columns of short words leave their space to others. */
export function leastWidth(column: Column<never>): number {
  const isShort = column.width === undefined && column.card !== 'title';
  return isShort ? Math.min(readableWidth(column), SHORT_WORDS_REM) : readableWidth(column);
}
