import { type KeyboardEvent, useRef } from 'react';
import type { TreeRow } from './folder-index.ts';
import { rowAfterKey, typedMatch } from './tree-keys.ts';

const TYPING_MS = 700;

/** Handles the keys of a tree: arrow keys, Home and End, typing a name, Enter. */
export function useTreeKeys({
  rows,
  activeIndex,
  onGo,
  onExpand,
  onChoose,
}: {
  rows: readonly TreeRow[];
  /** The index of the row that the keys refer to. */
  activeIndex: number;
  onGo: (index: number) => void;
  /** Expands or collapses the active row. */
  onExpand: (row: TreeRow, isExpanded: boolean) => void;
  onChoose: (row: TreeRow) => void;
}): (event: KeyboardEvent) => void {
  const typed = useRef({ text: '', at: 0 });
  return (event) => {
    const active = rows[activeIndex];
    if (active === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const step = rowAfterKey(event.key, rows, activeIndex);
    if (step !== null) {
      event.preventDefault();
      if (step.kind === 'go') onGo(step.index);
      else onExpand(active, step.kind === 'open');
    } else if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      onChoose(active);
    } else if (event.key.length === 1) {
      const { text, at } = typed.current;
      typed.current = {
        text: event.timeStamp - at < TYPING_MS ? text + event.key : event.key,
        at: event.timeStamp,
      };
      const match = typedMatch(rows, activeIndex, typed.current.text);
      if (match !== null) onGo(match);
    }
  };
}
