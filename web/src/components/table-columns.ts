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
