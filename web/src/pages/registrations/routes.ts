import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/root-routes.ts';
import { registrations } from '../../texts/registrations.ts';

const main = createRoute({
  getParentRoute: () => appRoute,
  path: 'registrations',
  component: lazyRouteComponent(() => import('./registrations-page.tsx'), 'RegistrationsPage'),
  staticData: { title: registrations.title },
});

export const registrationRoutes = [main] as const;
