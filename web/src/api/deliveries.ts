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

/** A page of a webhook's history, latest first. Only the first page is refreshed. */
export const deliveriesQuery = (
  webhookId: number,
  { outcome, cursor }: { outcome?: DeliveryStatus | undefined; cursor?: string | undefined },
) =>
  queryOptions({
    queryKey: [...webhooksKey, webhookId, 'deliveries', { outcome, cursor }],
    queryFn: ({ signal }) =>
      request<{ data: DeliverySummary[]; next_cursor: string | null }>(
        'GET',
        withQuery(`/webhooks/${webhookId}/deliveries`, { limit: PAGE_SIZE, status: outcome, cursor }),
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

export function redeliver(
  webhookId: number,
  deliveryId: number,
  idempotencyKey: string,
): Promise<DeliverySummary> {
  return request('POST', `/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`, { idempotencyKey });
}
