import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/root-routes.ts';
import { clients } from '../../texts/clients.ts';

const main = createRoute({
  getParentRoute: () => adminRoute,
  path: 'administration/integrations/clients',
  component: lazyRouteComponent(() => import('./clients-page.tsx'), 'ClientsPage'),
  staticData: { title: clients.title },
});

export const clientRoutes = [main] as const;
