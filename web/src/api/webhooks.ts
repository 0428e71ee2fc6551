import { queryOptions } from '@tanstack/react-query';
import type { Subtopic } from '../../../src/events/catalogue.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { LIVE_MS, polling } from './polling.ts';
import { type CursorPage, FOR_EDIT, forEditQuery, liveQuery, pageQuery, recordQuery } from './queries.ts';
import { readRecord, recordOf, request, requestTimed, type Timed } from './request.ts';
import type {
  Line,
  TestResult,
  Trend,
  TrendPeriod,
  WebhookConfiguration,
  WebhookHealth,
  WebhookOverview,
  WebhookRecord,
  WebhookStatistics,
} from './webhook-records.ts';

/** The list shows alerts soon after they arise. */
const WEBHOOK_LIST_MS = 4_000;
const TREND_MS = 10_000;
/** Longer than a target may take to respond (the setting `delivery_timeout`, 30 s by default). */
const TEST_DEADLINE_MS = 150_000;

/** The number of webhooks that a search by name finds. */
const FOUND_WEBHOOKS = 50;
/** The largest page of the API. */
const NAMES_AT_ONCE = 200;
/** The number of names up to which each is read by itself. */
const FEW_NAMES = 20;

/** All queries about webhooks, which are repeated after a change. */
export const webhooksKey = ['webhooks'] as const;

export const webhookListQuery = (query: object) =>
  pageQuery<ListResponse<WebhookOverview>>(
    [...webhooksKey, 'list', query],
    withQuery('/ui/api/webhooks', query),
    WEBHOOK_LIST_MS,
  );

/** The webhooks whose names contain a text; the first ones of all if it is empty. */
export const foundWebhooksQuery = (search: string) =>
  webhookListQuery({ limit: FOUND_WEBHOOKS, offset: 0, ...(search === '' ? {} : { search }) });

/** A webhook as the list shows it. */
export const webhookOverviewQuery = (id: number) =>
  liveQuery<WebhookOverview>([...webhooksKey, id, 'overview'], `/ui/api/webhooks/${id}`);

/** The record with its `ETag`. */
export const webhookQuery = (id: number) =>
  recordQuery<WebhookRecord>([...webhooksKey, id, 'record'], `/webhooks/${id}`, LIVE_MS);

/**
 * The queries for the names of webhooks by id, without those of deleted ones. A few are read one by one, so that each
 * name appears as soon as it is known. More are read as a list, because an alert may be about a thousand webhooks.
 */
export const webhookNameQueries = (ids: readonly number[]) =>
  ids.length <= FEW_NAMES ? ids.map((id) => nameQuery([id], readName)) : [nameQuery(ids, readNames)];

const nameQuery = (
  ids: readonly number[],
  read: (ids: readonly number[], signal: AbortSignal) => Promise<Map<number, string>>,
) =>
  queryOptions({
    queryKey: [...webhooksKey, 'names', ids],
    queryFn: ({ signal }) => read(ids, signal),
    ...FOR_EDIT,
  });

async function readName([id]: readonly number[], signal: AbortSignal): Promise<Map<number, string>> {
  const webhook = await request<WebhookRecord>('GET', `/webhooks/${id}`, { signal });
  return new Map([[webhook.id, webhook.name]]);
}

/** Reads the list page by page until all are found. */
async function readNames(ids: readonly number[], signal: AbortSignal): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  const missing = new Set(ids);
  for (let cursor: string | null = null; missing.size > 0; ) {
    const path: string = withQuery('/webhooks', { limit: NAMES_AT_ONCE, cursor });
    const page: CursorPage<WebhookRecord> = await request('GET', path, {
      signal,
    });
    for (const { id, name } of page.data) if (missing.delete(id)) names.set(id, name);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return names;
}

/** What an edit starts from. */
export const webhookForEditQuery = (id: number) =>
  forEditQuery<WebhookRecord>([...webhooksKey, id, 'edit'], `/webhooks/${id}`);

export const statisticsQuery = (id: number) =>
  liveQuery<WebhookStatistics>([...webhooksKey, id, 'statistics'], `/webhooks/${id}/statistics`);

/** How well a webhook delivers and, if it is in error, why. */
export const healthQuery = (id: number) =>
  liveQuery<WebhookHealth>([...webhooksKey, id, 'health'], `/webhooks/${id}/health`);

export const lineQuery = (id: number) =>
  queryOptions({
    queryKey: [...webhooksKey, id, 'line'],
    queryFn: ({ signal }) => requestTimed<Line>('GET', `/webhooks/${id}/line`, { signal }),
    ...polling<Timed<Line>>(LIVE_MS, recordOf),
  });

export const trendQuery = (id: number, period: TrendPeriod) =>
  pageQuery<Trend>(
    [...webhooksKey, id, 'trend', period],
    withQuery(`/ui/api/webhooks/${id}/trend`, { period }),
    TREND_MS,
  );

export function createWebhook(body: WebhookConfiguration, idempotencyKey: string): Promise<WebhookRecord> {
  return request('POST', '/webhooks', { body, idempotencyKey });
}

export function updateWebhook(
  id: number,
  body: WebhookConfiguration,
  ifMatch: string | null,
): Promise<WebhookRecord> {
  return request('PUT', `/webhooks/${id}`, { body, ifMatch });
}

/** Reads the webhook and writes it back with only this change. All other members are kept, including the secret. */
export async function switchWebhook(
  id: number,
  change: { enabled: boolean } | { paused: boolean },
): Promise<WebhookRecord> {
  const { record, etag } = await readRecord<WebhookRecord>(`/webhooks/${id}`);
  return await updateWebhook(id, { ...record, ...change }, etag);
}

export function deleteWebhook(id: number): Promise<void> {
  return request('DELETE', `/webhooks/${id}`);
}

export function resetStatistics(id: number): Promise<WebhookStatistics> {
  return request('POST', `/webhooks/${id}/statistics/reset`);
}

export function sendTestMessage(id: number, subtopic: Subtopic): Promise<TestResult> {
  return request('POST', withQuery(`/webhooks/${id}/test`, { subtopic }), { deadlineMs: TEST_DEADLINE_MS });
}

/** Sends a test message for an unsaved configuration: of a new webhook, or of the one with that id. */
export function testConfiguration(
  body: WebhookConfiguration,
  webhookId: number | undefined,
  subtopic: Subtopic,
): Promise<TestResult> {
  const path = withQuery('/webhooks/test', { webhook_id: webhookId, subtopic });
  return request('POST', path, { body, deadlineMs: TEST_DEADLINE_MS });
}

/**
 * `retry`: the head is due now. `skip`: it is moved to the dead-letter queue. Both apply only if that message is still
 * the head.
 */
export function actOnHead(id: number, action: 'retry' | 'skip', messageId: string): Promise<Timed<Line>> {
  return requestTimed('POST', withQuery(`/webhooks/${id}/line/${action}`, { message_id: messageId }));
}
