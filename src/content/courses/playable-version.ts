import {
  type CourseStructure,
  flatStructure,
  inStructureOrder,
} from '../../course-packages/course-structure.ts';
import type { LearningStandard } from '../../course-packages/learning-standard.ts';
import type { LaunchUnit } from '../../course-packages/package-description.ts';
import type { Reader } from '../../database/database.ts';

/** Everything about a version of a course that playing it needs. */
export interface PlayableVersion {
  courseId: number;
  versionId: number;
  /** The course's name, not the package's title. */
  courseName: string;
  learningStandard: LearningStandard;
  /** Names the version's files in the content store. */
  contentKey: string;
  /** At least one unit, in the order of the structure. */
  units: readonly LaunchUnit[];
  /**
   * The structure in the manifest. For a version that an earlier release imported, it is a flat list of the units until
   * the manifest has been read again, or if that failed.
   */
  structure: CourseStructure;
  /** How many characters its units and its structure have in the database. */
  characters: number;
}

/** Reads a version of a course for the player; undefined if it does not exist. */
export async function readPlayableVersion(
  reader: Pick<Reader, 'query'>,
  courseId: number,
  versionId: number,
): Promise<PlayableVersion | undefined> {
  const row = await reader.query
    .selectFrom('course_versions')
    .innerJoin('courses', 'courses.id', 'course_versions.course_id')
    .select(['courses.name', 'course_versions.learning_standard', 'course_versions.content_key'])
    .select(['course_versions.units', 'course_versions.structure'])
    .where('course_versions.course_id', '=', courseId)
    .where('course_versions.version_id', '=', versionId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const units = JSON.parse(row.units) as LaunchUnit[];
  const structure =
    row.structure === null ? flatStructure(null, units) : (JSON.parse(row.structure) as CourseStructure);
  return {
    courseId,
    versionId,
    courseName: row.name,
    learningStandard: row.learning_standard as LearningStandard,
    contentKey: row.content_key,
    // Earlier releases stored the units of AICC courses in another order.
    units: inStructureOrder(units, structure),
    structure,
    characters: row.units.length + (row.structure?.length ?? 0),
  };
}
