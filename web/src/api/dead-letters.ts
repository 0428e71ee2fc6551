import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { ListAnswer } from '../../../src/ui-api/list-query.ts';
import type { DeadLetter, RedeliveryStep } from '../../../src/ui-api/webhooks/dead-letter-routes.ts';
import { withQuery } from './addresses.ts';
import { polling } from './polling.ts';
import { request } from './request.ts';

export type { DeadLetter, RedeliveryStep };

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

/** One step for one webhook, or for all active ones. Call it again with its `until_dt` while something remains. */
export function redeliverDeadLetters(
  webhookId: number | null,
  until: string | null,
): Promise<RedeliveryStep> {
  return request('POST', '/ui/api/dead-letters/redeliver', {
    body: {
      ...(webhookId === null ? {} : { webhook_id: webhookId }),
      ...(until === null ? {} : { until_dt: until }),
    },
  });
}
