import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ListAnswer } from '../../../src/ui-api/list-query.ts';
import type {
  DeadLetter,
  DeadLetterStepAnswer as DeadLetterStep,
} from '../../../src/ui-api/webhooks/dead-letter-routes.ts';
import { withQuery } from './addresses.ts';
import { polling } from './polling.ts';
import { request } from './request.ts';

export type { DeadLetter, DeadLetterStep };

const DEAD_LETTERS_MS = 5_000;

export const deadLettersKey = ['dead-letters'] as const;

export const deadLetterListQuery = (query: object) =>
  queryOptions({
    queryKey: [...deadLettersKey, 'list', query],
    queryFn: ({ signal }) =>
      request<ListAnswer<DeadLetter>>('GET', withQuery('/ui/api/dead-letters', query), { signal }),
    placeholderData: keepPreviousData,
    ...polling(DEAD_LETTERS_MS),
  });

/** What happens to dead letters: they are sent again, or removed. */
export type DeadLetterAction = 'redeliver' | 'remove';

/**
 * One step for one webhook, or for all. Call it again with its `until_dt` and `next_cursor` until there is no cursor.
 */
export function stepOverDeadLetters(
  action: DeadLetterAction,
  {
    webhookId,
    filter,
    until,
    cursor,
  }: { webhookId: number | null; filter: object | null; until: string | null; cursor: string | null },
): Promise<DeadLetterStep> {
  return request('POST', `/ui/api/dead-letters/${action}`, {
    body: {
      ...(webhookId === null ? {} : { webhook_id: webhookId }),
      ...(filter === null ? {} : { filter }),
      ...(until === null ? {} : { until_dt: until }),
      ...(cursor === null ? {} : { cursor }),
    },
  });
}

/** Maximum number of messages per call. */
const MAX_IDS = 200;

/** Redelivers these messages or removes these dead letters, in order within each webhook, and returns their number. */
export async function actOnTheseDeliveries(
  action: DeadLetterAction,
  deliveries: readonly Pick<DeadLetter, 'id' | 'webhook_id'>[],
): Promise<number> {
  let done = 0;
  for (const [webhookId, those] of Map.groupBy(deliveries, ({ webhook_id }) => webhook_id)) {
    const ids = those.map(({ id }) => id).sort((a, b) => a - b);
    for (let from = 0; from < ids.length; from += MAX_IDS) {
      const part = ids.slice(from, from + MAX_IDS);
      const query = new URLSearchParams(part.map((id) => ['delivery_id', String(id)]));
      const result = await request<{ redelivered?: number; removed?: number }>(
        'POST',
        `/webhooks/${webhookId}/deliveries/${action}?${query}`,
      );
      done += result.redelivered ?? result.removed ?? 0;
    }
  }
  return done;
}
