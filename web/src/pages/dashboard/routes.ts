import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/root-routes.ts';
import { dashboard } from '../../texts/dashboard.ts';

const main = createRoute({
  getParentRoute: () => appRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./dashboard-page.tsx'), 'DashboardPage'),
  staticData: { title: dashboard.title },
});

export const dashboardRoutes = [main] as const;
