import { type Actor, isPerson } from '../../audit/actor.ts';
import { changedFields } from '../../audit/field-changes.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { type Database, inTransaction, type Reader, type Transaction } from '../../database/database.ts';
import { type Page, type PageRequest, toPage } from '../../database/page.ts';
import { sent } from '../../database/sent.ts';
import type { AccountResource, EventPublisher } from '../../events/event.ts';
import { notFound } from '../../problems/problem.ts';
import { assertRevision, type ExpectedRevisions } from '../../problems/revision.ts';
import type { ChangeContext, ChangeContextOf } from '../assets/change.ts';
import type { OnDeleted } from '../assets/deletion.ts';
import {
  deleteAccount,
  insertAccount,
  lockAccountsForContent,
  readAccount,
  readAccounts,
  readAccountsById,
  readLockedAccount,
  type StoredAccount,
  updateAccount,
} from './account-store.ts';

/** An account. Times are in epoch milliseconds. */
export interface Account {
  id: number;
  name: string;
  enabled: boolean;
  revision: number;
  createdAt: number;
  updatedAt: number;
}

/** Deletes everything of one kind that belongs to an account, as part of deleting it. */
export type AccountBelongings = (tx: Transaction, accountId: number) => Promise<void>;

/**
 * Deletes some belongings of an account that can be too many for one transaction.
 * @param from 0, or what the last call returned
 * @returns where to continue, perhaps `from`, or null if nothing was deleted because little is left
 */
export type PartOfBelongings = (tx: Transaction, accountId: number, from: number) => Promise<number | null>;

/** Dependencies of {@link AccountService}. */
export interface AccountServiceDependencies {
  database: Database;
  events: EventPublisher<Transaction>;
  /** Deleted with an account, one for each kind. */
  belongings: readonly AccountBelongings[];
  /** Deleted before an account, in transactions of their own. */
  partOfBelongings: PartOfBelongings;
  onDeleted: OnDeleted;
  now: () => number;
}

/** Accounts, and the events of topic ACCOUNT. */
export class AccountService {
  readonly #with: AccountServiceDependencies;

  constructor(dependencies: AccountServiceDependencies) {
    this.#with = dependencies;
  }

  /** Publishes ACCOUNT_CREATED. The audit log records it only for a person. */
  async create(
    input: { name: string; enabled: boolean },
    { user, by, tx: open }: ChangeContext,
  ): Promise<Account> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      const account = toAccount(await insertAccount(tx, input, this.#with.now()));
      await this.#publish(tx, 'ACCOUNT_CREATED', account, user);
      if (isPerson(by)) {
        const changes = changedFields(null, fieldsOf(account));
        const change = {
          by,
          action: 'ACCOUNT_CREATED',
          id: account.id,
          name: account.name,
          changes,
        } as const;
        await recordAudit(tx, change, this.#with.now());
      }
      return account;
    });
  }

