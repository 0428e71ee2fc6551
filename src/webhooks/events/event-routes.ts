import { Type } from 'typebox';
import { TOO_MANY_READS } from '../../http/caller-turns.ts';
import { givenTime } from '../../http/given.ts';
import { parseId } from '../../http/ids.ts';
import { pageRequest, pageResponse } from '../../http/paging.ts';
import { problems, type Routes } from '../../http/routes.ts';
import { PageOf, PathId } from '../../http/schemas.ts';
import { toEventRecord, toEventSummary, toEventWebhookRecord } from './event-records.ts';
import {
  EventRecord,
  EventSummary,
  EventsQuery,
  EventWebhookRecord,
  EventWebhooksQuery,
} from './event-schemas.ts';
import type { EventQuery, EventService } from './event-service.ts';

const READ = { scope: 'webhooks:read' };
const tags = ['Events'];
const UNREADABLE_EVENT = { 409: 'The event cannot be read from the database.' };
const EventParams = Type.Object({ event_id: PathId('The id of the event.') });

/** The event log. */
export function eventRoutes(routes: Routes, events: EventService): void {
  listEventsRoute(routes, events);
  getEventRoute(routes, events);
  listWebhooksOfEventRoute(routes, events);
}

function listEventsRoute(routes: Routes, events: EventService): void {
  routes.get(
    '/events',
    {
      config: { ...READ, hasLargeResponse: true },
      schema: {
        tags,
        operationId: 'listEvents',
        summary: 'List events',
        description:
          'What happened, newest first, whether webhooks matched it or not. Events are kept as long as the delivery history. ' +
          'A page of a search, or of very large events, may be short or empty although `next_cursor` is not null.',
        querystring: EventsQuery,
        response: {
          200: PageOf(EventSummary, 'Events, newest first.'),
          ...problems(400, UNREADABLE_EVENT, { 429: TOO_MANY_READS }),
        },
      },
    },
    async ({ query }) => pageResponse(await events.list(toEventQuery(query)), toEventSummary),
  );
}

function getEventRoute(routes: Routes, events: EventService): void {
  routes.get(
    '/events/:event_id',
    {
      config: { ...READ, hasLargeResponse: true },
      schema: {
        tags,
        operationId: 'getEvent',
        summary: 'Read an event',
        params: EventParams,
        response: { 200: EventRecord, ...problems(404, UNREADABLE_EVENT, { 429: TOO_MANY_READS }) },
      },
    },
    async (request) => toEventRecord(await events.get(idOf(request.params))),
  );
}

function listWebhooksOfEventRoute(routes: Routes, events: EventService): void {
  routes.get(
    '/events/:event_id/webhooks',
    {
      config: READ,
      schema: {
        tags,
        operationId: 'listWebhooksOfEvent',
        summary: 'List the outcomes of an event',
        description:
          'Lists webhooks: those that got a message about the event, with the status of the message, and the others, with ' +
          'the reason. Reasons are determined from the current configuration, because earlier ones are not kept.',
        params: EventParams,
        querystring: EventWebhooksQuery,
        response: {
          200: PageOf(EventWebhookRecord, 'Webhooks, ordered by id.'),
          ...problems(400, 404, UNREADABLE_EVENT),
        },
      },
    },
    async (request) => {
      const { got_message: got = null, webhook_id: webhookId = null } = request.query;
      return pageResponse(
        await events.webhooksOf(idOf(request.params), { got, webhookId }, pageRequest(request.query)),
        toEventWebhookRecord,
      );
    },
  );
}

function idOf(params: { event_id: string }): number {
  return parseId(params.event_id, 'event');
}

/** The search that a request asks for. */
export function toEventQuery(query: EventsQuery): EventQuery {
  const { limit: _limit, cursor: _cursor, message_id: messageId, from_dt, to_dt, ...filter } = query;
  return {
    // As in paths, capitals are allowed in the id of a registration.
    filter: { ...filter, registration_id: filter.registration_id?.toLowerCase() },
    messageId: messageId ?? null,
    from: givenTime(from_dt),
    to: givenTime(to_dt),
    page: pageRequest(query),
  };
}
