import type { MouseEvent } from 'react';

/** Marks the link that a click on its row follows. */
export const ROW_LINK = { 'data-row-link': '' };

/** Controls: a click on them is not a click on the row. */
const CONTROLS = 'a, button, input, select, textarea, label, summary, [role="button"], [role="menuitem"]';
const MIDDLE_BUTTON = 1;

/**
 * Handlers for a row with a `RowLink`. A click opens its page. A middle click, or a click with Ctrl, Cmd or Shift,
 * opens it in a new tab or window. A link stretched over the row would need no script. But WebKit positions nothing
 * inside a table row, so the link of the last row would cover the window.
 */
export const rowClicks = {
  onClick: (event: MouseEvent<HTMLElement>) => {
    const link = linkToFollow(event);
    if (link === null || event.altKey) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey) openBeside(link);
    else link.click();
  },
  onAuxClick: (event: MouseEvent<HTMLElement>) => {
    if (event.button !== MIDDLE_BUTTON) return;
    const link = linkToFollow(event);
    if (link !== null) openBeside(link);
  },
  // A middle click would scroll the page instead.
  onMouseDown: (event: MouseEvent<HTMLElement>) => {
    if (event.button === MIDDLE_BUTTON && linkToFollow(event) !== null) event.preventDefault();
  },
};

/** The link of the row; null if the click means something else. */
function linkToFollow(event: MouseEvent<HTMLElement>): HTMLAnchorElement | null {
  const { currentTarget: row, target } = event;
  if (event.defaultPrevented || !(target instanceof Element)) return null;
  // React also forwards events of dialogs and menus that the row has opened, which are elsewhere in the page.
  if (!row.contains(target) || target.closest(CONTROLS) !== null) return null;
  const selection = window.getSelection();
  if (selection !== null && !selection.isCollapsed && selection.containsNode(row, true)) return null;
  return row.querySelector<HTMLAnchorElement>('a[data-row-link]');
}

function openBeside(link: HTMLAnchorElement): void {
  window.open(link.href, '_blank', 'noopener');
}
