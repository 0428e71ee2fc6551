import type { Migration } from './migration.ts';

/** The data of the player: launches, attempts of registrations, and units of attempts. */
export const player: Migration = {
  number: 18,
  name: 'player',
  statements: ({ int }) => [
    `create table player_launches (
      launch_id text primary key,
      registration_id text references registrations (registration_id) on delete cascade,
      course_id ${int} not null, version_id ${int} not null, learner_id text not null, mode text not null,
      return_url text, created_at ${int} not null, expires_at ${int} not null)`,
    'create index player_launches_by_registration on player_launches (registration_id)',
    'create index player_launches_by_expiry on player_launches (expires_at)',

    `create table player_attempts (
      registration_id text not null references registrations (registration_id) on delete cascade,
      number ${int} not null, version_id ${int} not null, page ${int} not null, launch_id text,
      state text, started_at ${int} not null, ended_at ${int}, primary key (registration_id, number))`,

    `create table player_units (
      registration_id text not null, attempt ${int} not null, unit_id text not null,
      completion text not null, success text not null, score double precision, completed_at ${int},
      duration_ms ${int} not null, earlier_ms ${int} not null,
      page ${int} not null, visit ${int} not null, sequence ${int} not null, data text,
      opened_at ${int} not null, updated_at ${int} not null,
      primary key (registration_id, attempt, unit_id),
      foreign key (registration_id, attempt) references player_attempts (registration_id, number) on delete cascade)`,
  ],
};
