import type { Selectable } from 'kysely';
import type { Reader, SqlRow, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import type { EquivalentRow } from '../../database/schema.ts';
import { locationOf } from '../assets/folder-tree.ts';

/** SQL for equivalents, one operation per function. */

/** An equivalent with its courses, in their order. */
export interface StoredEquivalent extends Selectable<EquivalentRow> {
  location: string;
  courses: { course_id: number; language: string; name: string }[];
}

/** The new state of an equivalent. */
export interface EquivalentValues {
  name: string;
  folderId: number;
  courses: readonly { courseId: number; language: string }[];
}

/** An equivalent by id; undefined if it does not exist. */
export async function readEquivalent(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<StoredEquivalent | undefined> {
  const [equivalent] = await readWithCourses(reader, { after: id - 1, upTo: id, limit: 1 });
  return equivalent;
}

/** A page of equivalents, by id. */
export async function readEquivalents(
  reader: Pick<Reader, 'query'>,
  page: PageRequest,
): Promise<StoredEquivalent[]> {
  return await readWithCourses(reader, { after: page.after ?? 0, upTo: null, limit: page.limit + 1 });
}

/** One statement, so that an equivalent and its courses are consistent with each other. */
async function readWithCourses(
  reader: Pick<Reader, 'query'>,
  { after, upTo, limit }: { after: number; upTo: number | null; limit: number },
): Promise<StoredEquivalent[]> {
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
  const equivalents = new Map<number, StoredEquivalent>();
  for (const { course_id, language, course_name, ...row } of rows) {
    const equivalent = equivalents.get(row.id) ?? { ...row, courses: [] };
    equivalents.set(row.id, equivalent);
    if (course_id === null || language === null || course_name === null) continue;
    equivalent.courses.push({ course_id, language, name: course_name });
  }
  return [...equivalents.values()];
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

/** Returns the new equivalent's id. */
export async function insertEquivalent(
  tx: Transaction,
  { name, folderId, courses }: EquivalentValues,
  now: number,
): Promise<number> {
  const { id } = await tx.query
    .insertInto('equivalents')
    .values({ name, folder_id: folderId, revision: 1, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertCourses(tx, id, courses);
  return id;
}

/** Replaces an equivalent, including its courses. */
export async function updateEquivalent(
  tx: Transaction,
  id: number,
  { name, folderId, courses }: EquivalentValues,
  now: number,
): Promise<void> {
  await tx.query
    .updateTable('equivalents')
    .set((eb) => ({ name, folder_id: folderId, revision: eb('revision', '+', 1), updated_at: now }))
    .where('equivalents.id', '=', id)
    .execute();
  await deleteCourses(tx, id);
  await insertCourses(tx, id, courses);
}

/** Deletes an equivalent that nothing uses. Its courses are kept. */
export async function deleteEquivalent(tx: Transaction, id: number): Promise<void> {
  await deleteCourses(tx, id);
  await tx.query.deleteFrom('equivalents').where('equivalents.id', '=', id).execute();
}

async function insertCourses(
  tx: Transaction,
  id: number,
  courses: EquivalentValues['courses'],
): Promise<void> {
  await tx.insertMany(
    'equivalent_courses',
    ['equivalent_id', 'position', 'course_id', 'language'],
    courses.map(({ courseId, language }, position): SqlRow => [id, position, courseId, language]),
  );
}

async function deleteCourses(tx: Transaction, id: number): Promise<void> {
  await tx.query
    .deleteFrom('equivalent_courses')
    .where('equivalent_courses.equivalent_id', '=', id)
    .execute();
}
