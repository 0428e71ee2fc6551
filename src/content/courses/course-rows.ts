import type { Reader, Transaction } from '../../database/database.ts';
import { notFound } from '../../problems/problem.ts';
import { lockAsset } from '../assets/assets.ts';
import type { Course, CourseVersion } from './course.ts';
import { readCourse, type StoredCourse, type StoredVersion } from './course-store.ts';

/** Locks a course until the transaction ends. @throws {ProblemError} `not-found` */
export async function requireLockedCourse(tx: Transaction, id: number): Promise<Course> {
  await lockAsset(tx, { type: 'COURSE', id });
  return await requireCourse(tx, id);
}

/** @throws {ProblemError} `not-found` */
export async function requireCourse(reader: Pick<Reader, 'query'>, id: number): Promise<Course> {
  const row = await readCourse(reader, id);
  if (row === undefined) throw notFound('course', id);
  return toCourse(row);
}

/** The course of a row. */
export function toCourse(row: StoredCourse): Course {
  return {
    id: row.id,
    name: row.name,
    folderId: row.folder_id,
    location: row.location,
    versionId: row.latest_version_id,
    publishedVersionId: row.published_version_id,
    learningStandard: row.learning_standard,
    warnings: JSON.parse(row.warnings) as string[],
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The version of a row. */
export function toVersion(row: StoredVersion, publishedVersionId: number): CourseVersion {
  return {
    versionId: row.version_id,
    learningStandard: row.learning_standard,
    title: row.title,
    published: row.version_id === publishedVersionId,
    warnings: JSON.parse(row.warnings) as string[],
    fileCount: row.file_count,
    byteCount: row.byte_count,
    createdAt: row.created_at,
  };
}
