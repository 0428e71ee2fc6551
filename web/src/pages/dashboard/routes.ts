import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageCode } from '../../app/page-code.ts';
import { appRoute } from '../../app/root-routes.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { chartSearch } from '../../utilities/chart-search.ts';
import { onlyKnown } from '../../utilities/known-search.ts';

const main = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  validateSearch: onlyKnown(chartSearch),
  component: lazyRouteComponent(
    pageCode(() => import('./dashboard-page.tsx')),
    'DashboardPage',
  ),
  staticData: { title: pageTitles.dashboard },
});

export const dashboardRoutes = [main] as const;
