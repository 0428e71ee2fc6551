import type { Reader } from '../../database/database.ts';
import { idList, recordset, toIdList } from '../../database/recordset.ts';
import type { ContentReference } from '../../events/event.ts';

/** A webhook as it is now, and which parts of its configuration an event fits. */
export interface WebhookFit {
  id: number;
  name: string;
  topic: string;
  enabled: number;
  inactive_at: number | null;
  created_at: number;
  matching_changed_at: number;
  deleted_at: number | null;
  /** 1 if the subtopic of the event is chosen. */
  has_subtopic: number;
  /** 1 if there is no focus on accounts, or one on the account of the event; the same for content. */
  fits_account: number;
  fits_content: number;
}

/** The members of an event that focuses and subtopics are matched with. */
export interface MatchedEvent {
  subtopic: string;
  accountId: number | null;
  content: readonly ContentReference[];
}

/**
 * The first webhooks with ids above `after`, including deleted ones, by id. Each has the parts of its configuration
 * that an event fits.
 */
export async function readWebhookFits(
  reader: Pick<Reader, 'all' | 'dialect'>,
  event: MatchedEvent,
  { webhookId = null, after, limit }: { webhookId?: number | null; after: number; limit: number },
): Promise<WebhookFit[]> {
  const isChosen = webhookId === null ? '' : 'and webhooks.id = ?';
  const focus = (condition: string) =>
    `exists (select 1 from webhook_focuses as focus where focus.webhook_id = webhooks.id and ${condition})`;
  const flag = (condition: string) => `case when ${condition} then 1 else 0 end`;
  return await reader.all<WebhookFit>(
    `select webhooks.id, webhooks.name, webhooks.topic, webhooks.enabled, webhooks.inactive_at,
       webhooks.created_at, webhooks.deleted_at,
       coalesce(webhooks.matching_changed_at, webhooks.updated_at) as matching_changed_at,
       ${flag(
         `exists (select 1 from webhook_subtopics as chosen
            where chosen.webhook_id = webhooks.id and chosen.subtopic = ?)`,
       )} as has_subtopic,
       ${flag(
         `not ${focus(`focus.focus_type = 'ACCOUNT'`)} or ${focus(`focus.focus_type = 'ACCOUNT' and focus.focus_id = ?`)}`,
       )} as fits_account,
       ${flag(
         `not ${focus(`focus.focus_type <> 'ACCOUNT'`)} or exists (
            select 1 from ${recordset(reader.dialect, 'held', { type: 'text', id: 'bigint' })}
            cross join webhook_focuses as focus
            where focus.webhook_id = webhooks.id and focus.focus_type = held.type and focus.focus_id = held.id)`,
       )} as fits_content
     from webhooks where webhooks.id > ? ${isChosen} order by webhooks.id limit ?`,
    event.subtopic,
    event.accountId ?? 0,
    JSON.stringify(event.content.map(({ type, id }) => ({ type, id }))),
    after,
    ...(webhookId === null ? [] : [webhookId]),
    limit,
  );
}

/** The names of webhooks, including deleted ones, by id. */
export async function readWebhookNames(
  reader: Pick<Reader, 'all' | 'dialect'>,
  ids: readonly number[],
): Promise<{ id: number; name: string }[]> {
  return await reader.all(
    `select webhooks.id, webhooks.name from webhooks where webhooks.id in ${idList(reader.dialect)}
     order by webhooks.id`,
    toIdList(ids),
  );
}
