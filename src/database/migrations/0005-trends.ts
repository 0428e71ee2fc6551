import type { Migration } from './migration.ts';

/**
 * Counters for charts, one row per webhook and minute or hour, and the indexes that order and search the lists of
 * the admin UI. The key of names uses the "C" collation of PostgreSQL, so that both engines agree.
 */
export const trends: Migration = {
  number: 5,
  name: 'trends',
  statements: ({ int }, dialect) => {
    const nameKey = dialect === 'sqlite' ? 'lower(name)' : 'lower(name collate "C")';
    const named = ['accounts', 'bundles', 'courses', 'equivalents', 'folders', 'webhooks'];
    const latencies = Array.from({ length: 13 }, (_, index) => `latency_${index} ${int} not null`).join(', ');
    return [
      `create table webhook_trends (
        webhook_id ${int} not null, width_ms ${int} not null, start_at ${int} not null,
        success_count ${int} not null, failure_count ${int} not null,
        latency_total ${int} not null, latency_max ${int} not null, ${latencies},
        primary key (webhook_id, width_ms, start_at))`,
      'create index webhook_trends_by_age on webhook_trends (width_ms, start_at)',
      `create index webhook_trends_failing on webhook_trends (width_ms, start_at, webhook_id, failure_count)
        where failure_count > 0`,
      `create table event_trends (start_at ${int} primary key, event_count ${int} not null)`,

      ...named.map((table) => `create index ${table}_by_name on ${table} (${nameKey}, id)`),
      'create index courses_by_update on courses (updated_at, id)',
      'create index registrations_by_update on registrations (updated_at, number)',
      `create index deliveries_dead_by_webhook on deliveries (webhook_id, updated_at, id)
        where status = 'DEAD_LETTERED'`,
      `create index deliveries_retrying on deliveries (enqueued_at, id) where status = 'RETRYING'`,
    ];
  },
};
