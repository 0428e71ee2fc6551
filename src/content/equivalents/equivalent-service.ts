import type { Reader, Transaction } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import { type InputError, invalidInput, noSuch, pointerTo } from '../../problems/problem.ts';
import { lockExistingAssets, readExistingAssets } from '../assets/assets.ts';
import { folderErrors, lockExistingFolder, noSuchFolder, ROOT_FOLDER } from '../assets/folder-tree.ts';
import { givenId, givenItems, givenMembers } from '../assets/given-members.ts';
import { type GroupDependencies, type GroupKind, GroupService } from '../assets/group-service.ts';
import { countContentsOfPage } from '../assets/group-store.ts';
import { countInWords } from '../assets/holder.ts';
import { type Equivalent, type EquivalentInput, MAX_EQUIVALENT_COURSES } from './equivalent.ts';
import {
  countEquivalentsOf,
  deleteEquivalent,
  type EquivalentValues,
  insertEquivalent,
  readEquivalent,
  readEquivalents,
  type StoredEquivalent,
  updateEquivalent,
} from './equivalent-store.ts';
import { canonicalLanguage, LANGUAGE_RULE } from './language.ts';

/** Equivalents: one course in several languages. */
export class EquivalentService extends GroupService<
  EquivalentInput,
  EquivalentValues,
  StoredEquivalent,
  Equivalent
> {
  constructor(dependencies: GroupDependencies) {
    super(EQUIVALENTS, dependencies);
  }
}

/** How many equivalents have a course, checked before it is deleted. */
export async function equivalentsHoldingCourse(tx: Transaction, courseId: number): Promise<string | null> {
  return countInWords(await countEquivalentsOf(tx, courseId), 'equivalent');
}

/**
 * Validates the whole input, so that every invalid member is named, and locks what it refers to until the
 * transaction ends.
 */
async function requireValues(tx: Transaction, input: EquivalentInput): Promise<EquivalentValues> {
  const { courses, errors } = canonicalCourses(input.courses);
  const courseIds = courses.map(({ courseId }) => courseId);
  errors.push(...noSuchCourses(courseIds, await lockExistingAssets(tx, courseIds.map(toCourse))));
  const folderId = input.folderId ?? ROOT_FOLDER.id;
  if (!(await lockExistingFolder(tx, folderId))) errors.push(noSuchFolder('folder_id', folderId));
  if (errors.length > 0) throw invalidInput(errors);
  return { name: input.name, folderId, courses };
}

async function inputErrors(reader: Pick<Reader, 'all' | 'dialect'>, input: unknown): Promise<InputError[]> {
  const { folder_id: folderId, courses } = givenMembers(input);
  const given = givenItems(courses, MAX_EQUIVALENT_COURSES).map(givenMembers);
  const courseIds = given.map(({ course_id: id }) => givenId(id));
  const references = courseIds.filter((id) => id !== null).map(toCourse);
  return [
    ...canonicalCourses(
      given.map(({ language }) => ({ language: typeof language === 'string' ? language : null })),
    ).errors,
    ...noSuchCourses(courseIds, await readExistingAssets(reader, references)),
    ...(await folderErrors(reader, 'folder_id', folderId)),
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

function isUnchanged(current: Equivalent, { name, folderId, courses }: EquivalentValues): boolean {
  return (
    current.name === name &&
    current.folderId === folderId &&
    current.courses.length === courses.length &&
    current.courses.every(
      ({ courseId, language }, index) =>
        courses[index]?.courseId === courseId && courses[index].language === language,
    )
  );
}

function toEquivalent(row: StoredEquivalent): Equivalent {
  return {
    id: row.id,
    name: row.name,
    folderId: row.folder_id,
    location: row.location,
    courses: row.courses.map(({ course_id, language, name }) => ({ courseId: course_id, language, name })),
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The members of an equivalent, for the audit log. */
function fieldsOf({ name, folderId, location, courses }: Equivalent) {
  return {
    name,
    folder_id: folderId,
    location,
    courses: courses.map((course) => ({
      course_id: course.courseId,
      language: course.language,
      name: course.name,
    })),
  };
}

const EQUIVALENTS: GroupKind<EquivalentInput, EquivalentValues, StoredEquivalent, Equivalent> = {
  name: 'equivalent',
  type: 'EQUIVALENT',
  actions: { created: 'EQUIVALENT_CREATED', updated: 'EQUIVALENT_UPDATED', deleted: 'EQUIVALENT_DELETED' },
  requireValues,
  inputErrors,
  isUnchanged,
  toGroup: toEquivalent,
  fieldsOf,
  read: readEquivalent,
  readPage: readEquivalents,
  countContents: (reader, page) => countContentsOfPage(reader, 'equivalents', page),
  insert: insertEquivalent,
  update: updateEquivalent,
  delete: deleteEquivalent,
};
