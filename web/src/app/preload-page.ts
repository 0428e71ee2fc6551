import type { AnyRouter } from '@tanstack/react-router';

/**
 * Loads the code of the page that the address names while the session is still being read. If that fails, the page itself
 * tries again and says why.
 */
export function preloadPage(router: AnyRouter): void {
  for (const { routeId } of router.matchRoutes(router.latestLocation)) {
    const component: { preload?: () => Promise<unknown> } | undefined =
      router.routesById[routeId].options.component;
    component?.preload?.().catch(() => {});
  }
}
