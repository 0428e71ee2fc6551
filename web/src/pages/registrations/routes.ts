import { createRoute } from '@tanstack/react-router';
import { appRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { registrationListSearch } from './registration-search.ts';

const list = createRoute({
  getParentRoute: () => appRoute,
  path: 'registrations',
  validateSearch: registrationListSearch,
  component: lazyPage(() => import('./registration-list-page.tsx'), 'RegistrationListPage'),
  staticData: { title: pageTitles.registrations, needs: 'content:read' },
});

const details = createRoute({
  getParentRoute: () => appRoute,
  path: 'registrations/$registrationId',
  component: lazyPage(() => import('./details/registration-page.tsx'), 'RegistrationPage'),
  staticData: { title: pageTitles.registration, needs: 'content:read' },
});

/** The pages of registrations. */
export const registrationRoutes = [list, details] as const;
