import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/root-routes.ts';
import { system } from '../../texts/system.ts';

const main = createRoute({
  getParentRoute: () => adminRoute,
  path: 'administration/system',
  component: lazyRouteComponent(() => import('./system-page.tsx'), 'SystemPage'),
  staticData: { title: system.title },
});

export const systemRoutes = [main] as const;
