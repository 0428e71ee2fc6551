import type { Subtopic } from '../../events/catalogue.ts';
import { callerOf } from '../../http/authorization.ts';
import type { Routes } from '../../http/routes.ts';
import { formatDateTime, formatOptionalDateTime } from '../../time/date-time.ts';
import type { BlockedLine, Dashboard, DeliveryNow, FailingWebhook } from './dashboard.ts';
import type { ContentCounts, PausedWebhookRow } from './dashboard-store.ts';

/** The data of the dashboard. */
export interface DashboardRecord {
  /** Null for callers who may not read content. */
  content: ContentCounts | null;
  /** Null for callers who may not read webhooks. */
  delivery: DeliveryRecord | null;
}
/** The current state of webhooks. */
export type DeliveryRecord = ReturnType<typeof toDelivery>;
/** A minute of the last hour. */
export type MinuteRecord = DeliveryRecord['minutes'][number];
/** A webhook with failed attempts within the last hour. */
export type FailingRecord = ReturnType<typeof toFailing>;
/** A paused webhook. */
export type PausedRecord = ReturnType<typeof toPaused>;
/** A line whose first message failed and is retried. */
export type BlockedRecord = ReturnType<typeof toBlocked>;

/** The dashboard of the admin UI: the parts that the caller may read. */
export function dashboardRoutes(routes: Routes, { dashboard }: { dashboard: Dashboard }): void {
  routes.get(
    '/ui/api/dashboard',
    {
      config: { scope: ['content:read', 'webhooks:read'] },
      schema: { hide: true },
    },
    async (request): Promise<DashboardRecord> => {
      const { scopes } = callerOf(request);
      return {
        content: scopes.has('content:read') ? await dashboard.content() : null,
        delivery: scopes.has('webhooks:read') ? toDelivery(await dashboard.delivery()) : null,
      };
    },
  );
}

function toDelivery({ minutes, totals, failing, blocked, paused }: DeliveryNow) {
  return {
    /** The last hour; the last one is this minute. */
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
    /** Since when the oldest waiting message waits: since its event, or since it was redelivered or replayed. */
    oldest_dt: formatOptionalDateTime(totals.waitingSince),
    webhooks_failing: failing.webhooks,
    /** The webhooks with the most failures. */
    failing_webhooks: failing.most.map(toFailing),
    blocked_lines: blocked.map(toBlocked),
    webhooks_paused: paused.webhooks,
    /** Messages that wait for these webhooks. */
    waiting_paused: paused.messages,
    /** The webhooks that have been paused longest. */
    paused_webhooks: paused.longest.map(toPaused),
  };
}

function toFailing(webhook: FailingWebhook) {
  return {
    webhook_id: webhook.webhookId,
    name: webhook.name,
    failure_count: webhook.failures,
    state: webhook.state,
    last_error_dt: formatOptionalDateTime(webhook.lastErrorAt),
    last_error_message: webhook.lastErrorMessage,
    /** What the target said about it in its response. */
    explanation: webhook.explanation,
  };
}

function toPaused({ id, name, paused_at: pausedAt, depth }: PausedWebhookRow) {
  return { webhook_id: id, name, since_dt: formatDateTime(pausedAt), depth: depth ?? 0 };
}

function toBlocked(line: BlockedLine) {
  return {
    webhook_id: line.webhookId,
    name: line.name,
    depth: line.depth,
    message_id: line.messageId,
    subtopic: line.subtopic as Subtopic,
    attempts: line.attempts,
    since_dt: formatOptionalDateTime(line.since),
    last_error_message: line.lastErrorMessage,
    /** What the target said about it in its response. */
    explanation: line.explanation,
    paused: line.paused,
    /** Null while it is in flight or delivery is paused. */
    next_attempt_dt: formatOptionalDateTime(line.nextAttemptAt),
  };
}
