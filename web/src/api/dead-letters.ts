import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Subtopic } from '../../../src/events/catalogue.ts';
import { withQuery } from './addresses.ts';
import type { PageOf } from './page-of.ts';
import { polling } from './polling.ts';
import { request } from './request.ts';

/** A message that was given up. */
export interface DeadLetter {
  /** The delivery. */
  id: number;
  webhook_id: number;
  webhook_name: string | null;
  webhook_enabled: boolean;
  webhook_deleted: boolean;
  subtopic: Subtopic;
  message_id: string;
  attempts: number;
  last_error_message: string | null;
  response_status: number | null;
  status: string;
  status_reason: string | null;
  enqueued_dt: string;
  dead_lettered_dt: string;
}

/** What a step of sending dead letters again did, and what further ones will. */
export interface RedeliveryStep {
  redelivered: number;
  remaining: number;
  remaining_is_lower_bound: boolean;
  /** What was dead-lettered later is not part of it. */
  until_dt: string;
}

const DEAD_LETTERS_MS = 5_000;

export const deadLettersKey = ['dead-letters'] as const;

export const deadLetterListQuery = (query: object) =>
  queryOptions({
    queryKey: [...deadLettersKey, 'list', query],
    queryFn: ({ signal }) =>
      request<PageOf<DeadLetter>>('GET', withQuery('/ui/api/dead-letters', query), { signal }),
    placeholderData: keepPreviousData,
    ...polling(DEAD_LETTERS_MS),
  });

/** One step over one webhook, or all active ones; call again with its `until_dt` as long as something remains. */
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
