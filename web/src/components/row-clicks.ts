import type { MouseEvent } from 'react';

/** Marks the link that a click anywhere in its row follows. */
export const ROW_LINK = { 'data-row-link': '' };

/** What has a use of its own: a click on it is not a click on the row. */
const CONTROLS = 'a, button, input, select, textarea, label, summary, [role="button"], [role="menuitem"]';
const MIDDLE_BUTTON = 1;

/**
 * Handlers for a row that leads to the page of its `RowLink`: a click goes there, a middle click or one with Ctrl, Cmd
 * or Shift opens it beside the list. A link stretched over the row would do the same without a script, but WebKit
 * positions nothing inside a table row, so the link of the last row would cover the window.
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

/** The row's link; null where the click means something else. */
function linkToFollow(event: MouseEvent<HTMLElement>): HTMLAnchorElement | null {
  const { currentTarget: row, target } = event;
  if (event.defaultPrevented || !(target instanceof Element)) return null;
  // React hands on what happens in the dialogs and menus that a row has opened; they are elsewhere in the page.
  if (!row.contains(target) || target.closest(CONTROLS) !== null) return null;
  const selection = window.getSelection();
  if (selection !== null && !selection.isCollapsed && selection.containsNode(row, true)) return null;
  return row.querySelector<HTMLAnchorElement>('a[data-row-link]');
}

function openBeside(link: HTMLAnchorElement): void {
  window.open(link.href, '_blank', 'noopener');
}
