import type { DragEvent, ReactNode } from 'react';
import type { Direction } from '../utilities/table-search.ts';

/** A column of a table; at phone width, a line of a card. */
export interface Column<T> {
  /** Unique in its table. */
  id: string;
  label: string;
  cell: (row: T) => ReactNode;
  /** What the interface calls the order by this column; absent where there is none. */
  sort?: string;
  /** The direction that is chosen first; `asc` unless it says otherwise. */
  firstDirection?: Direction;
  /** `end` for numbers. */
  align?: 'end';
  /** A CSS width; columns without share what is left. */
  width?: string;
  /** Where it stands on a card; by default in a line with its label. */
  card?: 'title' | 'actions' | 'hidden';
}

/** The order that a table is in. */
export interface TableOrder {
  sort: string;
  direction: Direction;
}

/** What happens when a row is dragged. */
export interface RowDragging<T> {
  onDragStart: (row: T, event: DragEvent) => void;
  onDragEnd: () => void;
}
