import { type AuditFields, changedFields } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import { notFound } from '../../problems/problem.ts';
import { assertRevision, type ExpectedRevisions } from '../../problems/revision.ts';
import type { AuditedDeletion, Change } from './change.ts';
import type { OnDeleted } from './deletion.ts';
import { assertNotHeld, type Holder } from './holder.ts';

/** What distinguishes a kind of group, and its rows. */
export interface GroupKind<Input, Values, Row, Group> {
  readonly name: 'bundle' | 'equivalent';
  readonly type: 'BUNDLE' | 'EQUIVALENT';
  readonly deleted: 'BUNDLE_DELETED' | 'EQUIVALENT_DELETED';
  /**
   * Validates the whole input, so that every invalid member is named, and locks what it refers to until the
   * transaction ends.
   */
  requireValues(tx: Transaction, input: Input): Promise<Values>;
  isAsPresent(present: Group, values: Values): boolean;
  toGroup(row: Row): Group;
  /** For the audit log. */
  fieldsOf(group: Group): AuditFields;
  lock(tx: Transaction, id: number): Promise<unknown>;
  read(reader: Pick<Reader, 'query'>, id: number): Promise<Row | undefined>;
  readPage(reader: Pick<Reader, 'query'>, page: PageRequest): Promise<Row[]>;
  insert(tx: Transaction, values: Values, now: number): Promise<number>;
  update(tx: Transaction, id: number, values: Values, now: number): Promise<unknown>;
  delete(tx: Transaction, id: number): Promise<unknown>;
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
export class GroupService<
  Input,
  Values,
  Row extends { id: number },
  Group extends { name: string; revision: number },
> {
  readonly #kind: GroupKind<Input, Values, Row, Group>;
  readonly #with: GroupDependencies;

  constructor(kind: GroupKind<Input, Values, Row, Group>, dependencies: GroupDependencies) {
    this.#kind = kind;
    this.#with = dependencies;
  }

  /**
   * @throws {ProblemError} `invalid-request` for an invalid combination of contents, or if contents or folder
   *   do not exist
   */
  async create(input: Input, { tx: open }: Pick<Change, 'tx'> = {}): Promise<Group> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const values = await this.#kind.requireValues(tx, input);
      return await this.#require(tx, await this.#kind.insert(tx, values, this.#with.now()));
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Group> {
    return await this.#require(this.#with.database.reader, id);
  }

  async list(page: PageRequest): Promise<Page<Group>> {
    const { items, next } = toPage(await this.#kind.readPage(this.#with.database.reader, page), page.limit);
    return { items: items.map((row) => this.#kind.toGroup(row)), next };
  }

  /**
   * Renames, moves, and replaces the contents.
   * @throws {ProblemError} `not-found`, `precondition-failed`, and as {@link create}
   */
  async update(id: number, input: Input, expected: ExpectedRevisions): Promise<Group> {
    return await this.#with.database.transaction(async (tx) => {
      const present = await this.#requireLocked(tx, id);
      assertRevision(present.revision, expected);
      const values = await this.#kind.requireValues(tx, input);
      if (this.#kind.isAsPresent(present, values)) return present;
      await this.#kind.update(tx, id, values, this.#with.now());
      return await this.#require(tx, id);
    });
  }

  /** @throws {ProblemError} `not-found`, `precondition-failed`, `conflict` while it is in use */
  async delete(id: number, { by, expected }: AuditedDeletion): Promise<void> {
    await this.#with.database.transaction(async (tx) => {
      const present = await this.#requireLocked(tx, id);
      assertRevision(present.revision, expected);
      await assertNotHeld(tx, this.#kind.name, id, this.#with.holders);
      await this.#kind.delete(tx, id);
      const changes = changedFields(this.#kind.fieldsOf(present), null);
      const change = { by, action: this.#kind.deleted, id, name: present.name, changes };
      await recordAudit(tx, change, this.#with.now());
      await this.#with.onDeleted(tx, { type: this.#kind.type, id, name: present.name });
    });
  }

  async #requireLocked(tx: Transaction, id: number): Promise<Group> {
    await this.#kind.lock(tx, id);
    return await this.#require(tx, id);
  }

  async #require(reader: Pick<Reader, 'query'>, id: number): Promise<Group> {
    const row = await this.#kind.read(reader, id);
    if (row === undefined) throw notFound(this.#kind.name, id);
    return this.#kind.toGroup(row);
  }
}
