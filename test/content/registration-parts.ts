import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestService } from '../support/service.ts';
import { importCourse } from './packages.ts';

const BUSY_TIMEOUT_MS = 5_000;

/** What a test gives to an account or puts into something. */
export type AssetType = 'COURSE' | 'EQUIVALENT' | 'BUNDLE' | 'FOLDER';

/** Runs SQL beside a running service; answers the first row of what it returns. */
// biome-ignore lint/suspicious/noExplicitAny: rows of every shape.
export function sql({ settings }: TestService, text: string, ...values: (string | number)[]): any {
  const database = new DatabaseSync(path.join(settings.data_dir, 'coursewire.db'), {
    timeout: BUSY_TIMEOUT_MS,
  });
  try {
    return database.prepare(text).get(...values);
  } finally {
    database.close();
  }
}

/** Gives content to an account. */
export function give(service: TestService, accountId: number, type: AssetType, id: number): void {
  sql(
    service,
    'insert into account_contents (account_id, content_type, content_id, added_at) values (?, ?, ?, 0)',
    accountId,
    type,
    id,
  );
}

/** Takes all content from an account. */
export function takeAll(service: TestService, accountId: number): void {
  sql(service, 'delete from account_contents where account_id = ?', accountId);
}

/** An equivalent with one course; its id. */
export function makeEquivalent(service: TestService, courseId: number, folderId = 1): number {
  const { id } = sql(
    service,
    `insert into equivalents (name, folder_id, revision, created_at, updated_at)
     values ('Equivalent', ?, 1, 0, 0) returning id`,
    folderId,
  );
  sql(
    service,
    `insert into equivalent_courses (equivalent_id, position, course_id, language) values (?, 0, ?, 'en')`,
    id,
    courseId,
  );
  return id;
}

/** A bundle with one course or equivalent; its id. */
export function makeBundle(service: TestService, type: 'COURSE' | 'EQUIVALENT', contentId: number): number {
  const { id } = sql(
    service,
    `insert into bundles (name, folder_id, revision, created_at, updated_at)
     values ('Bundle', 1, 1, 0, 0) returning id`,
  );
  sql(
    service,
    'insert into bundle_contents (bundle_id, position, content_type, content_id) values (?, 0, ?, ?)',
    id,
    type,
    contentId,
  );
  return id;
}

/** An account that holds a course, and the course; their ids. */
export async function makeParties(
  service: TestService,
  { account = 'Northwind', course = 'Fire safety' } = {},
): Promise<{ account_id: number; course_id: number }> {
  const { id: accountId } = await service.api.create('/accounts', { name: account });
  const { id: courseId } = await importCourse(service, { name: course });
  give(service, accountId, 'COURSE', courseId);
  return { account_id: accountId, course_id: courseId };
}

/** A new registration's record. */
export async function register(
  service: TestService,
  parties: { account_id: number; course_id: number },
  learner = 'learner-4711',
): Promise<{ registration_id: string; [member: string]: unknown }> {
  return await service.api.create('/registrations', { ...parties, learner_id: learner });
}

/** Launches and answers the URL. */
export async function launch(service: TestService, registrationId: string): Promise<string> {
  const { status, body } = await service.api.post(`/registrations/${registrationId}/launch`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.launch_url;
}
