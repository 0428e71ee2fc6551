import { Type } from 'typebox';
import type { Reader } from '../../database/database.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { DateTime, Id, Nullable } from '../../http/schemas.ts';
import { invalidInput } from '../../problems/problem.ts';
import { formatDateTime, parseDateTime } from '../../time/date-time.ts';
import type { DeadLetterRedelivery } from '../../webhooks/history/dead-letter-redelivery.ts';
import {
  LongListOf,
  listPart,
  longListAnswer,
  MAX_COUNTED,
  partMembers,
  SearchText,
  searchText,
} from '../list-query.ts';
import { type ListedDeadLetter, listDeadLetters } from './dead-letter-list.ts';

const MAX_DATE_TIME_LENGTH = 40;

const DeadLetterOverview = Type.Object({
  id: Id('The id of the delivery.'),
  webhook_id: Id('The id of the webhook.'),
  webhook_name: Nullable(Type.String()),
  webhook_enabled: Type.Boolean(),
  webhook_deleted: Type.Boolean(),
  subtopic: Type.String(),
  message_id: Type.String(),
  attempts: Type.Integer(),
  last_error_message: Nullable(Type.String()),
  response_status: Nullable(Type.Integer()),
  status: Type.String(),
  status_reason: Nullable(Type.String()),
  enqueued_dt: DateTime('When the event occurred.'),
  dead_lettered_dt: DateTime('When it was given up.'),
});

const Query = Type.Object(
  {
    search: SearchText,
    webhook_id: Type.Optional(Id('Only those of this webhook.')),
    ...partMembers(MAX_COUNTED),
  },
  { additionalProperties: false },
);

const RedeliveryBody = Type.Object(
  {
    webhook_id: Type.Optional(Id('Only those of this webhook; of all active ones when left out.')),
    until_dt: Type.Optional(
      Type.String({
        maxLength: MAX_DATE_TIME_LENGTH,
        description: 'The `until_dt` of the step before; left out at the first.',
      }),
    ),
  },
  { additionalProperties: false },
);

const RedeliveryStepRecord = Type.Object({
  redelivered: Type.Integer({ description: 'Messages that this step queued again.' }),
  remaining: Type.Integer({ description: 'Call again with `until_dt` until it is 0.' }),
  remaining_is_lower_bound: Type.Boolean(),
  until_dt: DateTime('What was dead-lettered later is not part of it.'),
});

/** The dead letters of all webhooks, for the admin UI. */
export function deadLetterRoutes(
  routes: Routes,
  { reader, redelivery }: { reader: Reader; redelivery: DeadLetterRedelivery },
): void {
  routes.get(
    '/ui/api/dead-letters',
    {
      config: { scope: 'webhooks:read' },
      schema: {
        hide: true,
        querystring: Query,
        response: { 200: LongListOf(DeadLetterOverview), ...problems(400) },
      },
    },
    async (request) => {
      const part = listPart(request.query, 'dead_lettered');
      const { search, webhook_id } = request.query;
      const filter = { search: searchText(search), webhookId: webhook_id ?? null };
      return longListAnswer(await listDeadLetters(reader, filter, part), part, toRecord);
    },
  );

  routes.post(
    '/ui/api/dead-letters/redeliver',
    {
      config: { scope: 'webhooks:write' },
      schema: {
        hide: true,
        body: RedeliveryBody,
        response: { 200: RedeliveryStepRecord, ...problems(400, 404, 409) },
      },
    },
    async (request) => {
      const { webhook_id: webhookId, until_dt: untilText } = request.body;
      const until = untilText === undefined ? undefined : parseDateTime(untilText);
      if (until === null)
        throw invalidInput([{ pointer: '/until_dt', detail: 'is no date and time with a zone' }]);
      const step = await redelivery.step(webhookId ?? null, until);
      return {
        redelivered: step.redelivered,
        remaining: step.remaining,
        remaining_is_lower_bound: step.remainingIsLowerBound,
        until_dt: formatDateTime(step.until),
      };
    },
  );
}

function toRecord(letter: ListedDeadLetter) {
  return {
    id: letter.id,
    webhook_id: letter.webhook_id,
    webhook_name: letter.webhook_name,
    webhook_enabled: letter.webhook_enabled === 1,
    webhook_deleted: letter.webhook_name === null || letter.webhook_deleted_at !== null,
    subtopic: letter.subtopic,
    message_id: letter.message_id,
    attempts: letter.attempts,
    last_error_message: letter.error,
    response_status: letter.response_status,
    status: letter.status,
    status_reason: letter.status_reason,
    enqueued_dt: formatDateTime(letter.enqueued_at),
    dead_lettered_dt: formatDateTime(letter.updated_at),
  };
}
