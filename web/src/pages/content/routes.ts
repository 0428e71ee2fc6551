import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../../app/root-routes.ts';
import { content } from '../../texts/content.ts';

const main = createRoute({
  getParentRoute: () => appRoute,
  path: 'content',
  component: lazyRouteComponent(() => import('./content-page.tsx'), 'ContentPage'),
  staticData: { title: content.title },
});

export const contentRoutes = [main] as const;
