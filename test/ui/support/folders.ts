import type { Locator, Page } from 'playwright-core';

/** A folder in the tree of a page or a dialog. */
export function folderItem(within: Page | Locator, name: string): Locator {
  return within.getByRole('treeitem', { name: new RegExp(`^${name} ?,`) });
}
