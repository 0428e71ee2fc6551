import type { Migration } from './migration.ts';

/** Visits to units that communicate with the server themselves: cmi5, xAPI and AICC. */
export const playerSessions: Migration = {
  number: 21,
  name: 'player-sessions',
  statements: ({ int }) => [
    `create table player_sessions (
      session_id text primary key, launch_id text not null,
      registration_id text references registrations (registration_id) on delete cascade,
      attempt ${int} not null, unit_id text not null, registration text not null, actor text not null,
      activity_id text not null, mode text not null, launch_data text not null, fetch_hash text, secret_hash text,
      facts text not null, started_at ${int} not null, active_at ${int} not null, ended_at ${int})`,
    'create index player_sessions_by_registration on player_sessions (registration_id, attempt, started_at)',
    'create index player_sessions_by_start on player_sessions (started_at)',
  ],
};
