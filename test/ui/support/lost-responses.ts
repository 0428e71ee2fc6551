import type { Page } from 'playwright-core';

/** Lets the service carry out the first request to an address, and aborts the connection instead of its response. */
export async function loseFirstResponse(page: Page, address: string): Promise<void> {
  await page.route(
    address,
    async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    },
    { times: 1 },
  );
}
