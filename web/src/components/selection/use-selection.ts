import { type Key, useRef, useState } from 'react';

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
  const [marked, setChosen] = useState<ReadonlyMap<Key, T>>(new Map());
  const visible = new Map(rows.map((row) => [keyOf(row), row]));
  const kept = Array.from(marked).filter(([key]) => !isWhole || visible.has(key));
  /** The selected rows as the list showed them last, and as they are known to be since. */
  const [seen] = useState(() => new Map<Key, { shown: T | undefined; now: T }>());
  for (const [key, row] of visible) {
    if (marked.has(key) && seen.get(key)?.shown !== row) seen.set(key, { shown: row, now: row });
  }
  const chosen = new Map(kept.map(([key, row]) => [key, seen.get(key)?.now ?? row]));
  const last = useRef<Key>(null);
  const choose = (those: readonly T[], isChosen: boolean) => {
    for (const row of those) seen.delete(keyOf(row));
    setChosen((before) => {
      const after = new Map(before);
      for (const row of those) {
        if (isChosen) after.set(keyOf(row), row);
        else after.delete(keyOf(row));
      }
      return after;
    });
  };
  return {
    chosen,
    items: [...chosen.values()],
    marked: [...marked.values()],
    choose,
    chooseOne: (row, isChosen, asRange) => {
      const at = rows.findIndex((each) => keyOf(each) === keyOf(row));
      const from = asRange ? rows.findIndex((each) => keyOf(each) === last.current) : -1;
      last.current = keyOf(row);
      const those = from === -1 ? [row] : rows.slice(Math.min(from, at), Math.max(from, at) + 1);
      choose(those, isChosen);
    },
    update: (those) => {
      for (const row of those) seen.set(keyOf(row), { shown: seen.get(keyOf(row))?.shown, now: row });
      setChosen((before) => {
        const after = new Map(before);
        for (const row of those) if (after.has(keyOf(row))) after.set(keyOf(row), row);
        return after;
      });
    },
    clear: () => {
      seen.clear();
      last.current = null;
      setChosen(new Map());
    },
  };
}