  /** @throws {ProblemError} `not-found` */
  async get(id: number): Promise<Account> {
    return await requireAccount(this.#with.database.reader, id);
  }

  async list(page: PageRequest): Promise<Page<Account>> {
    const { items, next } = toPage(await readAccounts(this.#with.database.reader, page), page.limit);
    return { items: items.map(toAccount), next };
  }

  /**
   * Publishes ACCOUNT_ACTIVATION_UPDATED if `enabled` changes.
   * @throws {ProblemError} `not-found`, `precondition-failed`
   */
  async update(
    id: number,
    input: { name: string; enabled: boolean },
    { user, by, expected }: ChangeContextOf,
  ): Promise<Account> {
    return await this.#with.database.transaction(async (tx) => {
      const current = await requireLockedAccount(tx, id);
      assertRevision(current.revision, expected);
      if (current.name === input.name && current.enabled === input.enabled) return current;
      const now = this.#with.now();
      const account = { ...current, ...input, revision: current.revision + 1, updatedAt: now };
      // PostgreSQL gets the update together with the first statement of the event.
      await sent(tx, [updateAccount(tx, id, input, now)]);
      if (account.enabled !== current.enabled) {
        await this.#publish(tx, 'ACCOUNT_ACTIVATION_UPDATED', account, user);
      }
      const changes = changedFields(fieldsOf(current), fieldsOf(account));
      const change = { by, action: 'ACCOUNT_UPDATED', id, name: account.name, changes } as const;
      await recordAudit(tx, change, now);
      return account;
    });
  }

  /**
   * Publishes ACCOUNT_DELETED, which shows the account as it was before. Its belongings are deleted, too, without
   * further events. If there are many, most of them are deleted before, in several transactions, so that other changes
   * do not wait long. If this fails, the account still exists without some of them, and can be deleted again.
   * @throws {ProblemError} `not-found`, `precondition-failed`
   */
  async delete(id: number, { user, by, expected }: ChangeContextOf): Promise<void> {
    const isBegun = await this.#deleteParts(id, by, expected);
    await this.#with.database.transaction(async (tx) => {
      const account = await requireLockedAccount(tx, id);
      if (!isBegun) assertRevision(account.revision, expected);
      for (const deleteBelongings of this.#with.belongings) await deleteBelongings(tx, id);
      await deleteAccount(tx, id);
      await this.#publish(tx, 'ACCOUNT_DELETED', account, user);
      const changes = changedFields(fieldsOf(account), null);
      const change = { by, action: 'ACCOUNT_DELETED', id, name: account.name, changes } as const;
      await recordAudit(tx, change, this.#with.now());
      await this.#with.onDeleted(tx, { type: 'ACCOUNT', id, name: account.name });
    });
  }

  /**
   * Deletes most belongings of an account that has many. Only the first transaction can refuse this: changes that come
   * later must not end a deletion halfway. It also records who began, because the deletion may fail later.
   * @returns whether anything was deleted
   */
  async #deleteParts(id: number, by: Actor, expected: ExpectedRevisions): Promise<boolean> {
    let from = 0;
    let isBegun = false;
    while (true) {
      const next = await this.#with.database.transaction(async (tx) => {
        const account = await lockAccountForContent(tx, id);
        if (!isBegun) assertRevision(account.revision, expected);
        const next = await this.#with.partOfBelongings(tx, id, from);
        if (!isBegun && next !== null) {
          const begun = { by, action: 'ACCOUNT_DELETION_BEGUN', id, name: account.name } as const;
          await recordAudit(tx, begun, this.#with.now());
        }
        return next;
      });
      if (next === null) return isBegun;
      isBegun = true;
      from = next;
    }
  }

  async #publish(
    tx: Transaction,
    subtopic: 'ACCOUNT_CREATED' | 'ACCOUNT_ACTIVATION_UPDATED' | 'ACCOUNT_DELETED',
    account: Account,
    user: string,
  ): Promise<void> {
    const resource = { account: toAccountResource(account) };
    await this.#with.events.publish(tx, {
      subtopic,
      user,
      resource,
      accountId: account.id,
      content: [],
    });
  }
}

/** An account as messages show it. */
export function toAccountResource({ id, name, enabled }: Account): AccountResource {
  return { id, name, enabled };
}

/**
 * Locks an account until the transaction ends: nobody else can change or delete it, or change its content. Its
 * registrations can be changed and new ones created.
 * @throws {ProblemError} `not-found`
 */
export async function lockAccountForContent(tx: Transaction, id: number): Promise<Account> {
  return existing(await readLockedAccount(tx, id, 'content'), id);
}

/** The given accounts that exist, by id, locked like {@link lockAccountForContent} does. */
export async function lockExistingAccounts(
  tx: Transaction,
  ids: readonly number[],
): Promise<Map<number, Account>> {
  await lockAccountsForContent(tx, ids);
  const accounts = await readExistingAccounts(tx, ids);
  return new Map(accounts.map((account) => [account.id, account]));
}

/** The given accounts that exist, in ascending order of id. */
export async function readExistingAccounts(
  reader: Pick<Reader, 'all' | 'dialect'>,
  ids: readonly number[],
): Promise<Account[]> {
  return (await readAccountsById(reader, ids)).map(toAccount);
}

/** Locks an account against everything else until the transaction ends. @throws {ProblemError} `not-found` */
async function requireLockedAccount(tx: Transaction, id: number): Promise<Account> {
  return existing(await readLockedAccount(tx, id, 'account'), id);
}

async function requireAccount(reader: Pick<Reader, 'query'>, id: number): Promise<Account> {
  return existing(await readAccount(reader, id), id);
}

function existing(row: StoredAccount | undefined, id: number): Account {
  if (row === undefined) throw notFound('account', id);
  return toAccount(row);
}

/** The settings of an account, for the audit log. */
function fieldsOf({ name, enabled }: Account) {
  return { name, enabled };
}

function toAccount(row: StoredAccount): Account {
  return {
    id: row.id,
    name: row.name,
    enabled: row.enabled === 1,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
