import { createRoute } from '@tanstack/react-router';
import { adminRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { tableSearch } from '../../utilities/table-search.ts';

const main = createRoute({
  getParentRoute: () => adminRoute,
  path: 'administration/system',
  validateSearch: tableSearch({ sorts: [], filters: { show: ['changed'] } }),
  component: lazyPage(() => import('./system-page.tsx'), 'SystemPage'),
  staticData: { title: pageTitles.system },
});

export const systemRoutes = [main] as const;
