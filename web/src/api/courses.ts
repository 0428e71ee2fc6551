import { keepPreviousData, queryOptions } from '@tanstack/react-query';
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
import { LIST_MS, polling } from './polling.ts';
import { readRecord, request } from './request.ts';
import { type UploadProgress, upload } from './upload.ts';

export type { CourseOverview, CourseRecord, CourseVersion, CourseWithVersions, LearningStandard };

export const courseListQuery = (query: object) =>
  queryOptions({
    queryKey: [...contentKey, 'courses', 'list', query],
    queryFn: ({ signal }) =>
      request<ListResponse<CourseOverview>>('GET', withQuery('/ui/api/courses', query), { signal }),
    placeholderData: keepPreviousData,
    ...polling(LIST_MS),
  });

/** The course with its `ETag`. */
export const courseQuery = (id: number) =>
  queryOptions({
    queryKey: [...contentKey, 'courses', id],
    queryFn: ({ signal }) => readRecord<CourseWithVersions>(`/courses/${id}`, signal),
    ...polling(LIST_MS),
  });

export function publishVersion(
  id: number,
  versionId: number,
  { idempotencyKey, ifMatch }: { idempotencyKey: string; ifMatch: string | null },
): Promise<CourseRecord> {
  return request('POST', `/courses/${id}/versions/${versionId}/publish`, {
    idempotencyKey,
    ...(ifMatch === null ? {} : { ifMatch }),
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
