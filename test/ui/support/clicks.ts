import type { Page } from 'playwright-core';

/** Counts presses of the mouse button, not click events: a click on a label causes a second one on its field. */
const COUNT = `
  globalThis.pressed = 0;
  addEventListener('pointerdown', () => { globalThis.pressed += 1; }, true);
`;

/** Counts how often somebody has clicked on a page since now. Going to another address of the UI counts on. */
export async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(COUNT);
  return async () => await page.evaluate<number>('globalThis.pressed');
}
