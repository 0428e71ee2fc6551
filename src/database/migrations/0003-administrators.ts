import type { Migration } from './migration.ts';

/** Administrators, their sessions, one-time links, and the budgets that slow down password guessing. */
export const administrators: Migration = {
  number: 3,
  name: 'administrators',
  statements: ({ id, int }) => [
    `create table administrators (
      id ${id}, email text not null, email_key text not null unique, name text, role text not null,
      enabled ${int} not null, password_hash text, created_at ${int} not null, last_sign_in_at ${int})`,
    `create table administrator_sessions (
      id ${id}, token_hash text not null unique,
      administrator_id ${int} not null references administrators (id), user_agent text not null,
      created_at ${int} not null, last_seen_at ${int} not null)`,
    'create index administrator_sessions_by_administrator on administrator_sessions (administrator_id, id)',
    'create index administrator_sessions_by_age on administrator_sessions (created_at)',
    'create index administrator_sessions_by_last_seen on administrator_sessions (last_seen_at)',
    `create table setup_links (
      subject text primary key, token_hash text not null unique,
      administrator_id ${int} references administrators (id), expires_at ${int} not null)`,
    'create index setup_links_by_expiry on setup_links (expires_at)',
    `create table guess_budgets (budget text primary key, full_at ${int} not null)`,
    'create index guess_budgets_by_age on guess_budgets (full_at)',
  ],
};
