import { createRoute, redirect } from '@tanstack/react-router';
import { TOPICS } from '../../../../src/events/catalogue.ts';
import { WEBHOOK_SORTS, WEBHOOK_STATES } from '../../../../src/ui-api/webhooks/webhook-list-choices.ts';
import { adminRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';
import { onlyKnown } from '../../utilities/known-search.ts';
import { tableSearch } from '../../utilities/table-search.ts';
import { detailsSearch } from './details/details-search.ts';

const INTEGRATIONS = 'administration/integrations';
const PATH = `${INTEGRATIONS}/webhooks` as const;

/** The address of all integrations shows the webhooks. */
const integrations = createRoute({
  getParentRoute: () => adminRoute,
  path: INTEGRATIONS,
  beforeLoad: () => {
    throw redirect({ to: '/administration/integrations/webhooks', replace: true });
  },
  staticData: { needs: 'webhooks:read' },
});

const list = createRoute({
  getParentRoute: () => adminRoute,
  path: PATH,
  validateSearch: tableSearch({ sorts: WEBHOOK_SORTS, filters: { topic: TOPICS, state: WEBHOOK_STATES } }),
  component: lazyPage(() => import('./list/webhook-list-page.tsx'), 'WebhookListPage'),
  staticData: { title: pageTitles.webhooks, needs: 'webhooks:read' },
});

const add = createRoute({
  getParentRoute: () => adminRoute,
  path: `${PATH}/new`,
  component: lazyPage(() => import('./form/add-webhook-page.tsx'), 'AddWebhookPage'),
  staticData: { title: pageTitles.newWebhook, needs: 'webhooks:write' },
});

const webhookIdParams = {
  parse: ({ webhookId }: { webhookId: string }) => ({ webhookId: Number(webhookId) }),
  stringify: ({ webhookId }: { webhookId: number }) => ({ webhookId: String(webhookId) }),
};

const details = createRoute({
  getParentRoute: () => adminRoute,
  path: `${PATH}/$webhookId`,
  params: webhookIdParams,
  validateSearch: onlyKnown(detailsSearch),
  component: lazyPage(() => import('./details/webhook-page.tsx'), 'WebhookPage'),
  staticData: { title: pageTitles.webhook, needs: 'webhooks:read' },
});

const edit = createRoute({
  getParentRoute: () => adminRoute,
  path: `${PATH}/$webhookId/edit`,
  params: webhookIdParams,
  component: lazyPage(() => import('./form/edit-webhook-page.tsx'), 'EditWebhookPage'),
  staticData: { title: pageTitles.editWebhook, needs: 'webhooks:write' },
});

/** The pages of webhooks. */
export const webhookRoutes = [integrations, list, add, details, edit] as const;
