import type { Migration } from './migration.ts';

/** Alerts: their rules, when each of them fired, what was sent about it, and the troubles of each instance. */
export const alerts: Migration = {
  number: 33,
  name: 'alerts',
  statements: ({ id, int }) => [
    `create table alert_rules (
      id ${id}, name text not null, enabled ${int} not null, condition text not null, minutes ${int},
      webhook_ids text, email_to text not null, target_format text, target_origin text, target_url text,
      quiet_from text, quiet_to text, quiet_time_zone text, active_since ${int} not null,
      revision ${int} not null, created_at ${int} not null, updated_at ${int} not null)`,

    `create table alert_firings (
      id ${id}, rule_id ${int} not null, rule_name text not null, condition text not null,
      subject text not null, subject_name text not null, webhook_id ${int}, since ${int} not null,
      began_at ${int} not null, cleared_at ${int}, ended_at ${int}, end_reason text,
      relapses ${int} not null, details text not null, begin_batch text, end_batch text)`,
    'create unique index alert_firings_open on alert_firings (rule_id, subject) where ended_at is null',
    'create index alert_firings_by_rule on alert_firings (rule_id, id)',
    `create index alert_firings_ending on alert_firings (rule_id, id)
      where ended_at is not null and end_batch is null`,
    'create index alert_firings_by_age on alert_firings (ended_at) where ended_at is not null',

    `create table alert_notices (
      id ${id}, rule_id ${int} not null, batch text not null, kind text not null, channel text not null,
      content text not null, created_at ${int} not null, due_at ${int}, attempts ${int} not null,
      sent_at ${int}, failed_at ${int}, error text)`,
    'create index alert_notices_due on alert_notices (channel, due_at) where due_at is not null',
    'create index alert_notices_by_rule on alert_notices (rule_id, id)',
    'create index alert_notices_by_batch on alert_notices (batch)',
    'create index alert_notices_by_age on alert_notices (created_at)',

    `create table alert_troubles (
      instance text not null, name text not null, host_name text not null, since ${int} not null,
      reason text not null, seen_at ${int} not null, primary key (instance, name))`,
  ],
};
