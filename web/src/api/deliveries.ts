import { queryOptions } from '@tanstack/react-query';
import type {
  DeliveryRecord as Delivery,
  DeliveryAttempt,
  DeliverySummary,
} from '../../../src/webhooks/history/delivery-schemas.ts';
import { withQuery } from './addresses.ts';
import { LIVE_MS, polling } from './polling.ts';
import { type CursorPage, liveQuery, pageQuery } from './queries.ts';
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
const TOGETHER = 500;

/** A page of a webhook's history, latest first. Only the first page is refreshed. */
export const deliveriesQuery = (
  webhookId: number,
  {
    outcome,
    cursor,
    filter = {},
    limit = PAGE_SIZE,
  }: {
    outcome?: DeliveryStatus | undefined;
    cursor?: string | undefined;
    filter?: object;
    limit?: number;
  },
) =>
  pageQuery<CursorPage<DeliverySummary>>(
    [...webhooksKey, webhookId, 'deliveries', { outcome, cursor, filter, limit }],
    withQuery(`/webhooks/${webhookId}/deliveries`, { ...filter, limit, status: outcome, cursor }),
    LIVE_MS,
  );

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
  liveQuery<Delivery>(
    [...webhooksKey, webhookId, 'deliveries', deliveryId],
    `/webhooks/${webhookId}/deliveries/${deliveryId}`,
  );

/** The result of one step, and the cursor of the next one; null at the end. */
export interface MatchingStep {
  done: number;
  remaining: number;
  next_cursor: string | null;
}

/**
 * One step of redelivering the matching messages, or of removing the dead letters among them. Call it again with its
 * cursor and a new key until there is no cursor.
 * @param step `key`: see newIdempotencyKey
 */
export async function actOnMatching(
  action: 'redeliver' | 'remove',
  webhookId: number,
  filter: object,
  { cursor, key }: { cursor: string | null; key: string },
): Promise<MatchingStep> {
  const query = { ...filter, limit: TOGETHER, cursor };
  const path = withQuery(`/webhooks/${webhookId}/deliveries/${action}`, query);
  const { redelivered, removed, remaining, next_cursor } = await request<{
    redelivered?: number;
    removed?: number;
    remaining: number;
    next_cursor?: string | null;
  }>('POST', path, { idempotencyKey: key });
  return { done: redelivered ?? removed ?? 0, remaining, next_cursor: next_cursor ?? null };
}

export function redeliver(
  webhookId: number,
  deliveryId: number,
  idempotencyKey: string,
): Promise<DeliverySummary> {
  return request('POST', `/webhooks/${webhookId}/deliveries/${deliveryId}/redeliver`, { idempotencyKey });
}
