import type {
  PurgeRecord,
  WaitingSummary,
  WaitingRecord as WaitingWhole,
} from '../../../src/webhooks/lines/waiting-schemas.ts';
import { withQuery } from './addresses.ts';
import { LIVE_MS } from './polling.ts';
import { type CursorPage, liveQuery, pageQuery } from './queries.ts';
import { request } from './request.ts';
import { webhooksKey } from './webhooks.ts';

/** A message that waits in a line. */
export type WaitingMessage = WaitingSummary;
/** A waiting message with its body. */
export type WaitingRecord = WaitingWhole;

/** Few, so that the charts of the webhook remain visible below. */
const PAGE_SIZE = 10;
const PURGED_TOGETHER = 500;

/** A page of the messages that wait for a webhook, the head first. */
export const waitingQuery = (webhookId: number, cursor: string | undefined) =>
  pageQuery<CursorPage<WaitingMessage>>(
    [...webhooksKey, webhookId, 'waiting', { cursor }],
    withQuery(`/webhooks/${webhookId}/line/messages`, { limit: PAGE_SIZE, cursor }),
    LIVE_MS,
  );

/** A page of the messages that wait for a webhook, after a cursor. */
export function readWaiting(
  webhookId: number,
  cursor: string | null,
  limit: number,
): Promise<CursorPage<WaitingMessage>> {
  return request('GET', withQuery(`/webhooks/${webhookId}/line/messages`, { limit, cursor }));
}

/** One waiting message. */
export const waitingMessageQuery = (webhookId: number, position: number) =>
  liveQuery<WaitingRecord>(
    [...webhooksKey, webhookId, 'waiting', position],
    `/webhooks/${webhookId}/line/messages/${position}`,
  );

/** Moves one waiting message to dead letters. */
export function skipWaiting(webhookId: number, position: number): Promise<unknown> {
  return request('POST', `/webhooks/${webhookId}/line/messages/${position}/skip`);
}

/**
 * One step of a purge. Call it again with its cursor and a new key until there is no cursor.
 * @param step `until`: only messages of events before this time, in the format of the API; null for all. `key`: see
 *   newIdempotencyKey
 */
export function purgeStep(
  webhookId: number,
  { until, cursor, key }: { until: string | null; cursor: string | null; key: string },
): Promise<PurgeRecord> {
  return request(
    'POST',
    withQuery(`/webhooks/${webhookId}/line/purge`, {
      limit: PURGED_TOGETHER,
      until_dt: until,
      cursor,
    }),
    { idempotencyKey: key },
  );
}
