import type { Page } from 'playwright-core';

/** Resolves once a page has drawn what it has heard of so far: listeners of events run before the second frame. */
export async function nextFrames(page: Page): Promise<void> {
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
  );
}
