import type { Page } from 'playwright-core';
import { recordTransfers, type Transfer } from './transfers.ts';

/** The limits of the UI's transfers in a new window. */
export const MAX_REQUESTS = 15;
export const MAX_BYTES = 250_000;

/** The pages whose first load is measured: the UI's start page for an administrator, and without a session. */
export const FIRST_PAGES = { dashboard: 'admin', 'sign-in page': 'nobody' } as const;
export type FirstPage = keyof typeof FIRST_PAGES;

/**
 * Opens a page of the UI in a new window, and returns its transfers until it shows its content. A repeated request is
 * returned once, because the first poll of live data may begin before the network is idle.
 * @param url of the service
 */
export async function firstLoad(page: Page, url: string, what: FirstPage): Promise<Transfer[]> {
  const transfers = recordTransfers(page);
  await page.goto(`${url}/ui/`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  if (what === 'dashboard') await page.getByRole('list', { name: 'At a glance' }).waitFor();
  await page.waitForLoadState('networkidle');
  const seen = new Set<string>();
  return (await transfers()).filter(({ path }) => !seen.has(path) && seen.add(path));
}
