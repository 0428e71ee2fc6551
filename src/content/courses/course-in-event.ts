import type { Reader } from '../../database/database.ts';
import type { CourseResource } from '../../events/event.ts';
import { locationOf } from '../assets/folder-tree.ts';

/** A version of a course as `resource.content.course` of a message; undefined if it does not exist. */
export async function readCourseInEvent(
  reader: Pick<Reader, 'query'>,
  courseId: number,
  versionId: number,
): Promise<CourseResource | undefined> {
  const row = await reader.query
    .selectFrom('courses')
    .innerJoin('course_versions', 'course_versions.course_id', 'courses.id')
    .select(['courses.name', 'course_versions.learning_standard'])
    .select(locationOf('courses.folder_id').as('location'))
    .where('courses.id', '=', courseId)
    .where('course_versions.version_id', '=', versionId)
    .executeTakeFirst();
  return (
    row && {
      id: courseId,
      name: row.name,
      version_id: versionId,
      learning_standard: row.learning_standard,
      location: row.location,
    }
  );
}

/** Like {@link readCourseInEvent}, for the published version; undefined if the course does not exist. */
export async function readPublishedCourseInEvent(
  reader: Pick<Reader, 'query'>,
  courseId: number,
): Promise<CourseResource | undefined> {
  const row = await reader.query
    .selectFrom('courses')
    .select('courses.published_version_id')
    .where('courses.id', '=', courseId)
    .executeTakeFirst();
  return row && (await readCourseInEvent(reader, courseId, row.published_version_id));
}
