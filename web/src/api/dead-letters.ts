import type {
  DeadLetter,
  DeadLetterListResponse,
  DeadLetterStepResponse as DeadLetterStep,
} from '../../../src/ui-api/webhooks/dead-letter-routes.ts';
import { withQuery } from './addresses.ts';
import { pageQuery } from './queries.ts';
import { request } from './request.ts';

export type { DeadLetter, DeadLetterListResponse, DeadLetterStep };

const DEAD_LETTERS_MS = 5_000;

export const deadLettersKey = ['dead-letters'] as const;

export const deadLetterListQuery = (query: object) =>
  pageQuery<DeadLetterListResponse>(
    [...deadLettersKey, 'list', query],
    withQuery('/ui/api/dead-letters', query),
    DEAD_LETTERS_MS,
  );

/** What happens to dead letters: they are sent again, or removed. */
export type DeadLetterAction = 'redeliver' | 'remove';

/**
 * One step for one webhook, or for all. Call it again with its `until_dt` and `next_cursor` and a new key until there is
 * no cursor.
 * @param step `key`: see newIdempotencyKey
 */
export function stepOverDeadLetters(
  action: DeadLetterAction,
  {
    webhookId,
    filter,
    until,
    cursor,
    key,
  }: {
    webhookId: number | null;
    filter: object | null;
    until: string | null;
    cursor: string | null;
    key: string;
  },
): Promise<DeadLetterStep> {
  return request('POST', `/ui/api/dead-letters/${action}`, {
    body: {
      ...(webhookId === null ? {} : { webhook_id: webhookId }),
      ...(filter === null ? {} : { filter }),
      ...(until === null ? {} : { until_dt: until }),
      ...(cursor === null ? {} : { cursor }),
    },
    idempotencyKey: key,
  });
}

/** Maximum number of messages per call. */
const MAX_IDS = 200;

/** The number of messages that an action concerned, and of those that it skipped because their outcome had changed. */
export interface ActionResult {
  done: number;
  skipped: number;
}

/**
 * Redelivers these messages or removes these dead letters, in order within each webhook. It skips those whose outcome
 * is no longer the given one. Delivered messages are redelivered in any case.
 * @param onPart called with the messages of each call that succeeded, because a later one may fail
 */
export async function actOnTheseDeliveries<T extends Pick<DeadLetter, 'id' | 'webhook_id' | 'status'>>(
  action: DeadLetterAction,
  deliveries: readonly T[],
  onPart: (part: readonly T[]) => void,
): Promise<ActionResult> {
  let done = 0;
  for (const [webhookId, those] of Map.groupBy(deliveries, ({ webhook_id }) => webhook_id)) {
    const statuses = action === 'redeliver' ? guardOf(those) : [];
    const inOrder = those.toSorted((a, b) => a.id - b.id);
    for (let from = 0; from < inOrder.length; from += MAX_IDS) {
      const part = inOrder.slice(from, from + MAX_IDS);
      const query = new URLSearchParams([
        ...part.map(({ id }) => ['delivery_id', String(id)]),
        ...statuses.map((status) => ['status', status]),
      ]);
      const result = await request<{ redelivered?: number; removed?: number }>(
        'POST',
        `/webhooks/${webhookId}/deliveries/${action}?${query}`,
      );
      done += result.redelivered ?? result.removed ?? 0;
      onPart(part);
    }
  }
  return { done, skipped: deliveries.length - done };
}

/** The outcomes that messages must still have. The service cannot check for DELIVERED. */
function guardOf(deliveries: readonly Pick<DeadLetter, 'status'>[]): string[] {
  const statuses = new Set(deliveries.map(({ status }) => status));
  return statuses.has('DELIVERED') ? [] : [...statuses];
}

/** Redelivers a message if it is still a dead letter, and returns whether it was one. */
export async function redeliverDeadLetter(
  { id, webhook_id: webhookId }: Pick<DeadLetter, 'id' | 'webhook_id'>,
  idempotencyKey: string,
): Promise<boolean> {
  const query = { delivery_id: id, status: 'DEAD_LETTERED' };
  const path = withQuery(`/webhooks/${webhookId}/deliveries/redeliver`, query);
  const { redelivered } = await request<{ redelivered: number }>('POST', path, { idempotencyKey });
  return redelivered > 0;
}
