import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import { invalidInput, notFound } from '../../problems/problem.ts';
import { assertRevision, type ExpectedRevisions } from '../../problems/revision.ts';
import { assertNotHeld, countInWords, type Holder } from '../assets/holder.ts';
import { holdListedAssets } from '../assets/listed-assets.ts';
import type { Change } from '../change.ts';
import { holdFolder, ROOT_FOLDER } from '../folders/folder-tree.ts';
import type { Bundle, BundledType, BundleInput } from './bundle.ts';
import {
  type BundleValues,
  countBundlesOf,
  deleteBundle,
  holdsBundles,
  insertBundle,
  lockBundle,
  readBundle,
  readBundles,
  type StoredBundle,
  updateBundle,
} from './bundle-store.ts';

/** Bundles: courses and equivalents that go together. No event tells of them themselves. */
export class BundleService {
  readonly #database: Database;
  readonly #holders: readonly Holder[];
  readonly #now: () => number;

  /** @param holders asked before a bundle is deleted, one for each kind of thing that bundles are given to */
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
   * @throws {ProblemError} `invalid-request` for contents that repeat, and without such contents or folder
   */
  async create(input: BundleInput, { tx: open }: Pick<Change, 'tx'> = {}): Promise<Bundle> {
    return await inTransaction(this.#database, open, async (tx) => {
      const values = await requireValues(tx, input);
      return await requireBundle(tx, await insertBundle(tx, values, this.#now()));
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Bundle> {
    return await requireBundle(this.#database.reader, id);
  }

  async list(page: PageRequest): Promise<Page<Bundle>> {
    const { items, next } = toPage(await readBundles(this.#database.reader, page), page.limit);
    return { items: items.map(toBundle), next };
  }

  /**
   * Renames, moves, and replaces the contents.
   * @throws {ProblemError} `not-found`, `precondition-failed`, and as {@link create}
   */
  async update(id: number, input: BundleInput, expected: ExpectedRevisions): Promise<Bundle> {
    return await this.#database.transaction(async (tx) => {
      const present = await requireLockedBundle(tx, id);
      assertRevision(present.revision, expected);
      const values = await requireValues(tx, input);
      if (isAsPresent(present, values)) return present;
      await updateBundle(tx, id, values, this.#now());
      return await requireBundle(tx, id);
    });
  }

  /** @throws {ProblemError} `not-found`, `precondition-failed`, `conflict` while something holds it */
  async delete(id: number, expected: ExpectedRevisions): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const present = await requireLockedBundle(tx, id);
      assertRevision(present.revision, expected);
      await assertNotHeld(tx, 'bundle', id, this.#holders);
      await deleteBundle(tx, id);
    });
  }
}

/** What bundles there are in a folder, for those who would delete it. */
export async function bundlesInFolder(tx: Transaction, folderId: number): Promise<string | null> {
  return (await holdsBundles(tx, folderId)) ? 'bundles' : null;
}

/** How many bundles have an asset of a type, for those who would delete it. */
export function bundlesHolding(type: BundledType): Holder {
  return async (tx, id) => countInWords(await countBundlesOf(tx, { type, id }), 'bundle');
}

/** Checks the input as a whole, so that every offending member is named; what it refers to stays until the end. */
async function requireValues(tx: Transaction, input: BundleInput): Promise<BundleValues> {
  const { errors } = await holdListedAssets(tx, input.contents);
  const folderId = input.folderId ?? ROOT_FOLDER.id;
  if (!(await holdFolder(tx, folderId))) {
    errors.push({ pointer: '/folder_id', detail: `there is no folder ${folderId}` });
  }
  if (errors.length > 0) throw invalidInput(errors);
  return { name: input.name, folderId, contents: input.contents };
}

function isAsPresent(present: Bundle, { name, folderId, contents }: BundleValues): boolean {
  return (
    present.name === name &&
    present.folderId === folderId &&
    present.contents.length === contents.length &&
    present.contents.every(
      ({ type, id }, index) => contents[index]?.type === type && contents[index].id === id,
    )
  );
}

async function requireLockedBundle(tx: Transaction, id: number): Promise<Bundle> {
  await lockBundle(tx, id);
  return await requireBundle(tx, id);
}

async function requireBundle(reader: Pick<Reader, 'query'>, id: number): Promise<Bundle> {
  const row = await readBundle(reader, id);
  if (row === undefined) throw notFound('bundle', id);
  return toBundle(row);
}

function toBundle(row: StoredBundle): Bundle {
  return {
    id: row.id,
    name: row.name,
    folderId: row.folder_id,
    location: row.location,
    contents: row.contents,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
