import type { KeyboardEvent } from 'react';

/** Marks the control of a row for {@link moveWithArrows}. */
export const CHOICE_CONTROL = { 'data-choice': true } as const;

/** Moves the focus by the arrow keys: from the search field to the first row, and from row to row. */
export function moveWithArrows(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const { currentTarget, target } = event;
  const search = currentTarget.querySelector<HTMLElement>('input[type=search]');
  const rows = [...currentTarget.querySelectorAll<HTMLElement>('[data-choice]:not(:disabled)')];
  const at = rows.indexOf(target as HTMLElement);
  if (at === -1 && target !== search) return;
  const next = at + (event.key === 'ArrowDown' ? 1 : -1);
  const to = next === -1 ? search : rows[next];
  if (to == null || to === target || (at === -1 && next < 0)) return;
  event.preventDefault();
  to.focus();
}
