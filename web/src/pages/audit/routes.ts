import { createRoute } from '@tanstack/react-router';
import { AUDIT_ACTION_NAMES, AUDIT_OBJECT_TYPES } from '../../../../src/audit/actions.ts';
import { adminRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { tableSearch } from '../../utilities/table-search.ts';

const log = createRoute({
  getParentRoute: () => adminRoute,
  path: 'administration/audit-log',
  validateSearch: tableSearch({
    sorts: [],
    filters: {
      actor_type: ['ADMINISTRATOR', 'API_CLIENT', 'COMMAND_LINE', 'UNKNOWN'] as const,
      action: AUDIT_ACTION_NAMES,
      object_type: AUDIT_OBJECT_TYPES,
    },
    texts: ['user', 'object_id', 'cursor'],
    times: ['from', 'to'],
  }),
  component: lazyPage(() => import('./audit-page.tsx'), 'AuditPage'),
  staticData: { title: pageTitles.auditLog, needs: 'audit:read' },
});

/** The audit log. */
export const auditRoutes = [log] as const;
