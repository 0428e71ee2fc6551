import type { Reader, Transaction } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import { type InputError, noSuch, pointerTo } from '../../problems/problem.ts';
import { lockExistingAssets, readExistingAssets } from '../assets/assets.ts';
import { givenId, givenItems, givenMembers } from '../assets/given-members.ts';
import { type GroupDependencies, type GroupKind, GroupService } from '../assets/group-service.ts';
import { countInWords } from '../assets/holder.ts';
import { type EquivalentCourse, type GivenEquivalentCourse, MAX_EQUIVALENT_COURSES } from './equivalent.ts';
import { countEquivalentsOf, readEquivalents } from './equivalent-store.ts';
import { canonicalLanguage, LANGUAGE_RULE } from './language.ts';

/** Equivalents: one course in several languages. */
export class EquivalentService extends GroupService<GivenEquivalentCourse, EquivalentCourse> {
  constructor(dependencies: GroupDependencies) {
    super(EQUIVALENTS, dependencies);
  }
}

/** How many equivalents have a course, checked before it is deleted. */
export async function equivalentsHoldingCourse(tx: Transaction, courseId: number): Promise<string | null> {
  return countInWords(await countEquivalentsOf(tx, courseId), 'equivalent');
}

async function lockContents(tx: Transaction, given: readonly GivenEquivalentCourse[]) {
  const { courses, errors } = canonicalCourses(given);
  const courseIds = courses.map(({ courseId }) => courseId);
  errors.push(...noSuchCourses(courseIds, await lockExistingAssets(tx, courseIds.map(toCourse))));
  return { contents: courses, errors };
}

async function contentErrors(
  reader: Pick<Reader, 'all' | 'dialect'>,
  { courses }: Readonly<Record<string, unknown>>,
): Promise<InputError[]> {
  const given = givenItems(courses, MAX_EQUIVALENT_COURSES).map(givenMembers);
  const courseIds = given.map(({ course_id: id }) => givenId(id));
  const references = courseIds.filter((id) => id !== null).map(toCourse);
  return [
    ...canonicalCourses(
      given.map(({ language }) => ({ language: typeof language === 'string' ? language : null })),
    ).errors,
    ...noSuchCourses(courseIds, await readExistingAssets(reader, references)),
  ];
}

function toCourse(id: number) {
  return { type: 'COURSE', id } as const;
}

/** The errors of courses that do not exist. Null is a course whose id has the wrong type. */
function noSuchCourses(
  courseIds: readonly (number | null)[],
  existing: ReadonlyMap<string, unknown>,
): InputError[] {
  return courseIds.flatMap((id, index) =>
    id === null || existing.has(assetKey(toCourse(id)))
      ? []
      : [noSuch(`/courses/${index}/course_id`, 'course', id)],
  );
}

/** The courses with their languages in canonical form, which is needed to find duplicates. A language of the wrong type is null. */
function canonicalCourses<Course extends { language: string | null }>(
  courses: readonly Course[],
): { courses: Course[]; errors: InputError[] } {
  const errors: InputError[] = [];
  const places = new Map<string, string>();
  const canonical = courses.map((course, index) => {
    if (course.language === null) return course;
    const place = pointerTo('/courses', index);
    const spelled = canonicalLanguage(course.language);
    if (spelled === null) {
      errors.push({ pointer: `${place}/language`, detail: LANGUAGE_RULE });
      return course;
    }
    const first = places.get(spelled);
    if (first === undefined) places.set(spelled, place);
    else errors.push({ pointer: `${place}/language`, detail: `must not repeat the language of ${first}` });
    return { ...course, language: spelled };
  });
  return { courses: canonical, errors };
}

const EQUIVALENTS: GroupKind<GivenEquivalentCourse, EquivalentCourse> = {
  name: 'equivalent',
  type: 'EQUIVALENT',
  contents: { table: 'equivalent_courses', owner: 'equivalent_id', columns: ['course_id', 'language'] },
  toColumns: ({ courseId, language }) => [courseId, language],
  actions: { created: 'EQUIVALENT_CREATED', updated: 'EQUIVALENT_UPDATED', deleted: 'EQUIVALENT_DELETED' },
  lockContents,
  contentErrors,
  contentFields: (contents) => ({
    courses: contents.map(({ courseId, language, name }) => ({ course_id: courseId, language, name })),
  }),
  read: readEquivalents,
};
