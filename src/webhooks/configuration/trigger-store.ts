import type { Reader, SqlRow, Transaction } from '../../database/database.ts';
import { recordset } from '../../database/recordset.ts';
import type { ContentReference } from '../../events/event.ts';
import type { WebhookConfiguration } from './webhook.ts';

/**
 * The index with which publishing finds webhooks: rows by (subtopic, focus) of active webhooks. So the cost of an event
 * depends on the webhooks that it matches, not on how many exist.
 */

/** Means "no focus". */
const ANY = 'ANY';

/** A webhook that an event matches, with the data for its message. */
export interface MatchedWebhook {
  id: number;
  name: string;
  topic: string;
  target_url: string;
  logging_mode: string;
  max_attempts: number;
}

/** A matched webhook and its revision, which every change of the webhook increases. */
export interface FoundWebhook extends MatchedWebhook {
  revision: number;
}

/** Replaces a webhook's triggers. */
export async function replaceTriggers(
  tx: Transaction,
  webhookId: number,
  { enabled, subtopics, focus }: Pick<WebhookConfiguration, 'enabled' | 'subtopics' | 'focus'>,
): Promise<void> {
  await deleteTriggers(tx, webhookId);
  if (!enabled) return;
  const accounts = focus.filter((each) => each.type === 'ACCOUNT');
  const content = focus.filter((each) => each.type !== 'ACCOUNT');
  // With both kinds of focus, both must match: the account finds the webhook, and the content focus is checked
  // afterwards.
  const entries = accounts.length > 0 ? accounts : content.length > 0 ? content : [{ type: ANY, id: 0 }];
  const needsContent = accounts.length > 0 && content.length > 0 ? 1 : 0;
  await tx.insertMany(
    'webhook_triggers',
    ['subtopic', 'focus_type', 'focus_id', 'webhook_id', 'needs_content'],
    subtopics.flatMap((subtopic) =>
      entries.map((entry): SqlRow => [subtopic, entry.type, entry.id, webhookId, needsContent]),
    ),
  );
}

/** Deletes the triggers of a webhook: no event matches it any more. */
export async function deleteTriggers(tx: Transaction, webhookId: number): Promise<void> {
  await tx.run('delete from webhook_triggers where webhook_id = ?', webhookId);
}

/** Maximum number of webhooks per statement, which limits its duration. */
const MATCHES_AT_A_TIME = 1_000;

/** The active webhooks that an event matches, in ascending order of id: the order in which lines are locked. */
export async function readMatchingWebhooks(
  reader: Pick<Reader, 'all' | 'dialect'>,
  event: { subtopic: string; accountId: number | null; content: readonly ContentReference[] },
): Promise<FoundWebhook[]> {
  const matches: FoundWebhook[] = [];
  let some: FoundWebhook[];
  do {
    some = await readSomeMatches(reader, event, matches.at(-1)?.id ?? 0);
    matches.push(...some);
  } while (some.length === MATCHES_AT_A_TIME);
  return matches;
}

/** The first matching webhooks with ids above `afterId`. */
async function readSomeMatches(
  reader: Pick<Reader, 'all' | 'dialect'>,
  event: { subtopic: string; accountId: number | null; content: readonly ContentReference[] },
  afterId: number,
): Promise<FoundWebhook[]> {
  const content = event.content.map(({ type, id }) => ({ type, id }));
  const account = event.accountId === null ? [] : [{ type: 'ACCOUNT', id: event.accountId }];
  const asset = { type: 'text', id: 'bigint' } as const;
  const isHit =
    'hit.subtopic = ? and hit.focus_type = asset.type and hit.focus_id = asset.id and hit.webhook_id > ?';
  return await reader.all<FoundWebhook>(
    `select distinct webhooks.id, webhooks.name, webhooks.topic, webhooks.target_url,
       webhooks.logging_mode, webhooks.max_attempts, webhooks.revision
     from ${recordset(reader.dialect, 'asset', asset)}
     ${
       // Without the subquery, PostgreSQL may read all triggers of the subtopic while it has no statistics about them.
       reader.dialect === 'postgres'
         ? `cross join lateral (select hit.* from webhook_triggers as hit where ${isHit} offset 0) as hit
            cross join webhooks where`
         : `cross join webhook_triggers as hit cross join webhooks where ${isHit} and`
     }
       webhooks.id = hit.webhook_id
       and (hit.needs_content = 0 or exists (
         select 1 from ${recordset(reader.dialect, 'held', asset)}
         cross join webhook_focuses as focus
         where focus.webhook_id = hit.webhook_id and focus.focus_type = held.type and focus.focus_id = held.id))
     order by webhooks.id limit ${MATCHES_AT_A_TIME}`,
    JSON.stringify([{ type: ANY, id: 0 }, ...account, ...content]),
    event.subtopic,
    afterId,
    JSON.stringify(content),
  );
}
