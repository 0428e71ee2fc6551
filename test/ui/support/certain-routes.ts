import type { Frame, Page, Route } from 'playwright-core';

/** The service knows this address, so that the browser logs no error for it. */
const PROBE = '/health/live?is-intercepted';
const PROBES = /\/health\/live\?is-intercepted$/;
const MAX_WAIT_MS = 1_000;

/**
 * Lets `route` of a page resolve only once the browser intercepts requests. By itself, the browser confirms that a
 * moment before the page knows of it, and a key pressed in that moment sends a request past the route.
 * @returns the page
 */
export function withCertainRoutes(page: Page): Page {
  const route = page.route.bind(page);
  page.route = async (...call) => {
    const registered = await route(...call);
    let intercepted = 0;
    const fulfill = async (probe: Route) => {
      intercepted += 1;
      await probe.fulfill({ status: 204 });
    };
    await route(PROBES, fulfill);
    for (const frame of page.frames()) {
      const before = intercepted;
      while ((await isAnswered(frame)) && intercepted === before);
    }
    await page.unroute(PROBES, fulfill);
    return registered;
  };
  return page;
}

/** Whether a request of the frame got a response. A frame without a document, or one that is just leaving, sends none. */
async function isAnswered(frame: Frame): Promise<boolean> {
  if (!frame.url().startsWith('http')) return false;
  try {
    return await frame.evaluate(
      async ([address, wait]) =>
        await fetch(address, { signal: AbortSignal.timeout(wait) }).then(
          () => true,
          () => false,
        ),
      [PROBE, MAX_WAIT_MS] as const,
    );
  } catch {
    return false;
  }
}
