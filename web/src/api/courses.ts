import type {
  CourseRecord,
  CourseVersionRecord as CourseVersion,
  CourseWithVersionsRecord as CourseWithVersions,
} from '../../../src/content/courses/course-schemas.ts';
import type { LearningStandard } from '../../../src/course-packages/learning-standard.ts';
import type { PreviewRecord as Preview } from '../../../src/player/launches/preview-routes.ts';
import type { CourseOverview } from '../../../src/ui-api/content/content-list-routes.ts';
import type { ListResponse } from '../../../src/ui-api/list-query.ts';
import { withQuery } from './addresses.ts';
import { contentKey } from './folders.ts';
import { pageQuery, recordQuery } from './queries.ts';
import { request } from './request.ts';
import { type UploadProgress, upload } from './upload.ts';

export type { CourseOverview, CourseRecord, CourseVersion, CourseWithVersions, LearningStandard };

export const courseListQuery = (query: object) =>
  pageQuery<ListResponse<CourseOverview>>(
    [...contentKey, 'courses', 'list', query],
    withQuery('/ui/api/courses', query),
  );

/** The course with its `ETag`. */
export const courseQuery = (id: number) =>
  recordQuery<CourseWithVersions>([...contentKey, 'courses', id], `/courses/${id}`);

export function publishVersion(
  id: number,
  versionId: number,
  { idempotencyKey, ifMatch }: { idempotencyKey: string; ifMatch: string | null },
): Promise<CourseRecord> {
  return request('POST', `/courses/${id}/versions/${versionId}/publish`, {
    idempotencyKey,
    ifMatch,
  });
}

/** A URL that opens a version without recording anything. */
export function previewVersion(id: number, versionId: number): Promise<Preview> {
  return request('POST', `/courses/${id}/versions/${versionId}/preview`);
}

interface UploadOptions {
  onProgress: (progress: UploadProgress) => void;
  signal: AbortSignal;
  idempotencyKey: string;
}

/** Creates a course from a package. */
export function importCourse(file: File, folderId: number, options: UploadOptions): Promise<CourseRecord> {
  const form = new FormData();
  // Small fields come first, so that they are read even if the upload fails.
  form.set('folder_id', String(folderId));
  form.set('file', file);
  return upload('/courses', form, options);
}

/** Adds a version to a course. */
export function uploadVersion(file: File, courseId: number, options: UploadOptions): Promise<CourseRecord> {
  const form = new FormData();
  form.set('file', file);
  return upload(`/courses/${courseId}/versions`, form, options);
}
