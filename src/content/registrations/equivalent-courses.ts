import type { Reader, Transaction } from '../../database/database.ts';
import type { Registration } from './registration.ts';

/** A course of an equivalent that a learner may get: its published version. */
export interface LanguageChoice {
  language: string;
  courseId: number;
  courseName: string;
  versionId: number;
  learningStandard: string;
}

/**
 * The choices as {@link readLanguageChoices} returns them, locked until the transaction ends, so that none of their
 * courses can be deleted before. On SQLite, every transaction does. On PostgreSQL, this locks the row of the
 * equivalent, in a separate statement: the next read sees what the previous transaction committed.
 */
export async function lockLanguageChoices(tx: Transaction, equivalentId: number): Promise<LanguageChoice[]> {
  if (tx.dialect === 'postgres') {
    await tx.all('select id from equivalents where id = ? for key share', equivalentId);
  }
  return await readLanguageChoices(tx, equivalentId);
}

/** Whether a registration is for an equivalent and its learner may still get any of the courses. */
export async function awaitsLanguage(
  reader: Pick<Reader, 'query'>,
  { equivalentId, language }: Pick<Registration, 'equivalentId' | 'language'>,
): Promise<boolean> {
  if (equivalentId === null || language !== null) return false;
  // Without choices, an earlier release deleted the equivalent, and the registration keeps its course.
  return (await readLanguageChoices(reader, equivalentId)).length > 0;
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
