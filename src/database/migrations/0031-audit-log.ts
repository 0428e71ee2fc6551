import type { Migration } from './migration.ts';

/** The audit log: a row for each change of the configuration, and for each sign-in. */
export const auditLog: Migration = {
  number: 31,
  name: 'audit-log',
  statements: ({ id, int }) => [
    `create table audit_entries (
      id ${id}, occurred_at ${int} not null, actor_type text not null, actor_id text, actor_user text, actor_name text,
      address text, action text not null, object_type text not null, object_id text, object_name text,
      changes text not null, details text not null)`,
    'create index audit_entries_by_time on audit_entries (occurred_at)',
    'create index audit_entries_by_object on audit_entries (object_type, object_id, id)',
    'create index audit_entries_by_user on audit_entries (actor_user, id)',
  ],
};
