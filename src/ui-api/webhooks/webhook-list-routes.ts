import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { type Subtopic, TOPICS, type Topic } from '../../events/catalogue.ts';
import { parseId } from '../../http/ids.ts';
import type { Routes } from '../../http/routes.ts';
import { notFound } from '../../problems/problem.ts';
import { isInFlight } from '../../queue/line-facts.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import { ListQuery, listPart, listResponse, SearchText, searchText } from '../list-query.ts';
import { type ListedWebhook, listWebhooks, readListedWebhook } from './webhook-list.ts';
import { WEBHOOK_SORTS, WEBHOOK_STATES } from './webhook-list-choices.ts';

/** A webhook in the list: its configuration in short, its numbers and its line. */
export type WebhookOverview = ReturnType<typeof toOverview>;

const Query = ListQuery(WEBHOOK_SORTS, {
  search: SearchText,
  topic: Type.Optional(Type.Enum([...TOPICS])),
  state: Type.Optional(Type.Enum([...WEBHOOK_STATES])),
});

/** The list of webhooks, and a single row of it, for the admin UI. */
export function webhookListRoutes(
  routes: Routes,
  {
    reader,
    readOnly,
    delivers,
    now,
  }: { reader: Reader; readOnly: boolean; delivers: () => boolean; now: () => number },
): void {
  const toRecord = (webhook: ListedWebhook) =>
    toOverview(webhook, { readOnly, delivers: delivers(), now: now() });

  routes.get(
    '/ui/api/webhooks',
    {
      config: { scope: 'webhooks:read', hasLargeResponse: true },
      schema: {
        hide: true,
        querystring: Query,
      },
    },
    async (request) => {
      const { search, topic, state } = request.query;
      const part = listPart(request.query, 'failing');
      const filter = { search: searchText(search), topic: topic ?? null, state: state ?? null };
      return listResponse(await listWebhooks(reader, filter, part, now()), part, toRecord);
    },
  );

  routes.get(
    '/ui/api/webhooks/:webhook_id',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        hide: true,
        params: Type.Object({ webhook_id: Type.String() }),
      },
    },
    async (request) => {
      const id = parseId(request.params.webhook_id, 'webhook');
      const webhook = await readListedWebhook(reader, id, now());
      if (webhook === undefined) throw notFound('webhook', id);
      return toRecord(webhook);
    },
  );
}

function toOverview(
  webhook: ListedWebhook,
  { readOnly, delivers, now }: { readOnly: boolean; delivers: boolean; now: number },
) {
  const { last_success_at: successAt, last_error_at: errorAt } = webhook;
  const attempts = webhook.successes_of_day + webhook.failures_of_day;
  const waits = (webhook.pending ?? 0) > 0;
  return {
    id: webhook.id,
    name: webhook.name,
    topic: webhook.topic as Topic,
    /**
     * Whether the webhook has all subtopics of its topic except those that the focus excludes. `subtopics` then
     * contains these.
     */
    all_subtopics: webhook.all_subtopics === 1,
    subtopics: webhook.subtopics as Subtopic[],
    target_url: webhook.target_url,
    enabled: webhook.enabled === 1,
    inactive_since_dt: formatOptionalDateTime(webhook.inactive_at),
    paused: webhook.paused_at !== null,
    paused_since_dt: formatOptionalDateTime(webhook.paused_at),
    in_error: webhook.in_error === 1,
    /** When the first failure since the last success ended; null if it is not in error. */
    failing_since_dt: formatOptionalDateTime(
      webhook.in_error === 1 ? (webhook.failing_since ?? errorAt) : null,
    ),
    /** The share of the attempts of the last 24 hours that succeeded; null without attempts. */
    success_rate: attempts === 0 ? null : webhook.successes_of_day / attempts,
    success_count: webhook.success_count ?? 0,
    error_count: webhook.error_count ?? 0,
    last_success_dt: formatOptionalDateTime(successAt),
    last_error_dt: formatOptionalDateTime(errorAt),
    last_error_message: webhook.last_error_message,
    last_activity_dt: formatOptionalDateTime(
      successAt === null || errorAt === null ? (successAt ?? errorAt) : Math.max(successAt, errorAt),
    ),
    created_dt: formatDateTime(webhook.created_at),
    /** Waiting messages, including one in flight. */
    depth: webhook.pending ?? 0,
    /** Null while it is in flight or delivery is paused. */
    next_attempt_dt:
      isInFlight(webhook, now) || !waits || !delivers || webhook.paused_at !== null
        ? null
        : formatOptionalDateTime(webhook.available_at),
    read_only: readOnly,
    focus_count: webhook.focus_count,
  };
}
