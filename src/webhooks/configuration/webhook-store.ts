import type { Selectable } from 'kysely';
import { lockFor } from '../../database/advisory-locks.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import type { WebhookRow, WebhookStatisticsRow } from '../../database/schema.ts';
import { notFound } from '../../problems/problem.ts';
import { matchesAsBefore, type Webhook, type WebhookConfiguration } from './webhook.ts';

/** SQL for the configuration and statistics of webhooks, one operation per function. */

/** The row of a webhook, and whether it is in error. */
export type StoredWebhook = Selectable<WebhookRow> & { in_error: number };

const query = (reader: Pick<Reader, 'query'>) =>
  reader.query
    .selectFrom('webhooks')
    .innerJoin('webhook_statistics', 'webhook_statistics.webhook_id', 'webhooks.id')
    .selectAll('webhooks')
    .select('webhook_statistics.in_error');

/** A webhook that was not deleted. */
export async function readWebhook(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<StoredWebhook | undefined> {
  return await query(reader)
    .where('webhooks.id', '=', id)
    .where('webhooks.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** A webhook that was not deleted. @throws {ProblemError} `not-found` */
export async function requireWebhook(reader: Pick<Reader, 'query'>, id: number): Promise<StoredWebhook> {
  const webhook = await readWebhook(reader, id);
  if (webhook === undefined) throw notFound('webhook', id);
  return webhook;
}

/** Webhooks that were not deleted, in ascending order of id, one more than the limit of the page. */
export async function readWebhooks(
  reader: Pick<Reader, 'query'>,
  page: PageRequest,
): Promise<StoredWebhook[]> {
  return await query(reader)
    .where('webhooks.deleted_at', 'is', null)
    .where('webhooks.id', '>', page.after ?? 0)
    .orderBy('webhooks.id')
    .limit(page.limit + 1)
    .execute();
}

/** A webhook that exists, or was deleted and still has a history. @throws {ProblemError} `not-found` */
export async function requireAnyWebhook(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<{ name: string }> {
  const webhook = await reader.query
    .selectFrom('webhooks')
    .select('webhooks.name')
    .where('webhooks.id', '=', id)
    .executeTakeFirst();
  if (webhook === undefined) throw notFound('webhook', id);
  return webhook;
}

/** Locks the counting of webhooks until the transaction ends, and returns their number. */
export async function lockAndCountWebhooks(tx: Transaction): Promise<number> {
  await lockFor(tx, 'countingWebhooks');
  // Each webhook has one row of statistics, even after it is deleted. These rows are small, and few webhooks are
  // deleted.
  const [row] = await tx.all<{ count: number }>(
    `select (select count(*) from webhook_statistics)
       - (select count(*) from webhooks where webhooks.deleted_at is not null) as count`,
  );
  return Number(row?.count ?? 0);
}

/** Inserts a webhook with empty statistics, and returns its id. */
export async function insertWebhook(
  tx: Transaction,
  configuration: WebhookConfiguration,
  now: number,
): Promise<number> {
  const { id } = await tx.query
    .insertInto('webhooks')
    .values({
      ...columnsOf(configuration),
      paused_at: configuration.paused ? now : null,
      inactive_at: configuration.enabled ? null : now,
      credentials: null,
      revision: 1,
      created_at: now,
      updated_at: now,
      matching_changed_at: now,
      deleted_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.query
    .insertInto('webhook_statistics')
    .values({
      webhook_id: id,
      valid_from: now,
      success_count: 0,
      last_success_at: null,
      error_count: 0,
      last_error_at: null,
      last_error_message: null,
      in_error: 0,
      failing_since: null,
      failures_in_row: 0,
    })
    .execute();
  return id;
}

/** Replaces the configuration of a webhook, except its credentials, subtopics and focuses. */
export async function updateWebhook(
  tx: Transaction,
  current: Webhook,
  configuration: WebhookConfiguration,
  now: number,
): Promise<void> {
  await tx.query
    .updateTable('webhooks')
    .set((eb) => ({
      ...columnsOf(configuration),
      // An unchanged state keeps its time. These expressions read the row before the update.
      paused_at: configuration.paused ? eb.fn.coalesce('paused_at', eb.val(now)) : null,
      inactive_at: configuration.enabled
        ? null
        : eb.case().when('enabled', '=', 0).then(eb.ref('inactive_at')).else(eb.val(now)).end(),
      revision: eb('revision', '+', 1),
      updated_at: now,
      matching_changed_at: matchesAsBefore(current, configuration)
        ? eb.fn.coalesce('matching_changed_at', 'updated_at')
        : eb.val(now),
    }))
    .where('webhooks.id', '=', current.id)
    .execute();
}

/** Stores encrypted credentials; null removes them. */
export async function setCredentials(tx: Transaction, id: number, credentials: string | null): Promise<void> {
  await tx.query.updateTable('webhooks').set({ credentials }).where('webhooks.id', '=', id).execute();
}

/** The values that remove the secrets of a deleted webhook. */
const NO_SECRETS = {
  credentials: null,
  signing_secret: null,
  signing_since: null,
  former_signing_secret: null,
  former_signing_secret_until: null,
};

/** Marks a webhook as deleted and removes its secrets. The row is kept as long as its history. */
export async function markDeleted(tx: Transaction, id: number, now: number): Promise<void> {
  await tx.query
    .updateTable('webhooks')
    .set((eb) => ({ deleted_at: now, ...NO_SECRETS, enabled: 0, revision: eb('revision', '+', 1) }))
    .where('webhooks.id', '=', id)
    .execute();
}

/** The statistics of a webhook; undefined if it does not exist or was deleted. */
export async function readStatistics(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<Selectable<WebhookStatisticsRow> | undefined> {
  return await reader.query
    .selectFrom('webhook_statistics')
    .innerJoin('webhooks', 'webhooks.id', 'webhook_statistics.webhook_id')
    .selectAll('webhook_statistics')
    .where('webhook_statistics.webhook_id', '=', id)
    .where('webhooks.deleted_at', 'is', null)
    .executeTakeFirst();
}

/** The target URL of a webhook; undefined if the webhook does not exist. */
export async function readTargetUrl(reader: Pick<Reader, 'query'>, id: number): Promise<string | undefined> {
  const row = await reader.query
    .selectFrom('webhooks')
    .select('target_url')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.target_url;
}

/** Clears the counts and starts the period now. The error state is kept. */
export async function resetStatistics(tx: Transaction, id: number, now: number): Promise<void> {
  await tx.query
    .updateTable('webhook_statistics')
    .set({
      valid_from: now,
      success_count: 0,
      last_success_at: null,
      error_count: 0,
      last_error_at: null,
      last_error_message: null,
    })
    .where('webhook_statistics.webhook_id', '=', id)
    .execute();
}

/** Ends the error state, as every edit does. */
export async function clearInError(tx: Transaction, id: number): Promise<void> {
  await tx.query
    .updateTable('webhook_statistics')
    .set({ in_error: 0, failing_since: null, failures_in_row: 0 })
    .where('webhook_statistics.webhook_id', '=', id)
    .execute();
}

function columnsOf(configuration: WebhookConfiguration) {
  return {
    name: configuration.name,
    topic: configuration.topic,
    all_subtopics: configuration.allSubtopics ? 1 : 0,
    target_url: configuration.targetUrl,
    authentication_type: configuration.authentication.type,
    enabled: configuration.enabled ? 1 : 0,
    max_attempts: configuration.maxAttempts,
    ignore_before: configuration.ignoreBefore,
    logging_mode: configuration.loggingMode,
  };
}

/** Removes all data of webhooks. */
export async function eraseWebhooks(tx: Transaction, ids: readonly number[]): Promise<void> {
  const gone = idList(tx.dialect);
  const list = toIdList(ids);
  for (const table of ['webhook_triggers', 'webhook_subtopics', 'webhook_focuses', 'webhook_statistics']) {
    await tx.run(`delete from ${table} where webhook_id in ${gone}`, list);
  }
  await tx.run(`delete from webhooks where id in ${gone}`, list);
}
