import { after } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium } from './chromium.ts';

let started: Promise<Browser> | undefined;
after(async () => {
  const browser = await started?.catch(() => null);
  await browser?.close();
});

/**
 * The browser of this process: starts at the first use, and is closed when all tests of the process are over. Whoever
 * opens a window in it closes that window.
 * @throws {Error} when it does not start.
 */
export function sharedBrowser(): Promise<Browser> {
  started ??= launchChromium();
  return started;
}
