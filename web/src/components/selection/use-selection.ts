import { type Key, useEffect, useRef, useState } from 'react';

/** The selected rows of a list, over all its pages. */
export interface Selection<T> {
  /** By the keys of the rows, as the list shows them now or, if they are no longer visible, showed them last. */
  chosen: ReadonlyMap<Key, T>;
  items: readonly T[];
  /** The rows at the time of their selection. */
  marked: readonly T[];
  /** Selects or deselects rows. */
  choose: (rows: readonly T[], isChosen: boolean) => void;
  /**
   * Selects or deselects a row. With `asRange`, also all rows between it and the row that was last selected or
   * deselected, if that one is on the same page.
   */
  chooseOne: (row: T, isChosen: boolean, asRange: boolean) => void;
  /** Replaces rows that are selected, for changes of rows that are no longer visible. */
  update: (rows: readonly T[]) => void;
  clear: () => void;
}

interface Selected<T> {
  /** The row at the time of its selection. */
  marked: T;
  /** As the list showed it last. */
  shown: T;
  /** The same, with later changes that are known. */
  now: T;
}

/**
 * The selection of rows in a list.
 * @param rows the visible rows, in order
 * @param isWhole whether the list has no other rows, so that those that have left it are no longer selected
 */
export function useSelection<T>(
  rows: readonly T[],
  keyOf: (row: T) => Key,
  { isWhole = false } = {},
): Selection<T> {
  const [selected, setSelected] = useState<ReadonlyMap<Key, Selected<T>>>(new Map());
  const visible = new Map(rows.map((row) => [keyOf(row), row]));
  const kept = Array.from(selected).filter(([key]) => !isWhole || visible.has(key));
  const chosen = new Map(kept.map(([key, { now }]) => [key, visible.get(key) ?? now]));
  const last = useRef<Key>(null);
  /** Changes those of the rows that are selected. */
  const change = (those: readonly T[], changed: (before: Selected<T>, row: T) => Selected<T>) =>
    setSelected((before) => {
      const after = new Map(before);
      for (const row of those) {
        const entry = before.get(keyOf(row));
        if (entry !== undefined) after.set(keyOf(row), changed(entry, row));
      }
      return after;
    });
  // Remembers visible rows as the list shows them, for when they are no longer visible.
  useEffect(() => {
    const shown = [...visible.values()].filter((row) => (selected.get(keyOf(row))?.shown ?? row) !== row);
    if (shown.length > 0) change(shown, ({ marked }, row) => ({ marked, shown: row, now: row }));
  });
  const choose = (those: readonly T[], isChosen: boolean) =>
    setSelected((before) => {
      const after = new Map(before);
      for (const row of those) {
        if (isChosen) after.set(keyOf(row), { marked: row, shown: row, now: row });
        else after.delete(keyOf(row));
      }
      return after;
    });
  return {
    chosen,
    items: [...chosen.values()],
    marked: Array.from(selected.values(), ({ marked }) => marked),
    choose,
    chooseOne: (row, isChosen, asRange) => {
      const at = rows.findIndex((each) => keyOf(each) === keyOf(row));
      const from = asRange ? rows.findIndex((each) => keyOf(each) === last.current) : -1;
      last.current = keyOf(row);
      const those = from === -1 ? [row] : rows.slice(Math.min(from, at), Math.max(from, at) + 1);
      choose(those, isChosen);
    },
    update: (those) => change(those, (before, row) => ({ ...before, marked: row, now: row })),
    clear: () => {
      last.current = null;
      setSelected(new Map());
    },
  };
}
