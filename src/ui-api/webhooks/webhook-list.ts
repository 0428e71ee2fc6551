import { type SqlBool, sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { Topic } from '../../events/catalogue.ts';
import { blockedSql } from '../../queue/line-facts.ts';
import { DAY_MS, HOUR_MS } from '../../time/units.ts';
import { PAUSED_SQL } from '../../webhooks/configuration/webhook-state.ts';
import type { Listed, ListPart } from '../list-query.ts';
import { nameKey, nameOrIdIs } from '../name-search.ts';
import { countByOwner, readListOfIds } from '../read-list.ts';
import type { WebhookSort, WebhookState } from './webhook-list-choices.ts';

/** Filters of the list of webhooks, all of which must match. Null members are ignored. */
export interface WebhookFilter {
  search: string | null;
  topic: Topic | null;
  state: WebhookState | null;
}

/** A webhook with its numbers and its line. */
export interface ListedWebhook {
  id: number;
  name: string;
  topic: string;
  all_subtopics: number;
  subtopics: string[];
  target_url: string;
  enabled: number;
  inactive_at: number | null;
  paused_at: number | null;
  in_error: number | null;
  failing_since: number | null;
  success_count: number | null;
  error_count: number | null;
  last_success_at: number | null;
  last_error_at: number | null;
  last_error_message: string | null;
  created_at: number;
  pending: number | null;
  lease_token: string | null;
  available_at: number | null;
  focus_count: number;
  /** Attempts within the last 24 hours, to the hour. */
  successes_of_day: number;
  failures_of_day: number;
}

const lastActivity = sql<number>`case
  when coalesce(webhook_statistics.last_success_at, 0) > coalesce(webhook_statistics.last_error_at, 0)
  then webhook_statistics.last_success_at else coalesce(webhook_statistics.last_error_at, 0) end`;

const isInError = sql<SqlBool>`exists (select 1 from webhook_statistics
  where webhook_statistics.webhook_id = webhooks.id and webhook_statistics.in_error = 1)`;

function isBlocked(now: number) {
  const [before, after] = blockedSql('line').split('?');
  return sql<SqlBool>`exists (select 1 from queue_lines as line
    where line.line_id = webhooks.id and line.pending > 0 and ${sql.raw(before!)}${now}${sql.raw(after!)})`;
}

/** A page of the matching webhooks. */
export async function listWebhooks(
  reader: Reader,
  filter: WebhookFilter,
  part: ListPart<WebhookSort>,
  now: number,
): Promise<Listed<ListedWebhook>> {
  let filtered = existingWebhooks(reader);
  const { search, topic, state } = filter;
  if (search !== null) filtered = filtered.where(nameOrIdIs(reader.dialect, 'webhooks', search));
  if (topic !== null) filtered = filtered.where('webhooks.topic', '=', topic);
  if (state === 'active' || state === 'inactive')
    filtered = filtered.where('webhooks.enabled', '=', state === 'active' ? 1 : 0);
  if (state === 'paused') filtered = filtered.where(sql<SqlBool>`${sql.raw(PAUSED_SQL)}`);
  if (state === 'in_error') filtered = filtered.where(isInError);
  if (state === 'blocked') filtered = filtered.where(isBlocked(now));
  const order = { by: orderOf(reader, part.sort), id: sql<number>`webhooks.id` };
  const { items, total } = await readListOfIds(
    (ids) => withNumbers(existingWebhooks(reader).where('webhooks.id', 'in', ids)).execute(),
    withOrderOf(filtered, part.sort),
    filtered,
    order,
    part,
  );
  return { total, items: await withDetails(reader, items, now) };
}

/** A webhook of the list; undefined if it does not exist or was deleted. */
export async function readListedWebhook(
  reader: Reader,
  id: number,
  now: number,
): Promise<ListedWebhook | undefined> {
  const rows = await withNumbers(existingWebhooks(reader).where('webhooks.id', '=', id)).execute();
  return (await withDetails(reader, rows, now))[0];
}

function existingWebhooks(reader: Reader) {
  return reader.query.selectFrom('webhooks').where('webhooks.deleted_at', 'is', null);
}

/** Joins webhooks with the table that contains the columns of their order. */
function withOrderOf(webhooks: ReturnType<typeof existingWebhooks>, sort: WebhookSort) {
  switch (sort) {
    case 'name':
    case 'created':
      return webhooks;
    case 'depth':
      return webhooks.leftJoin('queue_lines', 'queue_lines.line_id', 'webhooks.id');
    default:
      return webhooks.leftJoin('webhook_statistics', 'webhook_statistics.webhook_id', 'webhooks.id');
  }
}

/** Joins webhooks with their statistics and lines, and selects the columns that the list shows. */
function withNumbers(webhooks: ReturnType<typeof existingWebhooks>) {
  return webhooks
    .leftJoin('webhook_statistics', 'webhook_statistics.webhook_id', 'webhooks.id')
    .leftJoin('queue_lines', 'queue_lines.line_id', 'webhooks.id')
    .select([
      'webhooks.id',
      'webhooks.name',
      'webhooks.topic',
      'webhooks.all_subtopics',
      'webhooks.target_url',
      'webhooks.enabled',
      'webhooks.inactive_at',
      'webhooks.paused_at',
      'webhooks.created_at',
      'webhook_statistics.in_error',
      'webhook_statistics.failing_since',
      'webhook_statistics.success_count',
      'webhook_statistics.error_count',
      'webhook_statistics.last_success_at',
      'webhook_statistics.last_error_at',
      'webhook_statistics.last_error_message',
      'queue_lines.pending',
      'queue_lines.lease_token',
      'queue_lines.available_at',
    ]);
}

async function withDetails(
  reader: Reader,
  items: readonly Omit<ListedWebhook, 'subtopics' | 'focus_count' | 'successes_of_day' | 'failures_of_day'>[],
  now: number,
): Promise<ListedWebhook[]> {
  const ids = items.map((webhook) => webhook.id);
  const subtopics = await readSubtopics(reader, ids);
  const focuses = await countByOwner(reader, 'webhook_focuses.webhook_id', ids);
  const attempts = await countAttemptsOfDay(reader, ids, now);
  return items.map((webhook) => ({
    ...webhook,
    subtopics: subtopics.get(webhook.id) ?? [],
    focus_count: focuses.get(webhook.id) ?? 0,
    successes_of_day: attempts.get(webhook.id)?.successes ?? 0,
    failures_of_day: attempts.get(webhook.id)?.failures ?? 0,
  }));
}

function orderOf(reader: Reader, sort: WebhookSort) {
  switch (sort) {
    case 'failing':
      // One expression, so that both parts have the same direction.
      return sql`case when webhook_statistics.in_error = 1 then '0' else '1' end || ${nameKey(reader.dialect, 'webhooks.name')}`;
    case 'name':
      return nameKey(reader.dialect, 'webhooks.name');
    case 'created':
      // Ids follow the order of creation.
      return sql`webhooks.id`;
    case 'last_activity':
      return lastActivity;
    case 'success_count':
      return sql`coalesce(webhook_statistics.success_count, 0)`;
    case 'error_count':
      return sql`coalesce(webhook_statistics.error_count, 0)`;
    case 'depth':
      return sql`coalesce(queue_lines.pending, 0)`;
  }
}

/** The attempts of each webhook within the last 24 hours, by hourly counters. Later ones are from before the clock was set back. */
async function countAttemptsOfDay(
  reader: Reader,
  ids: readonly number[],
  now: number,
): Promise<Map<number, { successes: number; failures: number }>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.query
    .selectFrom('webhook_trends')
    .select([
      'webhook_trends.webhook_id',
      (eb) => eb.fn.sum<number>('webhook_trends.success_count').as('successes'),
      (eb) => eb.fn.sum<number>('webhook_trends.failure_count').as('failures'),
    ])
    .where('webhook_trends.webhook_id', 'in', ids)
    .where('webhook_trends.width_ms', '=', HOUR_MS)
    .where('webhook_trends.start_at', '>=', now - DAY_MS)
    .where('webhook_trends.start_at', '<=', now)
    .groupBy('webhook_trends.webhook_id')
    .execute();
  return new Map(
    rows.map((row) => [row.webhook_id, { successes: Number(row.successes), failures: Number(row.failures) }]),
  );
}

async function readSubtopics(reader: Reader, ids: readonly number[]): Promise<Map<number, string[]>> {
  const subtopics = new Map<number, string[]>();
  if (ids.length === 0) return subtopics;
  const rows = await reader.query
    .selectFrom('webhook_subtopics')
    .selectAll()
    .where('webhook_subtopics.webhook_id', 'in', ids)
    .orderBy('webhook_subtopics.subtopic')
    .execute();
  for (const { webhook_id, subtopic } of rows)
    subtopics.set(webhook_id, [...(subtopics.get(webhook_id) ?? []), subtopic]);
  return subtopics;
}
