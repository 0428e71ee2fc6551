import type { Database, SqlRow } from '../../src/database/database.ts';
import { insertSharedBody, ownPart } from '../../src/queue/shared-bodies.ts';
import { openDatabaseOf } from '../support/database.ts';
import type { RunningService } from '../support/service.ts';

/** Ids far from those that the API assigns. */
const FIRST_ID = 1_000_000;
/** The API continues after the highest id, so each block of rows leaves free ids. */
const IDS_FOR_API = 10_000;

/** How many webhooks to add, and their common settings. */
export interface ManyWebhooks {
  count: number;
  topic: string;
  subtopic: string;
  targetUrl: string;
}

/** Writes rows directly, as the service would have stored them. Through its API that would take minutes. */
export class ManyRows implements AsyncDisposable {
  readonly #database: Database;
  #nextId = FIRST_ID;

  private constructor(database: Database) {
    this.#database = database;
  }

  static async open({ settings }: Pick<RunningService, 'settings'>): Promise<ManyRows> {
    return new ManyRows(await openDatabaseOf(settings.data_dir));
  }

  /** Adds active webhooks without a focus, whose messages are tried once; returns their ids. */
  async webhooks({ count, topic, subtopic, targetUrl }: ManyWebhooks): Promise<number[]> {
    const ids = this.#ids(count);
    await this.#database.transaction(async (tx) => {
      await tx.insertMany(
        'webhooks',
        [
          ...['id', 'name', 'topic', 'all_subtopics', 'target_url', 'authentication_type', 'enabled'],
          ...['max_attempts', 'logging_mode', 'revision', 'created_at', 'updated_at'],
        ],
        ids.map((id) => [...[id, `w ${id}`, topic, 0, targetUrl, 'NONE', 1, 1, 'NONE', 1, 0, 0]]),
      );
      await tx.insertMany(
        'webhook_subtopics',
        ['webhook_id', 'subtopic'],
        ids.map((id) => [id, subtopic]),
      );
      await tx.insertMany(
        'webhook_statistics',
        ['webhook_id', 'valid_from', 'success_count', 'error_count', 'in_error'],
        ids.map((id) => [id, 0, 0, 0, 0]),
      );
      await tx.insertMany(
        'webhook_triggers',
        ['subtopic', 'focus_type', 'focus_id', 'webhook_id', 'needs_content'],
        ids.map((id) => [subtopic, 'ANY', 0, id, 0]),
      );
    });
    return ids;
  }

  /** Adds dead letters of a webhook. */
  async deadLetters(webhookId: number, count: number, body = '{}'): Promise<void> {
    await this.#deadLetters(webhookId, { count, body, sharedId: null });
  }

  /** Adds dead letters of a webhook whose messages have everything in common. */
  async sharedDeadLetters(webhookId: number, count: number, body: string): Promise<void> {
    const sharedId = await this.#database.transaction((tx) => insertSharedBody(tx, body));
    await this.#deadLetters(webhookId, { count, body: ownPart('', ''), sharedId });
  }

  /** Adds events that no webhook matched. @param text the common part of their messages */
  async events(count: number, text: string): Promise<void> {
    await this.#insert(
      'events',
      ['occurred_at', 'body', 'focused', 'matched'],
      Array.from({ length: count }, () => [Date.now(), text, '', '']),
    );
  }

  /** Adds bundles of one course to a folder. */
  async bundles(folderId: number, courseId: number, count: number): Promise<void> {
    const ids = this.#ids(count);
    await this.#insert(
      'bundles',
      ['id', 'name', 'folder_id', 'revision', 'created_at', 'updated_at'],
      ids.map((id) => [id, `Bundle ${id} ${'n'.repeat(150)}`, folderId, 1, 0, 0]),
    );
    await this.#insert(
      'bundle_contents',
      ['bundle_id', 'position', 'content_type', 'content_id'],
      ids.map((id) => [id, 0, 'COURSE', courseId]),
    );
  }

  /** Adds statements of a registration, with the index terms that a usual one has. */
  async statements(registrationId: string, count: number): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await tx.run(
        `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
         insert into lrs_statements (statement_id, registration_id, is_voiding, is_voided, stored_at, statement)
         select ? || n, ?, 0, 0, n, ? from numbers`,
        `${registrationId}-`,
        registrationId,
        JSON.stringify({ result: { response: 'r'.repeat(350) } }),
      );
      for (const kind of ['launch', 'verb', 'activity', 'any-activity', 'agent', 'any-agent']) {
        await tx.run(
          `insert into lrs_statement_index (kind, term, stored_at, statement)
           select ?, ?, stored_at, id from lrs_statements where registration_id = ?`,
          kind,
          registrationId,
          registrationId,
        );
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#database[Symbol.asyncDispose]();
  }

  async #deadLetters(
    webhookId: number,
    { count, body, sharedId }: { count: number; body: string; sharedId: number | null },
  ): Promise<void> {
    await this.#insert(
      'deliveries',
      [
        ...['webhook_id', 'message_id', 'subtopic', 'status', 'body', 'shared_body_id', 'enqueued_at'],
        ...['updated_at', 'attempts', 'attempted_at', 'duration_ms', 'response_status', 'resent'],
      ],
      Array.from({ length: count }, (_, n) => [
        ...[webhookId, `dead-${webhookId}-${n}`, 'ACCOUNT_DELETED', 'DEAD_LETTERED', body, sharedId, 0],
        ...[Date.now(), 10, 0, 5, 503, 0],
      ]),
    );
  }

  async #insert(table: string, columns: readonly string[], rows: readonly SqlRow[]): Promise<void> {
    await this.#database.transaction((tx) => tx.insertMany(table, columns, rows));
  }

  #ids(count: number): number[] {
    const first = this.#nextId;
    this.#nextId += count + IDS_FOR_API;
    return Array.from({ length: count }, (_, n) => first + n);
  }
}
