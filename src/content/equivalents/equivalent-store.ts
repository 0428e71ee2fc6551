import type { Reader } from '../../database/database.ts';
import { locationOf } from '../assets/folder-tree.ts';
import { type GroupRange, toGroups } from '../assets/group-store.ts';
import type { Equivalent } from './equivalent.ts';

/** SQL for equivalents, one operation per function. */

/** Equivalents with their courses, in one statement, so that both are consistent with each other. */
export async function readEquivalents(
  reader: Pick<Reader, 'query'>,
  { after, upTo, limit }: GroupRange,
): Promise<Equivalent[]> {
  const rows = await reader.query
    .selectFrom((eb) =>
      eb
        .selectFrom('equivalents')
        .selectAll('equivalents')
        .select(locationOf('equivalents.folder_id').as('location'))
        .where('equivalents.id', '>', after)
        .$if(upTo !== null, (query) => query.where('equivalents.id', '<=', upTo))
        .orderBy('equivalents.id')
        .limit(limit)
        .as('listed'),
    )
    .leftJoin('equivalent_courses', 'equivalent_courses.equivalent_id', 'listed.id')
    .leftJoin('courses', 'courses.id', 'equivalent_courses.course_id')
    .selectAll('listed')
    .select(['equivalent_courses.course_id', 'equivalent_courses.language', 'courses.name as course_name'])
    .orderBy('listed.id')
    .orderBy('equivalent_courses.position')
    .execute();
  return toGroups(rows, ({ course_id, language, course_name }) =>
    course_id === null || language === null || course_name === null
      ? null
      : { courseId: course_id, language, name: course_name },
  );
}

/** How many equivalents have a course. */
export async function countEquivalentsOf(reader: Pick<Reader, 'query'>, courseId: number): Promise<number> {
  const row = await reader.query
    .selectFrom('equivalent_courses')
    .select((eb) => eb.fn.count('equivalent_courses.equivalent_id').distinct().as('count'))
    .where('equivalent_courses.course_id', '=', courseId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
