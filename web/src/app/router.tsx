import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { uiBase } from '../api/addresses.ts';
import { NotFound } from '../components/not-found.tsx';
import { PageCrash } from '../components/page-crash.tsx';
import { PageLoading } from '../components/page-loading.tsx';
import { adminRoute, appRoute, rootRoute, unknownRoute } from '../layout/root-routes.ts';
import { parseAddressSearch, stringifyAddressSearch } from '../navigation/address-search.ts';
import { contentAccountRoutes } from '../pages/accounts/routes.ts';
import { administratorRoutes } from '../pages/administrators/routes.ts';
import { alertRoutes } from '../pages/alerts/routes.ts';
import { auditRoutes } from '../pages/audit/routes.ts';
import { clientRoutes } from '../pages/clients/routes.ts';
import { contentRoutes } from '../pages/content/routes.ts';
import { dashboardRoutes } from '../pages/dashboard/routes.ts';
import { deadLetterRoutes } from '../pages/dead-letters/routes.ts';
import { eventRoutes } from '../pages/events/routes.ts';
import { profileRoutes } from '../pages/profile/routes.ts';
import { registrationRoutes } from '../pages/registrations/routes.ts';
import { accountRoutes } from '../pages/sign-in/routes.ts';
import { systemRoutes } from '../pages/system/routes.ts';
import { webhookRoutes } from '../pages/webhooks/routes.ts';

const PENDING_AFTER_MS = 250;

const routeTree = rootRoute.addChildren([
  ...accountRoutes,
  appRoute.addChildren([
    ...dashboardRoutes,
    ...contentRoutes,
    ...contentAccountRoutes,
    ...registrationRoutes,
    ...profileRoutes,
    unknownRoute,
    adminRoute.addChildren([
      ...webhookRoutes,
      ...clientRoutes,
      ...deadLetterRoutes,
      ...eventRoutes,
      ...alertRoutes,
      ...administratorRoutes,
      ...auditRoutes,
      ...systemRoutes,
    ]),
  ]),
]);

/** The router of the admin UI. It also defines the types of all links. */
export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    context: { queryClient },
    basepath: uiBase().pathname,
    parseSearch: parseAddressSearch,
    stringifySearch: stringifyAddressSearch,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingMs: PENDING_AFTER_MS,
    defaultPendingComponent: PageLoading,
    defaultErrorComponent: PageCrash,
    defaultNotFoundComponent: NotFound,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
