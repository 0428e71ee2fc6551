import type { Migration } from './migration.ts';

/**
 * The learning record store: statements with their index, attachments, documents, and known activities and agents.
 * The rows of a registration are deleted with it.
 */
export const lrs: Migration = {
  number: 19,
  name: 'lrs',
  statements: ({ id, int }) => [
    `create table lrs_statements (
      id ${id}, statement_id text not null unique,
      registration_id text references registrations (registration_id) on delete cascade,
      target_id text, is_voiding ${int} not null, is_voided ${int} not null,
      stored_at ${int} not null, statement text not null)`,
    'create index lrs_statements_by_moment on lrs_statements (stored_at, id)',
    'create index lrs_statements_by_target on lrs_statements (target_id)',
    'create index lrs_statements_by_registration on lrs_statements (registration_id)',
    `create table lrs_statement_index (
      kind text not null, term text not null, stored_at ${int} not null,
      statement ${int} not null references lrs_statements (id) on delete cascade,
      primary key (kind, term, stored_at, statement))`,
    'create index lrs_statement_index_by_statement on lrs_statement_index (statement)',
    `create table lrs_attachments (
      statement ${int} not null references lrs_statements (id) on delete cascade, sha2 text not null,
      content_type text not null, byte_count ${int} not null, content text not null,
      primary key (statement, sha2))`,
    `create table lrs_documents (
      document_key text primary key, collection_key text not null,
      registration_id text references registrations (registration_id) on delete cascade,
      registration text not null, document_id text not null, content_type text not null, content text not null,
      etag text not null, updated_at ${int} not null)`,
    'create index lrs_documents_by_collection on lrs_documents (collection_key, registration, document_id)',
    'create index lrs_documents_by_registration on lrs_documents (registration_id)',
    `create table lrs_activities (
      activity_key text primary key, term text not null,
      registration_id text references registrations (registration_id) on delete cascade,
      definition text not null, updated_at ${int} not null)`,
    'create index lrs_activities_by_term on lrs_activities (term, updated_at)',
    'create index lrs_activities_by_registration on lrs_activities (registration_id)',
    `create table lrs_agent_names (
      term text not null, name text not null, primary key (term, name))`,
  ],
};
