import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ListedEvent } from '../../../src/ui-api/webhooks/event-list-routes.ts';
import type { WaitingReasonRecord } from '../../../src/ui-api/webhooks/waiting-reason-routes.ts';
import type { EventRecord, EventWebhookRecord } from '../../../src/webhooks/events/event-schemas.ts';
import { withQuery } from './addresses.ts';
import { LIST_MS, LIVE_MS, polling } from './polling.ts';
import { type CursorPage, liveQuery, pageQuery } from './queries.ts';
import { request } from './request.ts';

export type { EventRecord, EventWebhookRecord, ListedEvent, WaitingReasonRecord };

export const eventsKey = ['events'] as const;

/** The filters of a search, as the API names them. */
export interface EventSearch {
  subtopic?: string | undefined;
  account_id?: number | undefined;
  course_id?: number | undefined;
  equivalent_id?: number | undefined;
  bundle_id?: number | undefined;
  registration_id?: string | undefined;
  learner_id?: string | undefined;
  user?: string | undefined;
  message_id?: string | undefined;
  from_dt?: string | undefined;
  to_dt?: string | undefined;
  cursor?: string | undefined;
}

/** A page of the event log, newest first, and which events have dead letters or waiting messages. */
export const eventsQuery = (search: EventSearch, limit: number) =>
  pageQuery<CursorPage<ListedEvent>>(
    [...eventsKey, 'list', search, limit],
    withQuery('/ui/api/events', { ...search, limit }),
  );

export const eventQuery = (eventId: number) =>
  queryOptions({
    queryKey: [...eventsKey, eventId],
    queryFn: ({ signal }) => request<EventRecord>('GET', `/events/${eventId}`, { signal }),
  });

/** The outcomes of an event for webhooks: for those that got a message about it, or for the others. */
export const eventWebhooksQuery = (eventId: number, gotMessage: boolean, cursor?: string) =>
  pageQuery<CursorPage<EventWebhookRecord>>(
    [...eventsKey, eventId, 'webhooks', gotMessage, cursor],
    withQuery(`/events/${eventId}/webhooks`, { got_message: gotMessage, limit: 50, cursor }),
    gotMessage ? LIVE_MS : LIST_MS,
  );

/** The outcome of an event for one webhook: a list of one, or an empty one if the webhook does not exist. */
export const eventWebhookQuery = (eventId: number, webhookId: number) =>
  liveQuery<{ data: EventWebhookRecord[] }>(
    [...eventsKey, eventId, 'webhook', webhookId],
    withQuery(`/events/${eventId}/webhooks`, { webhook_id: webhookId }),
  );

/** Why messages of these webhooks wait. Webhooks that are only about to send theirs are omitted. */
export const waitingReasonsQuery = (webhookIds: readonly number[]) =>
  queryOptions({
    queryKey: [...eventsKey, 'waiting-reasons', webhookIds],
    queryFn: async ({ signal }) => {
      const path = withQuery('/ui/api/waiting-reasons', { webhook_ids: webhookIds });
      return (await request<{ data: WaitingReasonRecord[] }>('GET', path, { signal })).data;
    },
    placeholderData: keepPreviousData,
    enabled: webhookIds.length > 0,
    ...polling(LIVE_MS),
  });

/** The events to replay to a webhook. Times are in the format of the API. */
export interface ReplayPeriod {
  from: string;
  /** Null: all events until the first step. */
  to: string | null;
  again: boolean;
}

/** The end of a period, in the format of the API, that contains all events until now; null if there are none. */
export async function endOfEvents(): Promise<string | null> {
  const { data } = await request<{ data: Pick<ListedEvent, 'event_dt'>[] }>(
    'GET',
    withQuery('/events', { limit: 1 }),
  );
  const latest = data[0];
  return latest === undefined ? null : new Date(Date.parse(latest.event_dt) + 1).toISOString();
}

/** One step of a replay. With `dryRun`, nothing is queued, and `replayed` is the number of events that would be. */
export async function replayEvents(
  webhookId: number,
  { from, to, again, cursor, dryRun }: ReplayPeriod & { cursor: string | undefined; dryRun: boolean },
  signal?: AbortSignal,
): Promise<{ replayed: number; next_cursor: string | null }> {
  const query = { from_dt: from, to_dt: to, again, cursor, dry_run: dryRun };
  const path = withQuery(`/webhooks/${webhookId}/replay`, query);
  return await request('POST', path, { signal });
}

/** Maximum number of steps of a count. A larger number would help little, and take long. */
const COUNTED_STEPS = 20;

/** The number of messages that a replay would queue, up to a limit. */
export const replayCountQuery = (webhookId: number, period: ReplayPeriod) =>
  queryOptions({
    queryKey: ['webhooks', webhookId, 'replay', period],
    queryFn: async ({ signal }) => {
      let count = 0;
      let cursor: string | undefined;
      for (let step = 0; step < COUNTED_STEPS; step += 1) {
        const asked = { ...period, cursor, dryRun: true };
        const { replayed, next_cursor: next } = await replayEvents(webhookId, asked, signal);
        count += replayed;
        if (next === null) return { count, isLowerBound: false };
        cursor = next;
      }
      return { count, isLowerBound: true };
    },
    gcTime: 0,
  });
