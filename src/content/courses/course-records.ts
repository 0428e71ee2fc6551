import type { LearningStandard } from '../../course-packages/learning-standard.ts';
import { formatDateTime } from '../../time/date-time.ts';
import type { Course, CourseVersion, CourseWithVersions } from './course.ts';
import type { CourseRecord, CourseWithVersionsRecord } from './course-schemas.ts';

/** A course as the API returns it. */
export function toCourseRecord(course: Course): CourseRecord {
  return {
    id: course.id,
    name: course.name,
    version_id: course.versionId,
    published_version_id: course.publishedVersionId,
    learning_standard: course.learningStandard as LearningStandard,
    location: course.location,
    folder_id: course.folderId,
    warnings: course.warnings,
    created_dt: formatDateTime(course.createdAt),
    updated_dt: formatDateTime(course.updatedAt),
  };
}

/** A course with its versions as the API returns it. */
export function toCourseWithVersionsRecord(course: CourseWithVersions): CourseWithVersionsRecord {
  return { ...toCourseRecord(course), versions: course.versions.map(toVersionRecord) };
}

function toVersionRecord(version: CourseVersion): CourseWithVersionsRecord['versions'][number] {
  return {
    version_id: version.versionId,
    learning_standard: version.learningStandard as LearningStandard,
    title: version.title,
    published: version.published,
    warnings: version.warnings,
    file_count: version.fileCount,
    byte_count: version.byteCount,
    created_dt: formatDateTime(version.createdAt),
  };
}
