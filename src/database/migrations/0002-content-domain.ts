import type { Migration } from './migration.ts';

/** Equivalents, bundles, the content of accounts, registrations, and stored responses for repeated requests. */
export const contentDomain: Migration = {
  number: 2,
  name: 'content-domain',
  statements: ({ id, int }) => [
    `create table equivalents (
      id ${id}, name text not null, folder_id ${int} not null references folders (id),
      revision ${int} not null, created_at ${int} not null, updated_at ${int} not null)`,
    'create index equivalents_by_folder on equivalents (folder_id)',
    `create table equivalent_courses (
      equivalent_id ${int} not null references equivalents (id), position ${int} not null,
      course_id ${int} not null references courses (id), language text not null,
      primary key (equivalent_id, language))`,
    'create index equivalent_courses_by_course on equivalent_courses (course_id)',

    `create table bundles (
      id ${id}, name text not null, folder_id ${int} not null references folders (id),
      revision ${int} not null, created_at ${int} not null, updated_at ${int} not null)`,
    'create index bundles_by_folder on bundles (folder_id)',
    `create table bundle_contents (
      bundle_id ${int} not null references bundles (id), position ${int} not null,
      content_type text not null, content_id ${int} not null,
      primary key (bundle_id, content_type, content_id))`,
    'create index bundle_contents_by_content on bundle_contents (content_type, content_id)',

    `create table account_contents (
      account_id ${int} not null references accounts (id), content_type text not null, content_id ${int} not null,
      added_at ${int} not null, primary key (account_id, content_type, content_id))`,
    'create index account_contents_by_content on account_contents (content_type, content_id)',

    `create table registrations (
      number ${id}, registration_id text not null unique,
      account_id ${int} not null, course_id ${int} not null, version_id ${int} not null, learner_id text not null,
      completion text not null, success text not null, score double precision, duration ${int} not null,
      completed_at ${int}, launched_at ${int},
      revision ${int} not null, created_at ${int} not null, updated_at ${int} not null)`,
    'create index registrations_by_account on registrations (account_id, number)',
    'create index registrations_by_course on registrations (course_id, number)',
    'create index registrations_by_learner on registrations (learner_id, number)',

    `create table idempotency_keys (
      client_id text not null, idempotency_key text not null, fingerprint text not null,
      status ${int} not null, headers text not null, body text not null, created_at ${int} not null,
      primary key (client_id, idempotency_key))`,
    'create index idempotency_keys_by_age on idempotency_keys (created_at)',
  ],
};
