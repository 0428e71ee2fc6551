import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import { type InputError, invalidInput, notFound, pointerTo } from '../../problems/problem.ts';
import { assertRevision, type ExpectedRevisions } from '../../problems/revision.ts';
import { assetKey, holdAssets } from '../assets/assets.ts';
import { assertNotHeld, countInWords, type Holder } from '../assets/holder.ts';
import type { Change } from '../change.ts';
import { holdFolder, ROOT_FOLDER } from '../folders/folder-tree.ts';
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

/** Equivalents: courses that are the same but for their language. No event tells of them themselves. */
export class EquivalentService {
  readonly #database: Database;
  readonly #holders: readonly Holder[];
  readonly #now: () => number;

  /** @param holders asked before an equivalent is deleted, one for each kind of thing that equivalents are put into */
  constructor({
    database,
    holders,
    now,
  }: {
    database: Database;
    holders: readonly Holder[];
    now: () => number;
  }) {
    this.#database = database;
    this.#holders = holders;
    this.#now = now;
  }

  /**
   * @throws {ProblemError} `invalid-request` for languages that are none or repeat, and without such a course or folder
   */
  async create(input: EquivalentInput, { tx: open }: Pick<Change, 'tx'> = {}): Promise<Equivalent> {
    return await inTransaction(this.#database, open, async (tx) => {
      const values = await requireValues(tx, input);
      return await requireEquivalent(tx, await insertEquivalent(tx, values, this.#now()));
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Equivalent> {
    return await requireEquivalent(this.#database.reader, id);
  }

  async list(page: PageRequest): Promise<Page<Equivalent>> {
    const { items, next } = toPage(await readEquivalents(this.#database.reader, page), page.limit);
    return { items: items.map(toEquivalent), next };
  }

  /**
   * Renames, moves, and replaces the courses.
   * @throws {ProblemError} `not-found`, `precondition-failed`, and as {@link create}
   */
  async update(id: number, input: EquivalentInput, expected: ExpectedRevisions): Promise<Equivalent> {
    return await this.#database.transaction(async (tx) => {
      const present = await requireLockedEquivalent(tx, id);
      assertRevision(present.revision, expected);
      const values = await requireValues(tx, input);
      if (isAsPresent(present, values)) return present;
      await updateEquivalent(tx, id, values, this.#now());
      return await requireEquivalent(tx, id);
    });
  }

  /** @throws {ProblemError} `not-found`, `precondition-failed`, `conflict` while something holds it */
  async delete(id: number, expected: ExpectedRevisions): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const present = await requireLockedEquivalent(tx, id);
      assertRevision(present.revision, expected);
      await assertNotHeld(tx, 'equivalent', id, this.#holders);
      await deleteEquivalent(tx, id);
    });
  }
}

/** What equivalents there are in a folder, for those who would delete it. */
export async function equivalentsInFolder(tx: Transaction, folderId: number): Promise<string | null> {
  return (await holdsEquivalents(tx, folderId)) ? 'equivalents' : null;
}

/** How many equivalents have a course, for those who would delete it. */
export async function equivalentsHoldingCourse(tx: Transaction, courseId: number): Promise<string | null> {
  return countInWords(await countEquivalentsOf(tx, courseId), 'equivalent');
}

/** Checks the input as a whole, so that every offending member is named; what it refers to stays until the end. */
async function requireValues(tx: Transaction, input: EquivalentInput): Promise<EquivalentValues> {
  const { courses, errors } = canonicalCourses(input.courses);
  const references = courses.map(({ courseId }) => ({ type: 'COURSE', id: courseId }) as const);
  const held = await holdAssets(tx, references);
  for (const [index, reference] of references.entries()) {
    if (held.has(assetKey(reference))) continue;
    errors.push({ pointer: `/courses/${index}/course_id`, detail: `there is no course ${reference.id}` });
  }
  const folderId = input.folderId ?? ROOT_FOLDER.id;
  if (!(await holdFolder(tx, folderId))) {
    errors.push({ pointer: '/folder_id', detail: `there is no folder ${folderId}` });
  }
  if (errors.length > 0) throw invalidInput(errors);
  return { name: input.name, folderId, courses };
}

/** The courses with their languages in canonical spelling: only then can it be seen whether one repeats. */
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
      errors.push({ pointer: `${place}/language`, detail: 'must be a language tag (BCP 47)' });
      return { courseId, language };
    }
    const first = places.get(spelled);
    if (first === undefined) places.set(spelled, place);
    else errors.push({ pointer: `${place}/language`, detail: `repeats the language of ${first}` });
    return { courseId, language: spelled };
  });
  return { courses: canonical, errors };
}

function isAsPresent(present: Equivalent, { name, folderId, courses }: EquivalentValues): boolean {
  return (
    present.name === name &&
    present.folderId === folderId &&
    present.courses.length === courses.length &&
    present.courses.every(
      ({ courseId, language }, index) =>
        courses[index]?.courseId === courseId && courses[index].language === language,
    )
  );
}

async function requireLockedEquivalent(tx: Transaction, id: number): Promise<Equivalent> {
  await lockEquivalent(tx, id);
  return await requireEquivalent(tx, id);
}

async function requireEquivalent(reader: Pick<Reader, 'query'>, id: number): Promise<Equivalent> {
  const row = await readEquivalent(reader, id);
  if (row === undefined) throw notFound('equivalent', id);
  return toEquivalent(row);
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
