import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { problems, type Routes } from '../../http/routes.ts';
import { DateTime, Id, Nullable, OptionalDateTime } from '../../http/schemas.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import type { BlockedLine, Dashboard, DeliveryNow, FailingWebhook } from './dashboard.ts';

const MS_PER_SECOND = 1_000;

const FailingRecord = Type.Object({
  webhook_id: Id('The id of the webhook.'),
  name: Type.String(),
  failure_count: Type.Integer({ description: 'Failed attempts within the last hour.' }),
  in_error: Type.Boolean(),
  last_error_dt: OptionalDateTime('Its last failure.'),
  last_error_message: Nullable(Type.String()),
});

const BlockedRecord = Type.Object({
  webhook_id: Id('The id of the webhook.'),
  name: Type.String(),
  depth: Type.Integer({ description: 'Messages that wait.' }),
  message_id: Type.String({ description: 'The first of them.' }),
  subtopic: Type.String(),
  attempts: Type.Integer({ description: 'How often it failed.' }),
  since_dt: OptionalDateTime('When it was tried first.'),
  last_error_message: Nullable(Type.String()),
  next_attempt_dt: OptionalDateTime('Null while it is out or nothing is delivered.'),
});

const DeliveryRecord = Type.Object({
  minutes: Type.Array(
    Type.Object({
      start_dt: DateTime('When the minute begins.'),
      event_count: Type.Integer(),
      success_count: Type.Integer(),
      failure_count: Type.Integer(),
    }),
    { description: 'The last hour; the last one is this minute.' },
  ),
  waiting: Type.Integer({ description: 'Messages that wait or are out.' }),
  in_flight: Type.Integer(),
  dead_letters: Type.Integer(),
  lines_blocked: Type.Integer(),
  oldest_age: Nullable(
    Type.Number({ description: 'Seconds since the event of the oldest waiting message.' }),
  ),
  failing_webhooks: Type.Array(FailingRecord, {
    description: 'Most failures in the last hour first, up to 20.',
  }),
  blocked_lines: Type.Array(BlockedRecord, { description: 'Those of the oldest messages first, up to 20.' }),
});

const DashboardRecord = Type.Object({
  now_dt: DateTime('When it was asked for.'),
  content: Type.Object({
    accounts: Type.Integer(),
    courses: Type.Integer(),
    equivalents: Type.Integer(),
    bundles: Type.Integer(),
    registrations: Type.Integer(),
  }),
  delivery: Type.Union([DeliveryRecord, Type.Null()], {
    description: 'Null for those who may not read webhooks.',
  }),
});

/** What happens now, for the admin UI. `mayReadWebhooks` tells whether the request's caller may see the part of webhooks. */
export function dashboardRoutes(
  routes: Routes,
  {
    dashboard,
    mayReadWebhooks,
    now,
  }: {
    dashboard: Dashboard;
    mayReadWebhooks: (request: FastifyRequest) => Promise<boolean>;
    now: () => number;
  },
): void {
  routes.get(
    '/ui/api/dashboard',
    {
      config: { scope: 'content:read' },
      schema: { hide: true, response: { 200: DashboardRecord, ...problems() } },
    },
    async (request) => {
      const mayRead = await mayReadWebhooks(request);
      return {
        now_dt: formatDateTime(now()),
        content: await dashboard.content(),
        delivery: mayRead ? toDelivery(await dashboard.delivery(), now()) : null,
      };
    },
  );
}

function toDelivery({ minutes, totals, failing, blocked }: DeliveryNow, now: number) {
  const { oldestEnqueuedAt } = totals;
  return {
    minutes: minutes.map((minute) => ({
      start_dt: formatDateTime(minute.startAt),
      event_count: minute.events,
      success_count: minute.successes,
      failure_count: minute.failures,
    })),
    waiting: totals.waiting,
    in_flight: totals.inFlight,
    dead_letters: totals.deadLetters,
    lines_blocked: totals.linesBlocked,
    oldest_age: oldestEnqueuedAt === null ? null : Math.max(0, now - oldestEnqueuedAt) / MS_PER_SECOND,
    failing_webhooks: failing.map(toFailing),
    blocked_lines: blocked.map(toBlocked),
  };
}

function toFailing(webhook: FailingWebhook) {
  return {
    webhook_id: webhook.webhookId,
    name: webhook.name,
    failure_count: webhook.failures,
    in_error: webhook.inError,
    last_error_dt: formatOptionalDateTime(webhook.lastErrorAt),
    last_error_message: webhook.lastErrorMessage,
  };
}

function toBlocked(line: BlockedLine) {
  return {
    webhook_id: line.webhookId,
    name: line.name,
    depth: line.depth,
    message_id: line.messageId,
    subtopic: line.subtopic,
    attempts: line.attempts,
    since_dt: formatOptionalDateTime(line.since),
    last_error_message: line.lastErrorMessage,
    next_attempt_dt: formatOptionalDateTime(line.nextAttemptAt),
  };
}
