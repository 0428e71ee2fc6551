import { queryOptions } from '@tanstack/react-query';
import type { RegistrationOverview as LatestRegistration } from '../../../src/ui-api/content/account-list-routes.ts';
import type {
  BlockedRecord as BlockedLine,
  DashboardRecord as Dashboard,
  DeliveryRecord as DeliveryNow,
  FailingRecord as FailingWebhook,
  MinuteRecord as Minute,
  PausedRecord as PausedWebhook,
} from '../../../src/ui-api/dashboard/dashboard-routes.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { LIST_MS, LIVE_MS, polling } from './polling.ts';
import { recordOf, request, requestTimed, type Timed } from './request.ts';

export type {
  BlockedLine,
  Dashboard,
  DeliveryNow,
  FailingWebhook,
  LatestRegistration,
  Minute,
  PausedWebhook,
};

export const dashboardQuery = queryOptions({
  queryKey: ['dashboard'],
  queryFn: ({ signal }) => requestTimed<Dashboard>('GET', '/ui/api/dashboard', { signal }),
  ...polling<Timed<Dashboard>>(LIVE_MS, recordOf),
});

const LATEST_SHOWN = 5;

/** The registrations that were changed most recently. */
export const latestRegistrationsQuery = queryOptions({
  queryKey: ['registrations', 'latest'],
  queryFn: async ({ signal }) => {
    const query = { sort: 'updated', direction: 'desc', limit: LATEST_SHOWN };
    const address = withQuery('/ui/api/registrations', query);
    return (await request<ListResponse<LatestRegistration>>('GET', address, { signal })).data;
  },
  ...polling(LIST_MS),
});

/** Whether there is a system that can use the API. */
export const anyClientQuery = queryOptions({
  queryKey: ['clients', 'any'],
  queryFn: async ({ signal }) =>
    (await request<ListResponse<unknown>>('GET', withQuery('/ui/api/clients', { limit: 1 }), { signal }))
      .total > 0,
  ...polling(LIST_MS),
});
