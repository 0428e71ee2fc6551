import type { Page } from 'playwright-core';

const FRAMES =
  '(async () => { for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame); })()';

/** Resolves once a page has reacted to what is visible and to all events so far, in listeners and effects. */
export async function nextFrames(page: Page): Promise<void> {
  await page.evaluate(FRAMES);
}
