import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { MAX_COUNTED } from '../../../../src/ui-api/list-limits.ts';
import { pageCode } from '../../app/page-code.ts';
import { adminRoute } from '../../app/root-routes.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { tableSearch } from '../../utilities/table-search.ts';

const list = createRoute({
  getParentRoute: () => adminRoute,
  path: 'administration/integrations/dead-letters',
  validateSearch: tableSearch({ sorts: [], ids: ['webhook_id', 'delivery', 'of'], maxOffset: MAX_COUNTED }),
  component: lazyRouteComponent(
    pageCode(() => import('./dead-letters-page.tsx')),
    'DeadLettersPage',
  ),
  staticData: { title: pageTitles.deadLetters, needs: 'webhooks:read' },
});

/** The dead letters of all webhooks. */
export const deadLetterRoutes = [list] as const;
