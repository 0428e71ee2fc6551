import type { Reader } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import { readFocuses, readSubtopics } from '../configuration/selection-store.ts';
import type { Focus } from '../configuration/webhook.ts';
import type { StoredWebhook } from '../configuration/webhook-store.ts';
import type { StoredEvent } from './stored-event.ts';

/** The members of an event that decide whether it is replayed. */
export type ReplayableEvent = Pick<StoredEvent, 'subtopic' | 'resource' | 'focused' | 'occurredAt'>;

/** Whether a webhook would match an event as it is configured now, and would not discard it. */
export async function readMatcher(
  reader: Pick<Reader, 'query'>,
  webhook: Pick<StoredWebhook, 'id' | 'ignore_before'>,
): Promise<(event: ReplayableEvent) => boolean> {
  const subtopics = new Set<string>((await readSubtopics(reader, [webhook.id])).get(webhook.id));
  const focus: Focus[] = (await readFocuses(reader, [webhook.id])).get(webhook.id) ?? [];
  const accounts = new Set(focus.filter(({ type }) => type === 'ACCOUNT').map(({ id }) => id));
  const content = new Set(focus.filter(({ type }) => type !== 'ACCOUNT').map(assetKey));
  const ignoreBefore = webhook.ignore_before ?? Number.MIN_SAFE_INTEGER;
  return ({ subtopic, resource, focused, occurredAt }) =>
    subtopics.has(subtopic) &&
    occurredAt >= ignoreBefore &&
    (accounts.size === 0 || (resource.account !== undefined && accounts.has(resource.account.id))) &&
    (content.size === 0 || focused.some((asset) => content.has(assetKey(asset))));
}
