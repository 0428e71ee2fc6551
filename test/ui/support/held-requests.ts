import type { Page, Route } from 'playwright-core';

/** Requests of a page that wait until a test lets them go on. */
export interface HeldRequests {
  /** Resolves once one of them waits. */
  readonly begun: Promise<void>;
  /** Lets them go on, and those that follow. */
  release(): void;
  /** How many the page has sent, with those that did not wait. */
  count(): number;
}

/**
 * Holds requests to an address.
 * @param options.method only requests with this method
 * @param options.from the number of the first request that waits
 * @param options.respond what happens to a request then. By default, the service responds
 */
export async function holdRequests(
  page: Page,
  address: string | RegExp,
  {
    method,
    from = 1,
    respond = (route) => route.fallback(),
  }: { method?: string; from?: number; respond?: (route: Route) => Promise<void> } = {},
): Promise<HeldRequests> {
  const begun = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let count = 0;
  await page.route(address, async (route) => {
    if (method !== undefined && route.request().method() !== method) return await route.fallback();
    count += 1;
    if (count >= from) {
      begun.resolve();
      await released.promise;
    }
    await respond(route);
  });
  return { begun: begun.promise, release: released.resolve, count: () => count };
}

/** The response of a service that failed. */
export const failed = (route: Route) => route.fulfill({ status: 500, body: '{}' });
