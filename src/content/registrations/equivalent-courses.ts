import type { Reader } from '../../database/database.ts';

/** A course of an equivalent that a learner may get: its published version. */
export interface LanguageChoice {
  language: string;
  courseId: number;
  courseName: string;
  versionId: number;
  learningStandard: string;
}

/** The courses of an equivalent, in its order. Empty if it does not exist. */
export async function readLanguageChoices(
  reader: Pick<Reader, 'query'>,
  equivalentId: number,
): Promise<LanguageChoice[]> {
  const rows = await reader.query
    .selectFrom('equivalent_courses')
    .innerJoin('courses', 'courses.id', 'equivalent_courses.course_id')
    .innerJoin('course_versions', (join) =>
      join
        .onRef('course_versions.course_id', '=', 'courses.id')
        .onRef('course_versions.version_id', '=', 'courses.published_version_id'),
    )
    .select(['equivalent_courses.language', 'equivalent_courses.course_id', 'courses.name'])
    .select(['course_versions.version_id', 'course_versions.learning_standard'])
    .where('equivalent_courses.equivalent_id', '=', equivalentId)
    .orderBy('equivalent_courses.position')
    .execute();
  return rows.map((row) => ({
    language: row.language,
    courseId: row.course_id,
    courseName: row.name,
    versionId: row.version_id,
    learningStandard: row.learning_standard,
  }));
}
