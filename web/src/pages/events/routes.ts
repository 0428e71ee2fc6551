import { createRoute } from '@tanstack/react-router';
import { SUBTOPICS } from '../../../../src/events/catalogue.ts';
import { adminRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { tableSearch } from '../../utilities/table-search.ts';

const PATH = 'administration/integrations/events';

const list = createRoute({
  getParentRoute: () => adminRoute,
  path: PATH,
  validateSearch: tableSearch({
    sorts: [],
    filters: { subtopic: SUBTOPICS },
    ids: ['account_id', 'course_id', 'equivalent_id', 'bundle_id'],
    texts: ['registration_id', 'learner_id', 'user', 'message_id', 'cursor'],
    times: ['from', 'to'],
  }),
  component: lazyPage(() => import('./events-page.tsx'), 'EventsPage'),
  staticData: { title: pageTitles.events, needs: 'webhooks:read' },
});

const details = createRoute({
  getParentRoute: () => adminRoute,
  path: `${PATH}/$eventId`,
  params: {
    parse: ({ eventId }: { eventId: string }) => ({ eventId: Number(eventId) }),
    stringify: ({ eventId }: { eventId: number }) => ({ eventId: String(eventId) }),
  },
  validateSearch: tableSearch({ sorts: [], ids: ['webhook_id'] }),
  component: lazyPage(() => import('./event-page.tsx'), 'EventPage'),
  staticData: { title: pageTitles.event, needs: 'webhooks:read' },
});

/** The event log. */
export const eventRoutes = [list, details] as const;
