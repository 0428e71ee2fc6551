import type { Reader } from '../../database/database.ts';
import { pageResponse } from '../../http/paging.ts';
import type { Routes } from '../../http/routes.ts';
import { toEventSummary } from '../../webhooks/events/event-records.ts';
import { toEventQuery } from '../../webhooks/events/event-routes.ts';
import { EventsQuery } from '../../webhooks/events/event-schemas.ts';
import type { EventService } from '../../webhooks/events/event-service.ts';
import type { StoredEvent } from '../../webhooks/events/stored-event.ts';
import { readUndelivered, type Undelivered } from './undelivered-messages.ts';

/** An event in the list, and whether it has dead letters or waiting messages. */
export type ListedEvent = ReturnType<typeof toRecord>;

/** The list of events for the admin UI: that of the API, and which events have dead letters or waiting messages. */
export function eventListRoutes(
  routes: Routes,
  { reader, events }: { reader: Reader; events: Pick<EventService, 'list'> },
): void {
  routes.get(
    '/ui/api/events',
    {
      config: { scope: 'webhooks:read', hasLargeResponse: true },
      schema: {
        hide: true,
        querystring: EventsQuery,
      },
    },
    async ({ query }) => {
      const page = await events.list(toEventQuery(query));
      const undelivered = await readUndelivered(reader, page.items);
      return pageResponse(page, (event) => toRecord(event, undelivered.get(event.id)!));
    },
  );
}

function toRecord(event: StoredEvent, { hasDeadLetters, hasWaiting }: Undelivered) {
  return {
    ...toEventSummary(event),
    has_dead_letters: hasDeadLetters,
    /** Whether any message waits for its first or another attempt. */
    has_waiting_messages: hasWaiting,
  };
}
