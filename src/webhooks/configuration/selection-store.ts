import type { Reader, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import type { FocusType, Subtopic } from '../../events/catalogue.ts';
import type { Focus, WebhookConfiguration } from './webhook.ts';

/** SQL for the events that webhooks select: their subtopics and focuses. One operation per function. */

/** The number of focuses of each webhook in a page, in the order of the page. */
export async function countFocuses(
  reader: Pick<Reader, 'all'>,
  { after, limit }: PageRequest,
): Promise<number[]> {
  const rows = await reader.all<{ focuses: number }>(
    `select (select count(*) from webhook_focuses as focus where focus.webhook_id = webhooks.id) as focuses
     from webhooks where webhooks.deleted_at is null and webhooks.id > ? order by webhooks.id limit ?`,
    after ?? 0,
    limit,
  );
  return rows.map(({ focuses }) => Number(focuses));
}

/** The subtopics of webhooks, by id. */
export async function readSubtopics(
  reader: Pick<Reader, 'query'>,
  ids: readonly number[],
): Promise<Map<number, Subtopic[]>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.query
    .selectFrom('webhook_subtopics')
    .selectAll()
    .where('webhook_subtopics.webhook_id', 'in', ids)
    .execute();
  return collect(rows, (row) => row.subtopic as Subtopic);
}

/** The focuses of webhooks in their order, by id. */
export async function readFocuses(
  reader: Pick<Reader, 'query'>,
  ids: readonly number[],
): Promise<Map<number, Focus[]>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.query
    .selectFrom('webhook_focuses')
    .selectAll()
    .where('webhook_focuses.webhook_id', 'in', ids)
    .orderBy('webhook_focuses.webhook_id')
    .orderBy('webhook_focuses.position')
    .execute();
  return collect(
    rows,
    (row): Focus => ({
      type: row.focus_type as FocusType,
      id: row.focus_id,
      name: row.focus_name,
    }),
  );
}

/** Replaces a webhook's subtopics and focuses. */
export async function replaceSelection(
  tx: Transaction,
  id: number,
  { subtopics, focus }: Pick<WebhookConfiguration, 'subtopics' | 'focus'>,
): Promise<void> {
  await tx.query.deleteFrom('webhook_subtopics').where('webhook_subtopics.webhook_id', '=', id).execute();
  await tx.query.deleteFrom('webhook_focuses').where('webhook_focuses.webhook_id', '=', id).execute();
  await tx.insertMany(
    'webhook_subtopics',
    ['webhook_id', 'subtopic'],
    subtopics.map((subtopic) => [id, subtopic]),
  );
  await tx.insertMany(
    'webhook_focuses',
    ['webhook_id', 'position', 'focus_type', 'focus_id', 'focus_name'],
    focus.map((each, position) => [id, position, each.type, each.id, each.name]),
  );
}

/** Writes the name of an asset into the focuses on it. Deleted webhooks are not changed. */
export async function nameFocuses(
  tx: Transaction,
  { type, id, name }: { type: FocusType; id: number; name: string },
): Promise<void> {
  await tx.query
    .updateTable('webhook_focuses')
    .set({ focus_name: name })
    .where('webhook_focuses.focus_type', '=', type)
    .where('webhook_focuses.focus_id', '=', id)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('webhooks')
          .select('webhooks.id')
          .whereRef('webhooks.id', '=', 'webhook_focuses.webhook_id')
          .where('webhooks.deleted_at', 'is', null),
      ),
    )
    .execute();
}

function collect<Row extends { webhook_id: number }, T>(
  rows: readonly Row[],
  toValue: (row: Row) => T,
): Map<number, T[]> {
  const byWebhook = Map.groupBy(rows, (row) => row.webhook_id);
  return new Map(Array.from(byWebhook, ([id, ofWebhook]) => [id, ofWebhook.map(toValue)]));
}
