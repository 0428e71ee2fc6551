import { type Static, Type } from 'typebox';
import { actorOf } from '../../audit/actor.ts';
import type { Subtopic } from '../../events/catalogue.ts';
import { TOO_MANY_READS } from '../../http/caller-turns.ts';
import { given, givenTime } from '../../http/given.ts';
import type { Idempotency } from '../../http/idempotency.ts';
import { parseId } from '../../http/ids.ts';
import { PageQuery, pageRequest, pageResponse, pairCursor, parsePairCursor } from '../../http/paging.ts';
import { passing, problems, type Routes } from '../../http/routes.ts';
import { PageOf, PathId } from '../../http/schemas.ts';
import { formatDateTime } from '../../time/date-time.ts';
import { WebhookParams, webhookIdOf } from '../configuration/webhook-routes.ts';
import { toLineRecord } from './line-records.ts';
import { LineRecord } from './line-schemas.ts';
import type { LineService } from './line-service.ts';
import type { PurgeResult, WaitingMessage, WaitingMessages, WaitingPurge } from './waiting-messages.ts';
import {
  DEFAULT_PURGE_LIMIT,
  PurgeQuery,
  PurgeRecord,
  WaitingRecord,
  WaitingSummary,
} from './waiting-schemas.ts';

const READ = { scope: 'webhooks:read' };
const WRITE = { scope: 'webhooks:write' };
const tags = ['Lines'];
const MessageParams = Type.Object({
  ...WebhookParams.properties,
  position: PathId('The position of the message.'),
});

/** Dependencies of {@link waitingRoutes}. */
export interface WaitingRoutesDependencies {
  waiting: WaitingMessages;
  lines: Pick<LineService, 'line'>;
  idempotency: Idempotency;
  now: () => number;
}

/** The messages that wait in the line of a webhook. */
export function waitingRoutes(routes: Routes, dependencies: WaitingRoutesDependencies): void {
  listWaitingMessagesRoute(routes, dependencies);
  getWaitingMessageRoute(routes, dependencies);
  skipWaitingMessageRoute(routes, dependencies);
  purgeLineRoute(routes, dependencies);
}

function listWaitingMessagesRoute(routes: Routes, { waiting }: WaitingRoutesDependencies): void {
  routes.get(
    '/webhooks/:webhook_id/line/messages',
    {
      config: { ...READ, hasLargeResponse: true },
      schema: {
        tags,
        operationId: 'listWaitingMessages',
        summary: 'List waiting messages',
        description: 'The messages that wait in the line, in order, the head first.',
        params: WebhookParams,
        querystring: PageQuery,
        response: {
          200: PageOf(WaitingSummary, 'Waiting messages, in order.'),
          ...problems(400, 404, { 429: TOO_MANY_READS }),
        },
      },
    },
    async (request) =>
      pageResponse(
        await waiting.list(webhookIdOf(request.params), pageRequest(request.query)),
        toWaitingSummary,
      ),
  );
}

function getWaitingMessageRoute(routes: Routes, { waiting }: WaitingRoutesDependencies): void {
  routes.get(
    '/webhooks/:webhook_id/line/messages/:position',
    {
      config: { ...READ, hasLargeResponse: true },
      schema: {
        tags,
        operationId: 'getWaitingMessage',
        summary: 'Read a waiting message',
        params: MessageParams,
        response: {
          200: WaitingRecord,
          ...problems(404, { 409: 'The message cannot be read from the database.' }, { 429: TOO_MANY_READS }),
        },
      },
    },
    async (request) => {
      const found = await waiting.read(webhookIdOf(request.params), positionOf(request.params));
      return { ...toWaitingSummary(found), message: JSON.parse(found.body) };
    },
  );
}

function skipWaitingMessageRoute(
  routes: Routes,
  { waiting, lines, idempotency, now }: WaitingRoutesDependencies,
): void {
  routes.post(
    '/webhooks/:webhook_id/line/messages/:position/skip',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'skipWaitingMessage',
        summary: 'Move a waiting message to the dead-letter queue',
        description: 'The other messages keep their order. Returns the line after the change.',
        params: MessageParams,
        response: { 200: LineRecord, ...problems(404, { 409: passing('The message is in flight.') }, 422) },
      },
    },
    async (request, reply) =>
      idempotency.respond(request, reply, async (tx) => {
        const webhookId = webhookIdOf(request.params);
        await waiting.skip(webhookId, positionOf(request.params), actorOf(request), tx);
        return { status: 200, body: toLineRecord(await lines.line(webhookId, tx), now()) };
      }),
  );
}

function purgeLineRoute(routes: Routes, { waiting, idempotency }: WaitingRoutesDependencies): void {
  routes.post(
    '/webhooks/:webhook_id/line/purge',
    {
      config: WRITE,
      schema: {
        tags,
        operationId: 'purgeLine',
        summary: 'Discard waiting messages',
        description:
          'Discards the messages that wait, except one in flight. The history lists them with the reason PURGED, and they can be ' +
          'redelivered from there. Messages that are queued after the first call are not included. Repeat with the `next_cursor` of ' +
          'the call before until it is null.',
        params: WebhookParams,
        querystring: PurgeQuery,
        response: { 200: PurgeRecord, ...problems(400, 404, 422) },
      },
    },
    async (request, reply) =>
      idempotency.respond(request, reply, async (tx) => {
        const purge = purgeRequest(request.query);
        return {
          status: 200,
          body: toPurge(await waiting.purge(webhookIdOf(request.params), purge, actorOf(request), tx)),
        };
      }),
  );
}

function positionOf(params: { position: string }): number {
  return parseId(params.position, 'waiting message');
}

function purgeRequest({ until_dt, limit, cursor }: Static<typeof PurgeQuery>): WaitingPurge {
  const pair = given(parsePairCursor, cursor);
  const from = pair === null ? null : { after: pair[0], through: pair[1] };
  return { before: givenTime(until_dt), limit: limit ?? DEFAULT_PURGE_LIMIT, from };
}

function toPurge({ purged, remaining, next }: PurgeResult): PurgeRecord {
  return {
    purged,
    remaining,
    next_cursor: next === null ? null : pairCursor(next.after, next.through),
  };
}

function toWaitingSummary({
  message,
  about,
  attempts,
  inFlight,
  deliveryId,
}: WaitingMessage): WaitingSummary {
  return {
    position: message.position,
    message_id: message.messageId,
    subtopic: message.label as Subtopic,
    event_dt: formatDateTime(message.occurredAt),
    attempts,
    in_flight: inFlight,
    delivery_id: deliveryId,
    about,
  };
}
