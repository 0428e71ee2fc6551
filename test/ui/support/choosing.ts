import type { Locator, Page } from 'playwright-core';

/** The field of a form for an account or a piece of content, by its label. */
export function fieldOf(page: Page, label: 'Account' | 'Course or equivalent'): Locator {
  return page.getByRole('button', { name: new RegExp(`^${label}:`) });
}

/** The dialog that such a field opens. */
export function choiceDialog(page: Page): Locator {
  return page.getByRole('dialog', { name: /^Choose an? / });
}

/** Chooses the item of this name in such a field. */
export async function choose(
  page: Page,
  label: 'Account' | 'Course or equivalent',
  name: string,
): Promise<void> {
  await fieldOf(page, label).click();
  await choiceDialog(page)
    .getByRole('button', { name: new RegExp(`^${name}`) })
    .click();
  await choiceDialog(page).waitFor({ state: 'detached' });
}

/** Chooses the accounts or the content that a webhook is focused on: a click for each, and two around them. */
export async function chooseFocus(page: Page, button: string, names: readonly string[]): Promise<void> {
  await page.getByRole('button', { name: button }).click();
  const dialog = page.getByRole('dialog', { name: /^Focus on/ });
  for (const name of names) await dialog.getByRole('checkbox', { name: new RegExp(`^${name}`) }).check();
  await dialog
    .getByRole('button', { name: names.length === 1 ? 'Add 1 item' : `Add ${names.length} items` })
    .click();
  await dialog.waitFor({ state: 'detached' });
}
