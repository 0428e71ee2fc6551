import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/root-routes.ts';
import { accounts } from '../../texts/accounts.ts';

const main = createRoute({
  getParentRoute: () => appRoute,
  path: 'accounts',
  component: lazyRouteComponent(() => import('./accounts-page.tsx'), 'AccountsPage'),
  staticData: { title: accounts.title },
});

export const contentAccountRoutes = [main] as const;
