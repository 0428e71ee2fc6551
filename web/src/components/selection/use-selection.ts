import { type Key, useRef, useState } from 'react';

/** The selected rows of a list, over all its pages. */
export interface Selection<T> {
  /** By the keys of the rows. */
  chosen: ReadonlyMap<Key, T>;
  items: readonly T[];
  /** Selects or deselects rows. */
  choose: (rows: readonly T[], isChosen: boolean) => void;
  /**
   * Selects or deselects a row. With `asRange`, also all rows between it and the row that was last selected or
   * deselected, if that one is on the same page.
   */
  chooseOne: (row: T, isChosen: boolean, asRange: boolean) => void;
  clear: () => void;
}

/** @param rows the visible rows, in order */
export function useSelection<T>(rows: readonly T[], keyOf: (row: T) => Key): Selection<T> {
  const [chosen, setChosen] = useState<ReadonlyMap<Key, T>>(new Map());
  const last = useRef<Key>(null);
  const choose = (those: readonly T[], isChosen: boolean) =>
    setChosen((before) => {
      const after = new Map(before);
      for (const row of those) {
        if (isChosen) after.set(keyOf(row), row);
        else after.delete(keyOf(row));
      }
      return after;
    });
  return {
    chosen,
    items: [...chosen.values()],
    choose,
    chooseOne: (row, isChosen, asRange) => {
      const at = rows.findIndex((each) => keyOf(each) === keyOf(row));
      const from = asRange ? rows.findIndex((each) => keyOf(each) === last.current) : -1;
      last.current = keyOf(row);
      const those = from === -1 ? [row] : rows.slice(Math.min(from, at), Math.max(from, at) + 1);
      choose(those, isChosen);
    },
    clear: () => {
      last.current = null;
      setChosen(new Map());
    },
  };
}
