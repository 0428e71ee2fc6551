import { createRoute } from '@tanstack/react-router';
import { adminRoute } from '../../layout/root-routes.ts';
import { lazyPage } from '../../navigation/page-code.ts';
import { pageTitles } from '../../texts/page-titles.ts';

const PATH = 'administration/alerts';

const alertIdParams = {
  parse: ({ alertId }: { alertId: string }) => ({ alertId: Number(alertId) }),
  stringify: ({ alertId }: { alertId: number }) => ({ alertId: String(alertId) }),
};

const list = createRoute({
  getParentRoute: () => adminRoute,
  path: PATH,
  component: lazyPage(() => import('./alerts-page.tsx'), 'AlertsPage'),
  staticData: { title: pageTitles.alerts, needs: 'webhooks:write' },
});

const add = createRoute({
  getParentRoute: () => adminRoute,
  path: `${PATH}/new`,
  component: lazyPage(() => import('./alert-form-pages.tsx'), 'CreateAlertPage'),
  staticData: { title: pageTitles.newAlert, needs: 'webhooks:write' },
});

const details = createRoute({
  getParentRoute: () => adminRoute,
  path: `${PATH}/$alertId`,
  params: alertIdParams,
  component: lazyPage(() => import('./alert-page.tsx'), 'AlertPage'),
  staticData: { title: pageTitles.alert, needs: 'webhooks:write' },
});

const edit = createRoute({
  getParentRoute: () => adminRoute,
  path: `${PATH}/$alertId/edit`,
  params: alertIdParams,
  component: lazyPage(() => import('./alert-form-pages.tsx'), 'EditAlertPage'),
  staticData: { title: pageTitles.editAlert, needs: 'webhooks:write' },
});

/** The pages of alerts. */
export const alertRoutes = [list, add, details, edit] as const;
