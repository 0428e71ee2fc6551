import { createRoute } from '@tanstack/react-router';
import { MAX_COUNTED } from '../../../../src/ui-api/list-limits.ts';
import { adminRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { onlyKnown } from '../../utilities/known-search.ts';
import { tableSearch } from '../../utilities/table-search.ts';
import { historySearch } from '../webhooks/history/history-search.ts';

const ofTable = tableSearch({
  sorts: [],
  ids: ['webhook_id', 'delivery', 'of'],
  texts: ['cursor'],
  maxOffset: MAX_COUNTED,
});

const list = createRoute({
  getParentRoute: () => adminRoute,
  path: 'administration/integrations/dead-letters',
  validateSearch: onlyKnown((given) => ({ ...ofTable(given), ...historySearch(given) })),
  component: lazyPage(() => import('./dead-letters-page.tsx'), 'DeadLettersPage'),
  staticData: { title: pageTitles.deadLetters, needs: 'webhooks:read' },
});

/** The dead letters of all webhooks. */
export const deadLetterRoutes = [list] as const;
