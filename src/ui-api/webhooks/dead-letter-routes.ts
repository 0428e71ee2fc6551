import { Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import type { Reader } from '../../database/database.ts';
import { given, givenTime } from '../../http/given.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { MAX_CURSOR_LENGTH, pairCursor, parsePairCursor } from '../../http/paging.ts';
import type { Routes } from '../../http/routes.ts';
import { Id, READ_AS, TimeQuery } from '../../http/schemas.ts';
import { formatDateTime } from '../../time/date-time.ts';
import type { DeadLetterStep, DeadLetterSteps } from '../../webhooks/history/dead-letter-steps.ts';
import { deliveryFilter, FilterQuery } from '../../webhooks/history/delivery-schemas.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import {
  type ListResponse,
  listPart,
  listResponse,
  partMembers,
  SearchText,
  searchText,
} from '../list-query.ts';
import { type DeadLetterInBrief, listDeadLetters } from './dead-letter-list.ts';

const ACTIONS = ['redeliver', 'remove'] as const;

/** A message in the dead-letter queue. */
export type DeadLetter = ReturnType<typeof toRecord>;

/** A page of the dead letters. */
export interface DeadLetterListResponse extends ListResponse<DeadLetter> {
  /** Continues a filtered list after the dead letters that were examined; null if there are no more. */
  next_cursor: string | null;
}

/** The result of one step of a redelivery or removal. */
export type DeadLetterStepResponse = ReturnType<typeof toStep>;

const Query = Type.Object(
  {
    search: SearchText,
    webhook_id: Type.Optional(Id()),
    ...FilterQuery.properties,
    /** The `next_cursor` of a previous page. The list continues there. */
    cursor: Type.Optional(Type.String({ maxLength: MAX_CURSOR_LENGTH, [READ_AS]: 'pair-cursor' })),
    ...partMembers(MAX_COUNTED),
  },
  { additionalProperties: false },
);

const StepBody = Type.Object(
  {
    /** Defaults to all webhooks. A redelivery omits inactive and deleted ones. */
    webhook_id: Type.Optional(Id()),
    filter: Type.Optional(FilterQuery),
    until_dt: TimeQuery('`until_dt` of the previous step; omitted in the first.'),
    /** `next_cursor` of the previous step; omitted in the first. */
    cursor: Type.Optional(Type.String({ maxLength: MAX_CURSOR_LENGTH, [READ_AS]: 'pair-cursor' })),
  },
  { additionalProperties: false },
);

/** Dependencies of {@link deadLetterRoutes}. */
export interface DeadLetterRoutesDependencies {
  reader: Reader;
  deadLetters: DeadLetterSteps;
  idempotency: Idempotency;
}

/** The dead letters of all webhooks, for the admin UI. */
export function deadLetterRoutes(routes: Routes, dependencies: DeadLetterRoutesDependencies): void {
  listRoute(routes, dependencies.reader);
  for (const action of ACTIONS) stepRoute(routes, action, dependencies);
}

function listRoute(routes: Routes, reader: Reader): void {
  routes.get(
    '/ui/api/dead-letters',
    {
      config: { scope: 'webhooks:read', hasLargeResponse: true },
      schema: {
        hide: true,
        querystring: Query,
      },
    },
    async (request): Promise<DeadLetterListResponse> => {
      const part = listPart(request.query, 'dead_lettered');
      const { search, webhook_id, cursor, limit: _limit, offset: _offset, ...members } = request.query;
      const after = given(parsePairCursor, cursor);
      const filter = {
        search: searchText(search),
        webhookId: webhook_id ?? null,
        deliveries: deliveryFilter(members),
        after: after === null ? null : { updatedAt: after[0], id: after[1] },
      };
      const page = await listDeadLetters(reader, filter, part);
      return {
        ...listResponse(page, part, toRecord),
        next_cursor: page.next === null ? null : pairCursor(page.next.updatedAt, page.next.id),
      };
    },
  );
}

function stepRoute(
  routes: Routes,
  action: (typeof ACTIONS)[number],
  { deadLetters, idempotency }: DeadLetterRoutesDependencies,
): void {
  routes.post(
    `/ui/api/dead-letters/${action}`,
    {
      config: { scope: 'webhooks:write' },
      schema: {
        hide: true,
        body: StepBody,
      },
    },
    async (request, reply) => {
      const { webhook_id: webhookId, until_dt: until, cursor, filter = {} } = request.body;
      const from = given(parsePairCursor, cursor);
      const asked = {
        action,
        by: actorOf(request),
        webhookId: webhookId ?? null,
        filter: deliveryFilter(filter),
        until: givenTime(until) ?? undefined,
        from: from === null ? null : { webhookId: from[0], deliveryId: from[1] },
      };
      return await idempotency.respond(request, reply, async (tx) => ({
        status: 200,
        body: toStep(await deadLetters.step(asked, tx)),
      }));
    },
  );
}

function toStep({ done, remaining, remainingIsLowerBound, until, next }: DeadLetterStep) {
  return {
    /** Number of messages that were redelivered or removed. */
    done,
    remaining,
    remaining_is_lower_bound: remainingIsLowerBound,
    /** Messages that were dead-lettered later are not included. */
    until_dt: formatDateTime(until),
    /** Where the next step continues; null at the end. */
    next_cursor: next === null ? null : pairCursor(next.webhookId, next.deliveryId),
  };
}

function toRecord({ letter, about }: DeadLetterInBrief) {
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
    event_dt: formatDateTime(letter.enqueued_at),
    dead_lettered_dt: formatDateTime(letter.updated_at),
    about,
  };
}
