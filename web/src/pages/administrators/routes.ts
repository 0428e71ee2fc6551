import { createRoute } from '@tanstack/react-router';
import { adminRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';

const main = createRoute({
  getParentRoute: () => adminRoute,
  path: 'administration/administrators',
  component: lazyPage(() => import('./administrators-page.tsx'), 'AdministratorsPage'),
  staticData: { title: pageTitles.administrators },
});

/** The people who may sign in. */
export const administratorRoutes = [main] as const;
