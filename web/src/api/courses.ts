import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { LearningStandard } from '../../../src/course-packages/learning-standard.ts';
import { withQuery } from './addresses.ts';
import { contentKey } from './folders.ts';
import type { PageOf } from './page-of.ts';
import { LIST_MS, polling } from './polling.ts';
import { readRecord, request } from './request.ts';
import { type UploadProgress, upload } from './upload.ts';

export type { LearningStandard };

/** A course in a list. */
export interface CourseOverview {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  /** The version uploaded last. */
  version_id: number;
  published_version_id: number;
  /** Of the version uploaded last, as the warnings. */
  learning_standard: LearningStandard | null;
  warning_count: number;
  created_dt: string;
  updated_dt: string;
}

export interface CourseVersion {
  version_id: number;
  learning_standard: LearningStandard;
  /** The package's own. */
  title: string;
  published: boolean;
  warnings: string[];
  file_count: number;
  byte_count: number;
  created_dt: string;
}

/** A course as uploads and changes answer it. */
export interface CourseRecord {
  id: number;
  name: string;
  folder_id: number;
  location: string;
  version_id: number;
  published_version_id: number;
  learning_standard: LearningStandard;
  warnings: string[];
  created_dt: string;
  updated_dt: string;
}

export interface CourseWithVersions extends CourseRecord {
  /** Oldest first. */
  versions: CourseVersion[];
}

export const courseListQuery = (query: object) =>
  queryOptions({
    queryKey: [...contentKey, 'courses', 'list', query],
    queryFn: ({ signal }) =>
      request<PageOf<CourseOverview>>('GET', withQuery('/ui/api/courses', query), { signal }),
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

interface UploadOptions {
  onProgress: (progress: UploadProgress) => void;
  signal: AbortSignal;
  idempotencyKey: string;
}

/** Makes a course of a package. */
export function importCourse(file: File, folderId: number, options: UploadOptions): Promise<CourseRecord> {
  const form = new FormData();
  // What is small goes first, so that it is read whatever becomes of the rest.
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
