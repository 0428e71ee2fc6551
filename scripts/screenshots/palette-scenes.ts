import type { Page } from 'playwright-core';
import type { Scene } from './scene.ts';

const search = (text: string) => async (page: Page) => {
  const field = page.getByRole('combobox', { name: 'Search for anything by name' });
  if ((await field.count()) === 0) await page.getByRole('button', { name: 'Search', exact: true }).click();
  await field.fill(text);
  await page.getByText('Searching…').waitFor({ state: 'detached' });
};

/** The command palette and the list of keyboard shortcuts. */
export const PALETTE_SCENES: readonly Scene[] = [
  { name: 'palette', address: '/', act: search('') },
  { name: 'palette-found', address: '/', act: search('n') },
  { name: 'palette-nothing', address: '/', act: search('zzzz') },
  {
    name: 'shortcuts',
    address: '/',
    act: async (page) => {
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    },
  },
];
