import { isDeepStrictEqual } from 'node:util';
import type { AuditAction } from '../../audit/actions.ts';
import type { Actor } from '../../audit/actor.ts';
import { type AuditFields, changedFields } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import { firstWithin } from '../../database/step-bytes.ts';
import { type InputError, invalidInput, notFound } from '../../problems/problem.ts';
import { assertRevision } from '../../problems/revision.ts';
import { lockAsset } from './assets.ts';
import type { EventlessChangeOf, EventlessCreation } from './change.ts';
import type { OnDeleted } from './deletion.ts';
import { folderErrors, lockExistingFolder, noSuchFolder, ROOT_FOLDER } from './folder-tree.ts';
import { givenMembers } from './given-members.ts';
import type { Group, GroupInput, GroupValues } from './group.ts';
import {
  countContentsOfPage,
  deleteGroup,
  type GroupRange,
  type GroupTables,
  insertGroup,
  updateGroup,
} from './group-store.ts';
import { assertNotHeld, type Holder } from './holder.ts';

/** Maximum number of contents in a page of groups. */
const MAX_CONTENTS_A_PAGE = 2_000;

/** What distinguishes a kind of group. */
export interface GroupKind<Given, Content extends Given> extends GroupTables<Given> {
  readonly name: 'bundle' | 'equivalent';
  /** For the audit log. */
  readonly actions: Readonly<Record<'created' | 'updated' | 'deleted', AuditAction>>;
  /** Validates contents, so that every invalid one is named, and locks them until the transaction ends. */
  lockContents(
    tx: Transaction,
    given: readonly Given[],
  ): Promise<{ contents: readonly Given[]; errors: InputError[] }>;
  /** The errors in the contents of a body, even if it does not match its schema. */
  contentErrors(
    reader: Pick<Reader, 'all' | 'dialect'>,
    members: Readonly<Record<string, unknown>>,
  ): Promise<InputError[]>;
  /** For the audit log. */
  contentFields(contents: readonly Content[]): AuditFields;
  read(reader: Pick<Reader, 'query'>, range: GroupRange): Promise<Group<Content>[]>;
}

/** Dependencies of a group service. */
export interface GroupDependencies {
  database: Database;
  /** Checked before a group is deleted, one for each kind of thing that can contain it. */
  holders: readonly Holder[];
  onDeleted: OnDeleted;
  now: () => number;
}

/** Groups of content: equivalents or bundles. They have no events of their own. */
export class GroupService<Given, Content extends Given> {
  readonly #kind: GroupKind<Given, Content>;
  readonly #with: GroupDependencies;

  constructor(kind: GroupKind<Given, Content>, dependencies: GroupDependencies) {
    this.#kind = kind;
    this.#with = dependencies;
  }

