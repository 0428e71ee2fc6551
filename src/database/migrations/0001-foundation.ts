import type { Migration } from './migration.ts';

/** The tables of the first release: API clients, content, webhooks, the queue and the history. */
export const foundation: Migration = {
  number: 1,
  name: 'foundation',
  statements: ({ id, int }) => [
    `create table api_clients (
      client_id text primary key, name text not null, email text not null, scopes text not null,
      secret_hash text not null, enabled ${int} not null, token_generation ${int} not null,
      created_at ${int} not null, last_used_at ${int})`,
    'create table service_secrets (name text primary key, value text not null)',

    `create table accounts (
      id ${id}, name text not null, enabled ${int} not null,
      revision ${int} not null, created_at ${int} not null, updated_at ${int} not null)`,
    `create table folders (
      id ${id}, name text not null, parent_id ${int} references folders (id),
      revision ${int} not null, created_at ${int} not null, updated_at ${int} not null)`,
    'create index folders_by_parent on folders (parent_id)',
    `create table courses (
      id ${id}, name text not null, folder_id ${int} not null references folders (id),
      published_version_id ${int} not null, latest_version_id ${int} not null,
      revision ${int} not null, created_at ${int} not null, updated_at ${int} not null)`,
    'create index courses_by_folder on courses (folder_id)',
    `create table course_versions (
      course_id ${int} not null references courses (id), version_id ${int} not null,
      learning_standard text not null, title text not null, units text not null, warnings text not null,
      content_key text not null unique, file_count ${int} not null, byte_count ${int} not null,
      created_at ${int} not null, primary key (course_id, version_id))`,

    `create table webhooks (
      id ${id}, name text not null, topic text not null, all_subtopics ${int} not null,
      target_url text not null, authentication_type text not null, credentials text,
      enabled ${int} not null, max_attempts ${int} not null, ignore_before ${int}, logging_mode text not null,
      revision ${int} not null, created_at ${int} not null, updated_at ${int} not null, deleted_at ${int})`,
    'create index webhooks_deleted on webhooks (deleted_at) where deleted_at is not null',
    `create table webhook_subtopics (
      webhook_id ${int} not null references webhooks (id), subtopic text not null,
      primary key (webhook_id, subtopic))`,
    `create table webhook_focuses (
      webhook_id ${int} not null references webhooks (id), position ${int} not null,
      focus_type text not null, focus_id ${int} not null, focus_name text,
      primary key (webhook_id, focus_type, focus_id))`,
    `create table webhook_triggers (
      subtopic text not null, focus_type text not null, focus_id ${int} not null,
      webhook_id ${int} not null references webhooks (id), needs_content ${int} not null,
      primary key (subtopic, focus_type, focus_id, webhook_id))`,
    'create index webhook_triggers_by_webhook on webhook_triggers (webhook_id)',
    `create table webhook_statistics (
      webhook_id ${int} primary key references webhooks (id), valid_from ${int} not null,
      success_count ${int} not null, last_success_at ${int},
      error_count ${int} not null, last_error_at ${int}, last_error_message text,
      in_error ${int} not null)`,

    `create table deliveries (
      id ${id}, webhook_id ${int} not null, message_id text not null unique, subtopic text not null,
      status text not null, body text not null, enqueued_at ${int} not null, updated_at ${int} not null,
      attempts ${int} not null, attempted_at ${int}, duration_ms ${int}, response_status ${int},
      response_body text, error text, status_reason text)`,
    'create index deliveries_by_webhook on deliveries (webhook_id, id)',
    `create index deliveries_undelivered on deliveries (webhook_id, status, id) where status <> 'DELIVERED'`,
    // One index for each age at which history is removed, so that rows that are kept, above all waiting messages,
    // are not scanned.
    `create index deliveries_done_by_age on deliveries (updated_at) where status in ('DELIVERED', 'DISCARDED')`,
    `create index deliveries_dead_by_age on deliveries (updated_at) where status = 'DEAD_LETTERED'`,
    `create table delivery_attempts (
      delivery_id ${int} not null, attempt ${int} not null, attempted_at ${int} not null,
      duration_ms ${int} not null, response_status ${int}, response_body text, error text,
      primary key (delivery_id, attempt))`,

    `create table queue_lines (
      line_id ${int} primary key, pending ${int} not null, available_at ${int},
      lease_token text, receive_count ${int} not null)`,
    'create index queue_lines_available on queue_lines (available_at) where available_at is not null',
    `create table queue_messages (
      id ${id}, line_id ${int} not null, message_id text not null, label text not null,
      body text not null, enqueued_at ${int} not null)`,
    'create index queue_messages_by_line on queue_messages (line_id, id)',
    `create table queue_dead_letters (
      id ${id}, line_id ${int} not null, message_id text not null unique, label text not null,
      body text not null, enqueued_at ${int} not null, dead_lettered_at ${int} not null)`,
    'create index queue_dead_letters_by_line on queue_dead_letters (line_id, id)',
    'create index queue_dead_letters_by_age on queue_dead_letters (dead_lettered_at)',
  ],
};
