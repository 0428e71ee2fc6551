import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Subtopic } from '../../../src/events/catalogue.ts';
import { withQuery } from './addresses.ts';
import { LIVE_MS, polling } from './polling.ts';
import { request } from './request.ts';
import { webhooksKey } from './webhooks.ts';

export const DELIVERY_STATUSES = ['DELIVERED', 'RETRYING', 'QUEUED', 'DEAD_LETTERED', 'DISCARDED'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface DeliverySummary {
  id: number;
  webhook_id: number;
  message_id: string;
  subtopic: Subtopic;
  status: DeliveryStatus;
  status_reason: string | null;
  attempts: number;
  event_dt: string;
  updated_dt: string;
  duration_ms: number | null;
  response_status: number | null;
  error: string | null;
}

export interface DeliveryAttempt {
  attempt: number;
  attempted_dt: string;
  duration_ms: number;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  /** Whether the request was sent twice, since the target closed a kept connection as it was written. */
  resent: boolean;
}

export interface Delivery extends DeliverySummary {
  /** The postback body. */
  message: unknown;
  /** The latest ones, in order. */
  attempt_history: DeliveryAttempt[];
}

const PAGE_SIZE = 25;

/** A page of a webhook's history, latest first; only the first page changes while it is looked at. */
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
