import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { SUBTOPICS, type Subtopic, TOPICS, type Topic } from '../../events/catalogue.ts';
import { parseId } from '../../http/ids.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { DateTime, Id, Nullable, OptionalDateTime } from '../../http/schemas.ts';
import { notFound } from '../../problems/problem.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import { ListOf, ListQuery, listAnswer, listPart, SearchText, searchText } from '../list-query.ts';
import { type ListedWebhook, listWebhooks, readListedWebhook } from './webhook-list.ts';
import { WEBHOOK_SORTS, WEBHOOK_STATES } from './webhook-list-choices.ts';

const WebhookOverview = Type.Object({
  id: Id('The id of the webhook.'),
  name: Type.String(),
  topic: Type.Enum([...TOPICS]),
  all_subtopics: Type.Boolean({ description: 'True: all that the topic has, less what the focus excludes.' }),
  subtopics: Type.Array(Type.Enum([...SUBTOPICS])),
  target_url: Type.String(),
  enabled: Type.Boolean(),
  in_error: Type.Boolean(),
  success_count: Type.Integer(),
  error_count: Type.Integer(),
  last_success_dt: OptionalDateTime('Its last success.'),
  last_error_dt: OptionalDateTime('Its last failure.'),
  last_error_message: Nullable(Type.String()),
  last_activity_dt: OptionalDateTime('The later of both.'),
  created_dt: DateTime('When it was created.'),
  depth: Type.Integer({ description: 'Messages that wait, one that is out included.' }),
  head_attempts: Type.Integer({ description: 'How often the first of them was tried.' }),
  next_attempt_dt: OptionalDateTime('When it is tried next; null while it is out or nothing is delivered.'),
  read_only: Type.Boolean(),
  focus_count: Type.Integer(),
});

const Query = ListQuery(WEBHOOK_SORTS, {
  search: SearchText,
  topic: Type.Optional(Type.Enum([...TOPICS])),
  state: Type.Optional(Type.Enum([...WEBHOOK_STATES])),
});

/** The list of webhooks, and one of them as it stands there, for the admin UI. */
export function webhookListRoutes(
  routes: Routes,
  { reader, readOnly, delivers }: { reader: Reader; readOnly: boolean; delivers: boolean },
): void {
  const toRecord = (webhook: ListedWebhook) => {
    const { last_success_at: successAt, last_error_at: errorAt } = webhook;
    const isOut = webhook.lease_token !== null;
    const waits = (webhook.pending ?? 0) > 0;
    return {
      id: webhook.id,
      name: webhook.name,
      topic: webhook.topic as Topic,
      all_subtopics: webhook.all_subtopics === 1,
      subtopics: webhook.subtopics as Subtopic[],
      target_url: webhook.target_url,
      enabled: webhook.enabled === 1,
      in_error: webhook.in_error === 1,
      success_count: webhook.success_count ?? 0,
      error_count: webhook.error_count ?? 0,
      last_success_dt: formatOptionalDateTime(successAt),
      last_error_dt: formatOptionalDateTime(errorAt),
      last_error_message: webhook.last_error_message,
      last_activity_dt: formatOptionalDateTime(
        successAt === null || errorAt === null ? (successAt ?? errorAt) : Math.max(successAt, errorAt),
      ),
      created_dt: formatDateTime(webhook.created_at),
      depth: webhook.pending ?? 0,
      head_attempts: waits ? (webhook.receive_count ?? 0) : 0,
      next_attempt_dt: isOut || !waits || !delivers ? null : formatOptionalDateTime(webhook.available_at),
      read_only: readOnly,
      focus_count: webhook.focus_count,
    };
  };

  routes.get(
    '/ui/api/webhooks',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        hide: true,
        querystring: Query,
        response: { 200: ListOf(WebhookOverview), ...problems(400) },
      },
    },
    async (request) => {
      const { search, topic, state } = request.query;
      const part = listPart(request.query, 'name');
      const filter = { search: searchText(search), topic: topic ?? null, state: state ?? null };
      return listAnswer(await listWebhooks(reader, filter, part), part, toRecord);
    },
  );

  routes.get(
    '/ui/api/webhooks/:webhook_id',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        hide: true,
        params: Type.Object({ webhook_id: Type.String() }),
        response: { 200: WebhookOverview, ...problems(404) },
      },
    },
    async (request) => {
      const id = parseId(request.params.webhook_id, 'webhook');
      const webhook = await readListedWebhook(reader, id);
      if (webhook === undefined) throw notFound('webhook', id);
      return toRecord(webhook);
    },
  );
}