  /** The errors in what a body refers to, even if it does not match its schema. */
  async inputErrors(input: unknown): Promise<InputError[]> {
    const { reader } = this.#with.database;
    const members = givenMembers(input);
    return [
      ...(await this.#kind.contentErrors(reader, members)),
      ...(await folderErrors(reader, 'folder_id', members.folder_id)),
    ];
  }

  /**
   * @throws {ProblemError} `invalid-request` for an invalid combination of contents, or if contents or folder
   *   do not exist
   */
  async create(input: GroupInput<Given>, { by, tx: open }: EventlessCreation): Promise<Group<Content>> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const values = await this.#requireValues(tx, input);
      const id = await insertGroup(tx, this.#kind, values, this.#with.now());
      const created = await this.#require(tx, id);
      await this.#record(tx, by, id, null, created);
      return created;
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Group<Content>> {
    return await this.#require(this.#with.database.reader, id);
  }

  async list(page: PageRequest): Promise<Page<Group<Content>>> {
    const { reader } = this.#with.database;
    const counts = await countContentsOfPage(reader, this.#kind, page);
    // A page of groups with many contents ends early, since each content is a row with a name.
    const fitting = firstWithin(counts, MAX_CONTENTS_A_PAGE, (count) => count).length;
    const limit = fitting < counts.length ? fitting : page.limit;
    const range = { after: page.after ?? 0, upTo: null, limit: limit + 1 };
    return toPage(await this.#kind.read(reader, range), limit);
  }

  /**
   * Renames, moves, and replaces the contents.
   * @throws {ProblemError} `not-found`, `precondition-failed`, and as {@link create}
   */
  async update(
    id: number,
    input: GroupInput<Given>,
    { by, expected }: EventlessChangeOf,
  ): Promise<Group<Content>> {
    return await this.#with.database.transaction(async (tx) => {
      const current = await this.#requireLocked(tx, id);
      assertRevision(current.revision, expected);
      const values = await this.#requireValues(tx, input);
      if (this.#isUnchanged(current, values)) return current;
      await updateGroup(tx, this.#kind, id, values, this.#with.now());
      const updated = await this.#require(tx, id);
      await this.#record(tx, by, id, current, updated);
      return updated;
    });
  }

  /** @throws {ProblemError} `not-found`, `precondition-failed`, `conflict` while it is in use */
  async delete(id: number, { by, expected }: EventlessChangeOf): Promise<void> {
    await this.#with.database.transaction(async (tx) => {
      const current = await this.#requireLocked(tx, id);
      assertRevision(current.revision, expected);
      await assertNotHeld(tx, this.#kind.name, id, this.#with.holders);
      await deleteGroup(tx, this.#kind, id);
      await this.#record(tx, by, id, current, null);
      await this.#with.onDeleted(tx, { type: this.#kind.type, id, name: current.name });
    });
  }

  /** A new order alone has no changed members, so it is a detail. */
  async #record(
    tx: Transaction,
    by: Actor,
    id: number,
    before: Group<Content> | null,
    after: Group<Content> | null,
  ): Promise<void> {
    const { actions, contentFields } = this.#kind;
    const fieldsOf = ({ name, folderId, location, contents }: Group<Content>): AuditFields => ({
      name,
      folder_id: folderId,
      location,
      ...contentFields(contents),
    });
    const action = before === null ? actions.created : after === null ? actions.deleted : actions.updated;
    const name = (after ?? before)?.name ?? null;
    const changes = changedFields(before && fieldsOf(before), after && fieldsOf(after));
    const details = changes.length === 0 ? { order_changed: true } : {};
    await recordAudit(tx, { by, action, id, name, changes, details }, this.#with.now());
  }

  async #requireLocked(tx: Transaction, id: number): Promise<Group<Content>> {
    await lockAsset(tx, { type: this.#kind.type, id });
    return await this.#require(tx, id);
  }

  async #require(reader: Pick<Reader, 'query'>, id: number): Promise<Group<Content>> {
    const [group] = await this.#kind.read(reader, { after: id - 1, upTo: id, limit: 1 });
    if (group === undefined) throw notFound(this.#kind.name, id);
    return group;
  }

  /**
   * Validates the whole input, so that every invalid member is named, and locks what it refers to until the
   * transaction ends.
   */
  async #requireValues(tx: Transaction, input: GroupInput<Given>): Promise<GroupValues<Given>> {
    const { contents, errors } = await this.#kind.lockContents(tx, input.contents);
    const folderId = input.folderId ?? ROOT_FOLDER.id;
    if (!(await lockExistingFolder(tx, folderId))) errors.push(noSuchFolder('folder_id', folderId));
    if (errors.length > 0) throw invalidInput(errors);
    return { name: input.name, folderId, contents };
  }

  #isUnchanged(current: Group<Content>, values: GroupValues<Given>): boolean {
    const stateOf = ({ name, folderId, contents }: GroupValues<Given>) => [
      name,
      folderId,
      ...contents.map((each) => this.#kind.toColumns(each)),
    ];
    return isDeepStrictEqual(stateOf(current), stateOf(values));
  }
}
