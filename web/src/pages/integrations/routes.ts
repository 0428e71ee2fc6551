import { createRoute, redirect } from '@tanstack/react-router';
import { adminRoute } from '../../layout/root-routes.ts';

const main = createRoute({
  getParentRoute: () => adminRoute,
  path: 'administration/integrations',
  beforeLoad: () => {
    throw redirect({ to: '/administration/integrations/webhooks', replace: true });
  },
  staticData: { needs: 'webhooks:read' },
});

/** The address of integrations redirects to the webhooks. */
export const integrationRoutes = [main] as const;
