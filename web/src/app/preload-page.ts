import type { AnyRouter } from '@tanstack/react-router';

/**
 * Loads the code of the addressed page while the session is still being read. If that fails, the page itself retries
 * and reports the error.
 */
export function preloadPage(router: AnyRouter): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const component: { preload?: () => Promise<unknown> } | undefined =
      router.routesById[routeId].options.component;
    component?.preload?.().catch(() => {});
  }
}
