import { useEffect, useRef, useState } from 'react';
import { groups } from '../../../texts/content-groups.ts';
import type { GroupItem } from './group-draft.ts';

/** The direction of a move by one place. */
export type Step = -1 | 1;

/** Moves items of a list, announces their new places, and keeps the focus on the button that moved one. */
export function useItemMoves(items: readonly GroupItem[], onChange: (items: GroupItem[]) => void) {
  const [announced, setAnnounced] = useState('');
  const list = useRef<HTMLOListElement>(null);
  // Moving an element in the document removes the focus from it.
  const refocus = useRef<{ key: string; step: Step } | null>(null);
  useEffect(() => {
    if (refocus.current === null) return;
    const { key, step } = refocus.current;
    refocus.current = null;
    const buttons = list.current?.querySelectorAll<HTMLButtonElement>(
      `[data-key="${CSS.escape(key)}"] [data-step]`,
    );
    const same = Array.from(buttons ?? []).find((button) => button.dataset.step === String(step));
    const usable =
      same?.disabled === false ? same : Array.from(buttons ?? []).find((button) => !button.disabled);
    usable?.focus();
  });
  const moveTo = (key: string, to: number) => {
    const item = items.find((each) => each.key === key);
    if (item === undefined || to < 0 || to >= items.length) return;
    const others = items.filter((each) => each !== item);
    onChange([...others.slice(0, to), item, ...others.slice(to)]);
    setAnnounced(groups.moved(item.name, to + 1, items.length));
  };
  return {
    /** For the element of the list. Its items have a `data-key`, their buttons a `data-step`. */
    list,
    announced,
    moveTo,
    /** Moves an item with its button. */
    moveBy: (key: string, at: number, step: Step) => {
      refocus.current = { key, step };
      moveTo(key, at + step);
    },
  };
}
