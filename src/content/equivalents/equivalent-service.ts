import type { Transaction } from '../../database/database.ts';
import { type InputError, invalidInput, pointerTo } from '../../problems/problem.ts';
import { assetKey, lockExistingAssets } from '../assets/assets.ts';
import { lockExistingFolder, ROOT_FOLDER } from '../assets/folder-tree.ts';
import { type GroupDependencies, type GroupKind, GroupService } from '../assets/group-service.ts';
import { countInWords } from '../assets/holder.ts';
import type { Equivalent, EquivalentInput } from './equivalent.ts';
import {
  countEquivalentsOf,
  deleteEquivalent,
  type EquivalentValues,
  holdsEquivalents,
  insertEquivalent,
  lockEquivalent,
  readEquivalent,
  readEquivalents,
  type StoredEquivalent,
  updateEquivalent,
} from './equivalent-store.ts';
import { canonicalLanguage } from './language.ts';

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

/** Which equivalents are in a folder, checked before it is deleted. */
export async function equivalentsInFolder(tx: Transaction, folderId: number): Promise<string | null> {
  return (await holdsEquivalents(tx, folderId)) ? 'equivalents' : null;
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
  const references = courses.map(({ courseId }) => ({ type: 'COURSE', id: courseId }) as const);
  const held = await lockExistingAssets(tx, references);
  for (const [index, reference] of references.entries()) {
    if (held.has(assetKey(reference))) continue;
    errors.push({ pointer: `/courses/${index}/course_id`, detail: `there is no course ${reference.id}` });
  }
  const folderId = input.folderId ?? ROOT_FOLDER.id;
  if (!(await lockExistingFolder(tx, folderId))) {
    errors.push({ pointer: '/folder_id', detail: `there is no folder ${folderId}` });
  }
  if (errors.length > 0) throw invalidInput(errors);
  return { name: input.name, folderId, courses };
}

/** The courses with their languages in canonical form, which is needed to find duplicates. */
function canonicalCourses(courses: EquivalentInput['courses']): {
  courses: { courseId: number; language: string }[];
  errors: InputError[];
} {
  const errors: InputError[] = [];
  const places = new Map<string, string>();
  const canonical = courses.map(({ courseId, language }, index) => {
    const place = pointerTo('/courses', index);
    const spelled = canonicalLanguage(language);
    if (spelled === null) {
      errors.push({ pointer: `${place}/language`, detail: 'must be a language tag (BCP 47), such as de-CH' });
      return { courseId, language };
    }
    const first = places.get(spelled);
    if (first === undefined) places.set(spelled, place);
    else errors.push({ pointer: `${place}/language`, detail: `must not repeat the language of ${first}` });
    return { courseId, language: spelled };
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
  isUnchanged,
  toGroup: toEquivalent,
  fieldsOf,
  lock: lockEquivalent,
  read: readEquivalent,
  readPage: readEquivalents,
  insert: insertEquivalent,
  update: updateEquivalent,
  delete: deleteEquivalent,
};
