import { createRoute } from '@tanstack/react-router';
import { appRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { chartSearch } from '../../utilities/chart-search.ts';
import { onlyKnown } from '../../utilities/known-search.ts';

const main = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  validateSearch: onlyKnown(chartSearch),
  component: lazyPage(() => import('./dashboard-page.tsx'), 'DashboardPage'),
  staticData: { title: pageTitles.dashboard },
});

export const dashboardRoutes = [main] as const;
