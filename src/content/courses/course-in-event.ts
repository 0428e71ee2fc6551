import type { Reader } from '../../database/database.ts';
import type { ContentReference, CourseResource } from '../../events/event.ts';
import { locationOf, readFolderChain } from '../assets/folder-tree.ts';

/** A course as it appears in events. */
export interface CourseInEvent {
  /** As in `resource.content.course` of a message. */
  resource: CourseResource;
  /** What a content focus can name: the course, then its folders, from its own up to the root. */
  references: ContentReference[];
}

/** Reads a version of a course for an event; undefined if it does not exist. */
export async function readCourseInEvent(
  reader: Pick<Reader, 'query' | 'all'>,
  courseId: number,
  versionId: number,
): Promise<CourseInEvent | undefined> {
  const row = await reader.query
    .selectFrom('courses')
    .innerJoin('course_versions', 'course_versions.course_id', 'courses.id')
    .select(['courses.name', 'courses.folder_id', 'course_versions.learning_standard'])
    .select(locationOf('courses.folder_id').as('location'))
    .where('courses.id', '=', courseId)
    .where('course_versions.version_id', '=', versionId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const folderIds = await readFolderChain(reader, row.folder_id);
  return {
    resource: {
      id: courseId,
      name: row.name,
      version_id: versionId,
      learning_standard: row.learning_standard,
      location: row.location,
    },
    references: [
      { type: 'COURSE', id: courseId },
      ...folderIds.map((id): ContentReference => ({ type: 'FOLDER', id })),
    ],
  };
}

/** Reads the published version of a course for an event; undefined if the course does not exist. */
export async function readPublishedCourseInEvent(
  reader: Pick<Reader, 'query' | 'all'>,
  courseId: number,
): Promise<CourseInEvent | undefined> {
  const row = await reader.query
    .selectFrom('courses')
    .select('courses.published_version_id')
    .where('courses.id', '=', courseId)
    .executeTakeFirst();
  return row && (await readCourseInEvent(reader, courseId, row.published_version_id));
}
