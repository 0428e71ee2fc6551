import { randomUUID } from 'node:crypto';
import type { Database, SqlRow, Transaction } from '../../src/database/database.ts';

/** The age of the newest row; each row before it is a second older. */
const YOUNGEST_MS = 60_000;
/** One in this many names begins with a letter beyond ASCII. */
const RARE_EVERY = 100;

/** The names of rows: `Course 00042`, and each hundredth `Ärzte-Course 00100`. */
export function nameOfMany(noun: string, n: number): string {
  const numbered = `${noun} ${String(n).padStart(5, '0')}`;
  return n % RARE_EVERY === 0 ? `Ärzte-${numbered}` : numbered;
}

/**
 * Fills the empty database of a running service with `count` each of accounts, courses in folders, webhooks, API clients
 * and dead letters. They are numbered from 1 and stored as the service would store them, without events.
 */
export async function seedMany(database: Database, count: number, now = Date.now()): Promise<void> {
  const at = (n: number) => now - YOUNGEST_MS - (count - n) * 1_000;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const rows = (row: (n: number) => SqlRow) => numbers.map(row);
  await database.transaction(
    async (tx) => {
      await seedContent(tx, rows, at);
      await seedWebhooks(tx, rows, at);
      await tx.insertMany(
        'api_clients',
        [
          ...['client_id', 'name', 'email', 'scopes', 'secret_hash', 'enabled', 'token_generation'],
          ...['created_at', 'last_used_at'],
        ],
        rows((n) => [
          `many-${n}`,
          nameOfMany('Client', n),
          `client-${n}@example.com`,
          'webhooks:read',
          ...['', n % 4 === 0 ? 0 : 1, 1, at(n), n % 2 === 0 ? null : at(n)],
        ]),
      );
    },
    { isLong: true },
  );
}

type Rows = (row: (n: number) => SqlRow) => SqlRow[];
type At = (n: number) => number;

async function seedContent(tx: Transaction, rows: Rows, at: At): Promise<void> {
  await tx.insertMany(
    'accounts',
    ['name', 'enabled', 'revision', 'created_at', 'updated_at'],
    rows((n) => [nameOfMany('Account', n), n % 4 === 0 ? 0 : 1, 1, at(n), at(n)]),
  );
  const [root] = await tx.all<{ id: number }>('select id from folders where parent_id is null');
  await tx.insertMany(
    'courses',
    [
      ...['id', 'name', 'folder_id', 'published_version_id', 'latest_version_id'],
      ...['revision', 'created_at', 'updated_at'],
    ],
    rows((n) => [n, nameOfMany('Course', n), root?.id ?? null, 0, 0, 1, at(n), at(n)]),
  );
  await tx.insertMany(
    'course_versions',
    [
      ...['course_id', 'version_id', 'learning_standard', 'title', 'units', 'warnings', 'content_key'],
      ...['file_count', 'byte_count', 'created_at'],
    ],
    rows((n) => [
      ...[n, 0, n % 4 === 0 ? 'SCORM_11' : 'SCORM_12', nameOfMany('Course', n), '[]', '[]', randomUUID()],
      ...[3, 10_000, at(n)],
    ]),
  );
}

async function seedWebhooks(tx: Transaction, rows: Rows, at: At): Promise<void> {
  await tx.insertMany(
    'webhooks',
    [
      ...['id', 'name', 'topic', 'all_subtopics', 'target_url', 'authentication_type', 'enabled'],
      ...['max_attempts', 'logging_mode', 'revision', 'created_at', 'updated_at'],
    ],
    rows((n) => [
      ...[n, nameOfMany('Webhook', n), n % 2 === 0 ? 'COURSE' : 'ACCOUNT', 1],
      ...[`https://receiver-${n}.example/events`, 'NONE', n % 4 === 0 ? 0 : 1, 10, 'ALL', 1, at(n), at(n)],
    ]),
  );
  await tx.insertMany(
    'webhook_statistics',
    [
      ...['webhook_id', 'valid_from', 'success_count', 'last_success_at'],
      ...['error_count', 'last_error_at', 'last_error_message', 'in_error'],
    ],
    rows((n) => [n, at(n), n, at(n), 1, at(n) - 1, '503 Service Unavailable', n % 10 === 0 ? 1 : 0]),
  );
  await tx.insertMany(
    'queue_lines',
    ['line_id', 'pending', 'available_at', 'lease_token', 'receive_count'],
    rows((n) => [n, 0, null, null, 0]),
  );
  await tx.insertMany(
    'deliveries',
    [
      ...['webhook_id', 'message_id', 'subtopic', 'status', 'body', 'enqueued_at', 'updated_at', 'attempts'],
      ...['attempted_at', 'duration_ms', 'response_status', 'response_body', 'error', 'status_reason'],
    ],
    rows((n) => [
      ...[n, `many-${n}`, 'ACCOUNT_CREATED', 'DEAD_LETTERED', '{}', at(n), at(n), 10],
      ...[at(n), 5, 503, null, '503 Service Unavailable', 'max_attempts'],
    ]),
  );
}
