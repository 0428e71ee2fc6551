import type { Page } from 'playwright-core';

/** Resolves once a page has drawn the effects of all events so far: listeners run before the second frame. */
export async function nextFrames(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
  );
}
