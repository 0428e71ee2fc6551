import { createRoute } from '@tanstack/react-router';
import { MAX_COUNTED } from '../../../../src/ui-api/list-limits.ts';
import { REGISTRATION_SORTS, REGISTRATION_STATES } from '../../api/registrations.ts';
import { appRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { tableSearch } from '../../utilities/table-search.ts';

/**
 * The address of the list: `search` is the beginning of a learner's id, `learner` a whole one. `new` opens the form
 * for one new registration, or for many.
 */
const listSearch = tableSearch({
  sorts: REGISTRATION_SORTS,
  filters: { status: REGISTRATION_STATES, new: ['yes', 'many'] },
  ids: ['account_id', 'course_id', 'equivalent_id'],
  texts: ['learner'],
  maxOffset: MAX_COUNTED,
});

const list = createRoute({
  getParentRoute: () => appRoute,
  path: 'registrations',
  validateSearch: listSearch,
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
