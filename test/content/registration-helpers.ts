import assert from 'node:assert/strict';
import { runSql } from '../support/database.ts';
import type { RunningService } from '../support/service.ts';
import { importCourse } from './packages.ts';

/** The type of an asset that a test adds to an account or a container. */
export type AssetType = 'COURSE' | 'EQUIVALENT' | 'BUNDLE' | 'FOLDER';

/** Runs SQL beside a running service, and returns its first row. */
export async function sql<Row>(
  { settings }: RunningService,
  text: string,
  ...values: (string | number)[]
): Promise<Row> {
  const [row] = await runSql<Row>(settings.data_dir, text, ...values);
  return row as Row;
}

/** Adds content to an account. */
export async function give(
  service: RunningService,
  accountId: number,
  type: AssetType,
  id: number,
): Promise<void> {
  await sql(
    service,
    'insert into account_contents (account_id, content_type, content_id, added_at) values (?, ?, ?, 0)',
    accountId,
    type,
    id,
  );
}

/** Removes all content from an account. */
export async function takeAll(service: RunningService, accountId: number): Promise<void> {
  await sql(service, 'delete from account_contents where account_id = ?', accountId);
}

/** Creates an equivalent with one course, and returns its id. */
export async function makeEquivalent(
  service: RunningService,
  courseId: number,
  folderId = 1,
): Promise<number> {
  const { id } = await sql<{ id: number }>(
    service,
    `insert into equivalents (name, folder_id, revision, created_at, updated_at)
     values ('Equivalent', ?, 1, 0, 0) returning id`,
    folderId,
  );
  await sql(
    service,
    `insert into equivalent_courses (equivalent_id, position, course_id, language) values (?, 0, ?, 'en')`,
    id,
    courseId,
  );
  return id;
}

/** Creates a bundle with one course or equivalent, and returns its id. */
export async function makeBundle(
  service: RunningService,
  type: 'COURSE' | 'EQUIVALENT',
  contentId: number,
): Promise<number> {
  const { id } = await sql<{ id: number }>(
    service,
    `insert into bundles (name, folder_id, revision, created_at, updated_at)
     values ('Bundle', 1, 1, 0, 0) returning id`,
  );
  await sql(
    service,
    'insert into bundle_contents (bundle_id, position, content_type, content_id) values (?, 0, ?, ?)',
    id,
    type,
    contentId,
  );
  return id;
}

/** Creates a course, and an account that has it. Returns their ids. */
export async function makeParties(
  service: RunningService,
  { account = 'Northwind', course = 'Fire safety' } = {},
): Promise<{ account_id: number; course_id: number }> {
  const { id: accountId } = await service.api.create('/accounts', { name: account });
  const { id: courseId } = await importCourse(service, { name: course });
  await give(service, accountId, 'COURSE', courseId);
  return { account_id: accountId, course_id: courseId };
}

/** Creates a registration and returns its record. */
export async function register(
  service: RunningService,
  parties: { account_id: number; course_id: number },
  learner = 'learner-4711',
): Promise<{ registration_id: string; [member: string]: unknown }> {
  return await service.api.create('/registrations', { ...parties, learner_id: learner });
}

/** Launches and returns the URL. */
export async function launch(service: RunningService, registrationId: string): Promise<string> {
  const { status, body } = await service.api.post(`/registrations/${registrationId}/launch`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.launch_url;
}

/** A registration without its attempt and units, which only the response to reading one has. */
export function withoutUnits({ attempt: _attempt, units: _units, ...record }: Record<string, unknown>) {
  return record;
}
