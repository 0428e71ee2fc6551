import type { Reader } from '../../database/database.ts';
import { PAUSED_SQL } from '../../webhooks/configuration/webhook-state.ts';
import type { FailedHead } from '../webhooks/head-failure.ts';

/** SQL for the dashboard, one operation per function. */

/** The numbers of accounts, content and registrations. */
export interface ContentCounts {
  accounts: number;
  courses: number;
  equivalents: number;
  bundles: number;
  registrations: number;
}

export async function countContent(reader: Pick<Reader, 'all'>): Promise<ContentCounts> {
  const tables = ['accounts', 'courses', 'equivalents', 'bundles', 'registrations'];
  const counts = tables.map((table) => `(select count(*) from ${table}) as ${table}`);
  const [row] = await reader.all<ContentCounts>(`select ${counts.join(', ')}`);
  const number = (count: number | undefined) => Number(count ?? 0);
  return {
    accounts: number(row?.accounts),
    courses: number(row?.courses),
    equivalents: number(row?.equivalents),
    bundles: number(row?.bundles),
    registrations: number(row?.registrations),
  };
}

/** A webhook on the dashboard. */
export interface FailingWebhookRow {
  id: number;
  name: string;
  enabled: number;
  paused_at: number | null;
  in_error: number;
  last_success_at: number | null;
  last_error_at: number | null;
  last_error_message: string | null;
}

/** Webhooks by id. Deleted ones are omitted. */
export async function readWebhooksInBrief(
  reader: Pick<Reader, 'query'>,
  ids: readonly number[],
): Promise<Map<number, FailingWebhookRow>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.query
    .selectFrom('webhooks')
    .innerJoin('webhook_statistics', 'webhook_statistics.webhook_id', 'webhooks.id')
    .select([
      'webhooks.id',
      'webhooks.name',
      'webhooks.enabled',
      'webhooks.paused_at',
      'webhook_statistics.in_error',
      'webhook_statistics.last_success_at',
      'webhook_statistics.last_error_at',
      'webhook_statistics.last_error_message',
    ])
    .where('webhooks.id', 'in', ids)
    .where('webhooks.deleted_at', 'is', null)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** A webhook that is paused, with its line. */
export interface PausedWebhookRow {
  id: number;
  name: string;
  paused_at: number;
  depth: number | null;
}

/** The active webhooks that are paused, longest first. */
export async function readPaused(reader: Pick<Reader, 'all'>, limit: number): Promise<PausedWebhookRow[]> {
  return await reader.all<PausedWebhookRow>(
    `select webhooks.id, webhooks.name, webhooks.paused_at, line.pending as depth
     from webhooks left join queue_lines as line on line.line_id = webhooks.id
     where ${PAUSED_SQL} order by webhooks.paused_at, webhooks.id limit ?`,
    limit,
  );
}

/** How many webhooks are paused, and how many messages they hold in all. */
export async function countPaused(
  reader: Pick<Reader, 'all'>,
): Promise<{ webhooks: number; messages: number }> {
  const [row] = await reader.all<{ webhooks: number; messages: number }>(
    `select count(*) as webhooks, coalesce(sum(line.pending), 0) as messages
     from webhooks left join queue_lines as line on line.line_id = webhooks.id where ${PAUSED_SQL}`,
  );
  return { webhooks: Number(row?.webhooks ?? 0), messages: Number(row?.messages ?? 0) };
}

/** A message that failed and waits for another attempt: the head of its line. */
export interface RetryingRow extends FailedHead {
  webhook_id: number;
  webhook_name: string;
  paused_at: number | null;
  message_id: string;
}

/** The messages that are being retried, oldest events first. */
export async function readRetrying(reader: Pick<Reader, 'all'>, limit: number): Promise<RetryingRow[]> {
  return await reader.all<RetryingRow>(
    `select deliveries.id, deliveries.webhook_id, webhooks.name as webhook_name, webhooks.paused_at, deliveries.message_id,
       deliveries.attempts, deliveries.attempted_at, deliveries.error,
       deliveries.response_status, deliveries.response_body
     from deliveries join webhooks on webhooks.id = deliveries.webhook_id
     where deliveries.status = 'RETRYING' order by deliveries.enqueued_at, deliveries.id limit ?`,
    limit,
  );
}
