import type { Migration } from './migration.ts';

/** Lines keep the latest time of their messages, so that timestamps never decrease within a webhook. */
export const lineMoments: Migration = {
  number: 14,
  name: 'line-moments',
  statements: ({ int }) => [
    `alter table queue_lines add column last_enqueued_at ${int} not null default 0`,
    `update queue_lines set last_enqueued_at = coalesce(
       (select max(waiting.enqueued_at) from queue_messages as waiting where waiting.line_id = queue_lines.line_id), 0)`,
  ],
};
