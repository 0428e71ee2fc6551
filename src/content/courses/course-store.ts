import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import type { CourseRow, CourseVersionRow } from '../../database/schema.ts';
import { locationOf } from '../assets/folder-tree.ts';

/** SQL for courses and their versions, one operation per function. */

/** A course with data of its latest version. */
export interface StoredCourse extends Selectable<CourseRow> {
  location: string;
  learning_standard: string;
  warnings: string;
}

/** A version without the data that only launching needs. */
export type StoredVersion = Omit<
  CourseVersionRow,
  'units' | 'content_key' | 'structure' | 'structure_format'
>;

/** A course by id; undefined if it does not exist. */
export async function readCourse(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<StoredCourse | undefined> {
  return await selectCourses(reader).where('courses.id', '=', id).executeTakeFirst();
}

/** A page of courses, by id. */
export async function readCourses(reader: Pick<Reader, 'query'>, page: PageRequest): Promise<StoredCourse[]> {
  return await selectCourses(reader)
    .where('courses.id', '>', page.after ?? 0)
    .orderBy('courses.id')
    .limit(page.limit + 1)
    .execute();
}

function selectCourses(reader: Pick<Reader, 'query'>) {
  return reader.query
    .selectFrom('courses')
    .innerJoin('course_versions', (join) =>
      join
        .onRef('course_versions.course_id', '=', 'courses.id')
        .onRef('course_versions.version_id', '=', 'courses.latest_version_id'),
    )
    .selectAll('courses')
    .select(['course_versions.learning_standard', 'course_versions.warnings'])
    .select(locationOf('courses.folder_id').as('location'));
}

/** The newest versions up to one, newest first. */
export async function readVersions(
  reader: Pick<Reader, 'query'>,
  courseId: number,
  upTo: number,
  limit: number,
): Promise<StoredVersion[]> {
  return await reader.query
    .selectFrom('course_versions')
    .select([
      'course_versions.course_id',
      'course_versions.version_id',
      'course_versions.learning_standard',
      'course_versions.title',
      'course_versions.warnings',
      'course_versions.file_count',
      'course_versions.byte_count',
      'course_versions.created_at',
    ])
    .where('course_versions.course_id', '=', courseId)
    .where('course_versions.version_id', '<=', upTo)
    .orderBy('course_versions.version_id', 'desc')
    .limit(limit)
    .execute();
}

/** Whether a course has a version. */
export async function hasVersion(
  reader: Pick<Reader, 'query'>,
  courseId: number,
  versionId: number,
): Promise<boolean> {
  const row = await reader.query
    .selectFrom('course_versions')
    .select('course_versions.version_id')
    .where('course_versions.course_id', '=', courseId)
    .where('course_versions.version_id', '=', versionId)
    .executeTakeFirst();
  return row !== undefined;
}

/** Which of these keys belong to versions. */
export async function readRecordedKeys(
  reader: Pick<Reader, 'query'>,
  keys: readonly string[],
): Promise<Set<string>> {
  const rows = await reader.query
    .selectFrom('course_versions')
    .select('course_versions.content_key')
    .where('course_versions.content_key', 'in', keys)
    .execute();
  return new Set(rows.map((row) => row.content_key));
}

/** Returns the new course's id. Its first version, 0, is marked as published. Insert it next. */
export async function insertCourse(
  tx: Transaction,
  { name, folderId }: { name: string; folderId: number },
  now: number,
): Promise<number> {
  const row = await tx.query
    .insertInto('courses')
    .values({
      name,
      folder_id: folderId,
      published_version_id: 0,
      latest_version_id: 0,
      revision: 1,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Stores a version of a course. */
export async function insertVersion(tx: Transaction, version: CourseVersionRow): Promise<void> {
  await tx.query.insertInto('course_versions').values(version).execute();
}

/** Changes the given members of a course. */
export async function updateCourse(
  tx: Transaction,
  id: number,
  values: Partial<Pick<CourseRow, 'name' | 'folder_id' | 'published_version_id' | 'latest_version_id'>>,
  now: number,
): Promise<void> {
  await tx.query
    .updateTable('courses')
    .set((eb) => ({ ...values, revision: eb('revision', '+', 1), updated_at: now }))
    .where('courses.id', '=', id)
    .execute();
}

/** Deletes a course with its versions and returns the keys of their files. */
export async function deleteCourse(tx: Transaction, id: number): Promise<string[]> {
  const versions = await tx.query
    .deleteFrom('course_versions')
    .where('course_versions.course_id', '=', id)
    .returning('content_key')
    .execute();
  await tx.query.deleteFrom('courses').where('courses.id', '=', id).execute();
  return versions.map((version) => version.content_key);
}

/** A version whose manifest must be read. */
export type UnreadVersion = Pick<CourseVersionRow, 'course_id' | 'version_id' | 'content_key'>;

/** Versions whose structure was read in an older format or not at all, after the given one. */
export async function readUnreadVersions(
  reader: Pick<Reader, 'query'>,
  format: number,
  after: Pick<CourseVersionRow, 'course_id' | 'version_id'>,
  limit: number,
): Promise<UnreadVersion[]> {
  return await reader.query
    .selectFrom('course_versions')
    .select(['course_versions.course_id', 'course_versions.version_id', 'course_versions.content_key'])
    .where('course_versions.structure_format', '<', format)
    .where((eb) =>
      eb.or([
        eb('course_versions.course_id', '>', after.course_id),
        eb.and([
          eb('course_versions.course_id', '=', after.course_id),
          eb('course_versions.version_id', '>', after.version_id),
        ]),
      ]),
    )
    .orderBy('course_versions.course_id')
    .orderBy('course_versions.version_id')
    .limit(limit)
    .execute();
}

/**
 * Stores what was read from a version, unless a later release has already read more. If nothing could be read, what an
 * earlier release has read stays.
 */
export async function updateStructure(
  tx: Transaction,
  version: Pick<CourseVersionRow, 'course_id' | 'version_id'>,
  { structure, structure_format }: Pick<CourseVersionRow, 'structure' | 'structure_format'>,
): Promise<void> {
  await tx.query
    .updateTable('course_versions')
    .set(structure === null ? { structure_format } : { structure, structure_format })
    .where('course_versions.course_id', '=', version.course_id)
    .where('course_versions.version_id', '=', version.version_id)
    .where('course_versions.structure_format', '<', structure_format)
    .execute();
}
