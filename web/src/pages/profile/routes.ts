import { createRoute } from '@tanstack/react-router';
import { appRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';

const main = createRoute({
  getParentRoute: () => appRoute,
  path: 'profile',
  component: lazyPage(() => import('./profile-page.tsx'), 'ProfilePage'),
  staticData: { title: pageTitles.profile },
});

/** The viewer's own profile. */
export const profileRoutes = [main] as const;
