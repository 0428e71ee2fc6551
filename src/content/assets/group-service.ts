import type { AuditAction } from '../../audit/actions.ts';
import type { Actor } from '../../audit/actor.ts';
import { type AuditFields, changedFields } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import { firstWithin } from '../../database/step-bytes.ts';
import { type InputError, notFound } from '../../problems/problem.ts';
import { assertRevision } from '../../problems/revision.ts';
import { lockAsset } from './assets.ts';
import type { EventlessChangeOf, EventlessCreation } from './change.ts';
import type { OnDeleted } from './deletion.ts';
import { assertNotHeld, type Holder } from './holder.ts';

/** Maximum number of contents in a page of groups. */
const MAX_CONTENTS_A_PAGE = 2_000;

/** What distinguishes a kind of group, and its rows. */
export interface GroupKind<Input, Values, Row, Group> {
  readonly name: 'bundle' | 'equivalent';
  readonly type: 'BUNDLE' | 'EQUIVALENT';
  /** For the audit log. */
  readonly actions: Readonly<Record<'created' | 'updated' | 'deleted', AuditAction>>;
  /**
   * Validates the whole input, so that every invalid member is named, and locks what it refers to until the
   * transaction ends.
   */
  requireValues(tx: Transaction, input: Input): Promise<Values>;
  /** The errors in what a body refers to, even if it does not match its schema. */
  inputErrors(reader: Pick<Reader, 'all' | 'dialect'>, input: unknown): Promise<InputError[]>;
  isUnchanged(current: Group, values: Values): boolean;
  toGroup(row: Row): Group;
  /** For the audit log. */
  fieldsOf(group: Group): AuditFields;
  read(reader: Pick<Reader, 'query'>, id: number): Promise<Row | undefined>;
  readPage(reader: Pick<Reader, 'query'>, page: PageRequest): Promise<Row[]>;
  /** How many contents each group of a page has. */
  countContents(reader: Pick<Reader, 'all'>, page: PageRequest): Promise<number[]>;
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

  /** The errors in what a body refers to, even if it does not match its schema. */
  async inputErrors(input: unknown): Promise<InputError[]> {
    return await this.#kind.inputErrors(this.#with.database.reader, input);
  }

  /**
   * @throws {ProblemError} `invalid-request` for an invalid combination of contents, or if contents or folder
   *   do not exist
   */
  async create(input: Input, { by, tx: open }: EventlessCreation): Promise<Group> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const values = await this.#kind.requireValues(tx, input);
      const id = await this.#kind.insert(tx, values, this.#with.now());
      const created = await this.#require(tx, id);
      await this.#record(tx, by, id, null, created);
      return created;
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Group> {
    return await this.#require(this.#with.database.reader, id);
  }

  async list(page: PageRequest): Promise<Page<Group>> {
    const { reader } = this.#with.database;
    const counts = await this.#kind.countContents(reader, page);
    // A page of groups with many contents ends early, since each content is a row with a name.
    const fitting = firstWithin(counts, MAX_CONTENTS_A_PAGE, (count) => count).length;
    const limit = fitting < counts.length ? fitting : page.limit;
    const { items, next } = toPage(await this.#kind.readPage(reader, { ...page, limit }), limit);
    return { items: items.map((row) => this.#kind.toGroup(row)), next };
  }

  /**
   * Renames, moves, and replaces the contents.
   * @throws {ProblemError} `not-found`, `precondition-failed`, and as {@link create}
   */
  async update(id: number, input: Input, { by, expected }: EventlessChangeOf): Promise<Group> {
    return await this.#with.database.transaction(async (tx) => {
      const current = await this.#requireLocked(tx, id);
      assertRevision(current.revision, expected);
      const values = await this.#kind.requireValues(tx, input);
      if (this.#kind.isUnchanged(current, values)) return current;
      await this.#kind.update(tx, id, values, this.#with.now());
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
      await this.#kind.delete(tx, id);
      await this.#record(tx, by, id, current, null);
      await this.#with.onDeleted(tx, { type: this.#kind.type, id, name: current.name });
    });
  }

  /** A new order alone has no changed members, so it is a detail. */
  async #record(
    tx: Transaction,
    by: Actor,
    id: number,
    before: Group | null,
    after: Group | null,
  ): Promise<void> {
    const { actions, fieldsOf } = this.#kind;
    const action = before === null ? actions.created : after === null ? actions.deleted : actions.updated;
    const name = (after ?? before)?.name ?? null;
    const changes = changedFields(before && fieldsOf(before), after && fieldsOf(after));
    const details = changes.length === 0 ? { order_changed: true } : {};
    await recordAudit(tx, { by, action, id, name, changes, details }, this.#with.now());
  }

  async #requireLocked(tx: Transaction, id: number): Promise<Group> {
    await lockAsset(tx, { type: this.#kind.type, id });
    return await this.#require(tx, id);
  }

  async #require(reader: Pick<Reader, 'query'>, id: number): Promise<Group> {
    const row = await this.#kind.read(reader, id);
    if (row === undefined) throw notFound(this.#kind.name, id);
    return this.#kind.toGroup(row);
  }
}
