import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  DeliveryRecord as Delivery,
  DeliveryAttempt,
  DeliverySummary,
} from '../../../src/webhooks/history/delivery-schemas.ts';
import { withQuery } from './addresses.ts';
import { LIVE_MS, polling } from './polling.ts';
import { request } from './request.ts';
import { webhooksKey } from './webhooks.ts';

export type { Delivery, DeliveryAttempt, DeliverySummary };

export type DeliveryStatus = DeliverySummary['status'];
/** In the order of the UI. */
export const DELIVERY_STATUSES = [
  'DELIVERED',
  'RETRYING',
  'QUEUED',
  'DEAD_LETTERED',
  'DISCARDED',
] as const satisfies readonly DeliveryStatus[];

const PAGE_SIZE = 25;
const REDELIVERED_TOGETHER = 500;

/** A page of a webhook's history, latest first. Only the first page is refreshed. */
export const deliveriesQuery = (
  webhookId: number,
  {
    outcome,
    cursor,
    filter = {},
  }: { outcome?: DeliveryStatus | undefined; cursor?: string | undefined; filter?: object },
) =>
  queryOptions({
    queryKey: [...webhooksKey, webhookId, 'deliveries', { outcome, cursor, filter }],
    queryFn: ({ signal }) =>
      request<{ data: DeliverySummary[]; next_cursor: string | null }>(
        'GET',
        withQuery(`/webhooks/${webhookId}/deliveries`, {
          ...filter,
          limit: PAGE_SIZE,
          status: outcome,
          cursor,
        }),
        { signal },
      ),
    placeholderData: keepPreviousData,
    ...polling(LIVE_MS),
  });

/** Whether messages of a webhook are among the dead letters. */
export const hasDeadLettersQuery = (webhookId: number) =>
  queryOptions({
    queryKey: [...webhooksKey, webhookId, 'deliveries', 'dead'],
    queryFn: async ({ signal }) => {
      const { data } = await request<{ data: DeliverySummary[] }>(
        'GET',
        withQuery(`/webhooks/${webhookId}/deliveries`, { limit: 1, status: 'DEAD_LETTERED' }),
        { signal },
      );
      return data.length > 0;
    },
    ...polling(LIVE_MS),
  });

export const deliveryQuery = (webhookId: number, deliveryId: number) =>
  queryOptions({
    queryKey: [...webhooksKey, webhookId, 'deliveries', deliveryId],
    queryFn: ({ signal }) =>
      request<Delivery>('GET', `/webhooks/${webhookId}/deliveries/${deliveryId}`, { signal }),
    ...polling(LIVE_MS),
  });

/** What sending several messages again did, and where the next step goes on. */
interface RedeliveryOfSome {
  redelivered: number;
  remaining: number;
  next_cursor?: string | null;
}

/** Sends these messages again, in order. */
export function redeliverThese(webhookId: number, ids: readonly number[]): Promise<RedeliveryOfSome> {
  const query = new URLSearchParams(ids.map((id) => ['delivery_id', String(id)]));
  return request('POST', `/webhooks/${webhookId}/deliveries/redeliver?${query}`);
}

/** One step of sending those that match again. Call it again with its cursor while there is one. */
export function redeliverMatching(
  webhookId: number,
  filter: object,
  cursor: string | null,
): Promise<RedeliveryOfSome> {
  return request(
    'POST',
    withQuery(`/webhooks/${webhookId}/deliveries/redeliver`, {
      ...filter,
      limit: REDELIVERED_TOGETHER,
      cursor,
    }),
  );
}

export function redeliver(
  webhookId: number,
  deliveryId: number,
  idempotencyKey: string,
): Promise<DeliverySummary> {
  return request('POST', `/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`, { idempotencyKey });
}
