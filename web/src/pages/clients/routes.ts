import { createRoute } from '@tanstack/react-router';
import { CLIENT_SORTS, CLIENT_STATES } from '../../../../src/ui-api/clients/client-list-choices.ts';
import { adminRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { tableSearch } from '../../utilities/table-search.ts';

const main = createRoute({
  getParentRoute: () => adminRoute,
  path: 'administration/integrations/clients',
  validateSearch: tableSearch({ sorts: CLIENT_SORTS, filters: { state: CLIENT_STATES } }),
  component: lazyPage(() => import('./clients-page.tsx'), 'ClientsPage'),
  staticData: { title: pageTitles.clients },
});

/** The systems that use the automation API. */
export const clientRoutes = [main] as const;
