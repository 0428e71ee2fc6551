import type { Route } from 'playwright-core';

/**
 * The handler of a route that responds to the first request in this way. The service responds to the others.
 *
 * Use it where the next request follows immediately. Playwright removes a route with `times: 1` after its request, and loses one that
 * comes just then. A page that closes needs a route with `times: 1`, since the requests that outlive it cannot be handled.
 */
export function onlyFirst(respond: (route: Route) => Promise<void>): (route: Route) => Promise<void> {
  let isFirst = true;
  return async (route) => {
    const handle = isFirst ? respond : (other: Route) => other.fallback();
    isFirst = false;
    await handle(route);
  };
}
