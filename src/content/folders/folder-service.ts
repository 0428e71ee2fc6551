import type { AuditAction } from '../../audit/actions.ts';
import type { Actor } from '../../audit/actor.ts';
import { changedFields } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import { type InputError, invalidInput, notFound, ProblemError } from '../../problems/problem.ts';
import { assertRevision } from '../../problems/revision.ts';
import { lockAsset } from '../assets/assets.ts';
import type { EventlessChangeOf, EventlessCreation } from '../assets/change.ts';
import type { OnDeleted } from '../assets/deletion.ts';
import {
  folderErrors,
  MAX_FOLDER_DEPTH,
  noSuchFolder,
  ROOT_FOLDER,
  readFolderChain,
} from '../assets/folder-tree.ts';
import { givenMembers } from '../assets/given-members.ts';
import { assertNotHeld, type Holder } from '../assets/holder.ts';
import {
  deleteFolder,
  insertFolder,
  insertRootFolder,
  lockFolderTree,
  readFolder,
  readFolders,
  readHeightBelow,
  readOccupants,
  type StoredFolder,
  updateFolder,
} from './folder-store.ts';

/** A folder. Times are in epoch milliseconds. */
export interface Folder {
  id: number;
  name: string;
  /** Null only for the root. */
  parentId: number | null;
  /** Names from the root down to this folder, joined with ` > `. */
  location: string;
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** The new state of a folder. The parent defaults to the root. */
export interface FolderInput {
  name: string;
  parentId: number | null;
}

/** Dependencies of {@link FolderService}. */
export interface FolderServiceDependencies {
  database: Database;
  /** Checked before a folder is deleted, one for each kind of thing that can contain folders. */
  holders: readonly Holder[];
  onDeleted: OnDeleted;
  now: () => number;
}

/** Folders: a tree with one root that contains all content. */
export class FolderService {
  readonly #with: FolderServiceDependencies;

  constructor(dependencies: FolderServiceDependencies) {
    this.#with = dependencies;
  }

  /** Creates the root in a new database. Call it at startup, before anything else here. */
  async ensureRoot(): Promise<void> {
    if ((await readFolder(this.#with.database.reader, ROOT_FOLDER.id)) !== undefined) return;
    await this.#with.database.transaction((tx) => insertRootFolder(tx, this.#with.now()));
  }

  /** The errors in what a body refers to, even if it does not match its schema. */
  async inputErrors(input: unknown): Promise<InputError[]> {
    return await folderErrors(this.#with.database.reader, 'parent_id', givenMembers(input).parent_id);
  }

  /**
   * @throws {ProblemError} `invalid-request` if the parent does not exist, `conflict` if it would be nested too
   *   deeply
   */
  async create(input: FolderInput, { by, tx: open }: EventlessCreation): Promise<Folder> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      await lockFolderTree(tx);
      const parentId = input.parentId ?? ROOT_FOLDER.id;
      assertDepth((await requireParentChain(tx, parentId)).length);
      const id = await insertFolder(tx, { name: input.name, parentId }, this.#with.now());
      const folder = await requireFolder(tx, id);
      await this.#record(tx, by, 'FOLDER_CREATED', null, folder);
      return folder;
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Folder> {
    return await requireFolder(this.#with.database.reader, id);
  }

  async list(page: PageRequest): Promise<Page<Folder>> {
    const { items, next } = toPage(await readFolders(this.#with.database.reader, page), page.limit);
    return { items: items.map(toFolder), next };
  }

  /**
   * Renames and moves.
   * @throws {ProblemError} `not-found`, `precondition-failed`, `invalid-request` if the parent does not exist,
   *   `conflict` for the root, for a folder that would contain itself, and if it would be nested too deeply
   */
  async update(id: number, input: FolderInput, { by, expected }: EventlessChangeOf): Promise<Folder> {
    return await this.#with.database.transaction(async (tx) => {
      await lockFolderTree(tx);
      const current = await requireFolder(tx, id);
      assertRevision(current.revision, expected);
      const parentId = current.parentId === null ? input.parentId : (input.parentId ?? ROOT_FOLDER.id);
      if (current.name === input.name && current.parentId === parentId) return current;
      if (current.parentId === null || parentId === null) throw rootConflict();
      if (parentId !== current.parentId) await assertMovable(tx, id, parentId);
      await updateFolder(tx, id, { name: input.name, parentId }, this.#with.now());
      const folder = await requireFolder(tx, id);
      await this.#record(tx, by, 'FOLDER_UPDATED', current, folder);
      return folder;
    });
  }

  /**
   * @throws {ProblemError} `not-found`, `precondition-failed`, `conflict` for the root, if it is not empty, and
   *   while it is in use
   */
  async delete(id: number, { by, expected }: EventlessChangeOf): Promise<void> {
    await this.#with.database.transaction(async (tx) => {
      await lockFolderTree(tx);
      await lockAsset(tx, { type: 'FOLDER', id });
      const folder = await requireFolder(tx, id);
      assertRevision(folder.revision, expected);
      if (folder.parentId === null) throw rootConflict();
      const occupants = await readOccupants(tx, id);
      if (occupants.length > 0) {
        throw new ProblemError('conflict', `The folder is not empty: it contains ${occupants.join(', ')}`);
      }
      await assertNotHeld(tx, 'folder', id, this.#with.holders);
      await deleteFolder(tx, id);
      await this.#record(tx, by, 'FOLDER_DELETED', folder, null);
      await this.#with.onDeleted(tx, { type: 'FOLDER', id, name: folder.name });
    });
  }

  async #record(
    tx: Transaction,
    by: Actor,
    action: AuditAction,
    before: Folder | null,
    after: Folder | null,
  ): Promise<void> {
    const { id, name } = (after ?? before) as Folder;
    const changes = changedFields(before && fieldsOf(before), after && fieldsOf(after));
    await recordAudit(tx, { by, action, id, name, changes }, this.#with.now());
  }
}

async function assertMovable(tx: Transaction, id: number, parentId: number): Promise<void> {
  const chain = await requireParentChain(tx, parentId);
  if (chain.includes(id)) throw parentConflict('must not be the folder itself or one of its subfolders');
  assertDepth(chain.length + (await readHeightBelow(tx, id)));
}

/** The parent and its ancestors. */
async function requireParentChain(tx: Transaction, parentId: number): Promise<number[]> {
  const chain = await readFolderChain(tx, parentId);
  if (chain.length === 0) throw invalidInput([noSuchFolder('parent_id', parentId)]);
  return chain;
}

function assertDepth(depth: number): void {
  if (depth > MAX_FOLDER_DEPTH) {
    throw parentConflict(`would nest folders more than ${MAX_FOLDER_DEPTH} levels deep`);
  }
}

function parentConflict(detail: string): ProblemError {
  return new ProblemError('conflict', `The folder cannot be there: its parent ${detail}`, {
    errors: [{ pointer: '/parent_id', detail }],
  });
}

function rootConflict(): ProblemError {
  return new ProblemError(
    'conflict',
    `The folder ${ROOT_FOLDER.name} is the root folder: it cannot be renamed, moved or deleted`,
  );
}

async function requireFolder(reader: Pick<Reader, 'query'>, id: number): Promise<Folder> {
  const row = await readFolder(reader, id);
  if (row === undefined) throw notFound('folder', id);
  return toFolder(row);
}

/** The members of a folder, for the audit log. */
function fieldsOf({ name, parentId, location }: Folder) {
  return { name, parent_id: parentId, location };
}

function toFolder(row: StoredFolder): Folder {
  return {
    id: row.id,
    name: row.name,
    parentId: row.parent_id,
    location: row.location,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
