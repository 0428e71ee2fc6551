import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import type { Reader } from '../../database/database.ts';
import type { Routes } from '../../http/routes.ts';
import { Id } from '../../http/schemas.ts';
import { invalidInput } from '../../problems/problem.ts';
import { formatDateTime, parseDateTime } from '../../time/date-time.ts';
import type { DeadLetterRedelivery } from '../../webhooks/history/dead-letter-redelivery.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import { listPart, longListAnswer, partMembers, SearchText, searchText } from '../list-query.ts';
import { type ListedDeadLetter, listDeadLetters } from './dead-letter-list.ts';

const MAX_DATE_TIME_LENGTH = 40;

/** A message in the dead-letter queue. */
export type DeadLetter = ReturnType<typeof toRecord>;

/** What one step of redelivery did, and what is left for further ones. */
export type RedeliveryStep = ReturnType<typeof toStep>;

const Query = Type.Object(
  {
    search: SearchText,
    webhook_id: Type.Optional(Id()),
    ...partMembers(MAX_COUNTED),
  },
  { additionalProperties: false },
);

const RedeliveryBody = Type.Object(
  {
    /** Defaults to all active webhooks. */
    webhook_id: Type.Optional(Id()),
    /** The `until_dt` of the step before; left out at the first. */
    until_dt: Type.Optional(Type.String({ maxLength: MAX_DATE_TIME_LENGTH })),
  },
  { additionalProperties: false },
);

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
      },
    },
    async (request) => {
      const { webhook_id: webhookId, until_dt: untilText } = request.body;
      const until = untilText === undefined ? undefined : parseDateTime(untilText);
      if (until === null)
        throw invalidInput([{ pointer: '/until_dt', detail: 'is no date and time with a zone' }]);
      return toStep(await redelivery.step(webhookId ?? null, actorOf(request), until));
    },
  );
}

function toStep(step: Awaited<ReturnType<DeadLetterRedelivery['step']>>) {
  return {
    redelivered: step.redelivered,
    remaining: step.remaining,
    remaining_is_lower_bound: step.remainingIsLowerBound,
    /** Messages that were dead-lettered later are not included. */
    until_dt: formatDateTime(step.until),
  };
}

function toRecord(letter: ListedDeadLetter) {
  return {
    /** The delivery's id. */
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
