import { type Database, inTransaction, type Transaction } from '../../database/database.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { ContentReference, EventPublisher } from '../../events/event.ts';
import { type InputError, invalidInput, noSuch, notFound, pointerTo } from '../../problems/problem.ts';
import { type Account, lockExistingAccounts, readExistingAccounts } from '../accounts/account-service.ts';
import { type AccessPath, readAccessPaths } from '../assets/access-paths.ts';
import type { ChangeContext } from '../assets/change.ts';
import { givenId, givenItems, givenMembers, givenReferences } from '../assets/given-members.ts';
import { listedAssetErrors, lockListedAssets } from '../assets/listed-assets.ts';
import { LISTED_CONTENTS, MAX_ACCOUNTS_AT_ONCE } from './account-content.ts';
import { readAccountsHavingOneOf, readHeldOf } from './account-content-store.ts';
import { type AccountChange, changeContent } from './change-content.ts';
import type { ContentChange } from './changed-assets.ts';

/** Dependencies of {@link ManyAccountsService}. */
export interface ManyAccountsServiceDependencies {
  database: Database;
  events: EventPublisher<Transaction>;
  /** Maximum number of courses, equivalents and bundles that one call can add or remove, over all accounts. */
  maxAssetsAdded: number;
  now: () => number;
}

/** An account that has an asset, and the content through which it has the asset. */
export interface AccountWithAsset {
  account: { id: number; name: string; enabled: boolean };
  /** What the account has directly, ordered by type and id. Times are in epoch milliseconds. */
  through: (AccessPath & { addedAt: number })[];
}

/** The content of many accounts at once, and which accounts have an asset. */
export class ManyAccountsService {
  readonly #with: ManyAccountsServiceDependencies;

  constructor(dependencies: ManyAccountsServiceDependencies) {
    this.#with = dependencies;
  }

  /** The errors in what a body refers to, even if it does not match its schema. */
  async inputErrors(input: unknown): Promise<InputError[]> {
    const { reader } = this.#with.database;
    const members = givenMembers(input);
    const ids = givenItems(members.account_ids, MAX_ACCOUNTS_AT_ONCE).map(givenId);
    const accounts = await readExistingAccounts(reader, [...new Set(ids.filter((id) => id !== null))]);
    const existing = new Map(accounts.map((account) => [account.id, account]));
    const references = givenReferences(members.contents, LISTED_CONTENTS);
    return [...listedAccounts(ids, existing).errors, ...(await listedAssetErrors(reader, references))];
  }

  /**
   * Adds each asset to each account, in one transaction. Publishes CONTENT_ADDED_TO_ACCOUNT as one addition to each
   * account would, in the order of the accounts.
   * @throws {ProblemError} `invalid-request` for accounts or assets that repeat or do not exist, `limit-reached`
   */
  async add(
    accountIds: readonly number[],
    contents: readonly ContentReference[],
    change: ChangeContext,
  ): Promise<AccountChange[]> {
    return await this.#change('CONTENT_ADDED_TO_ACCOUNT', accountIds, contents, change);
  }

  /**
   * Removes each asset from each account that has it directly, in one transaction. Publishes
   * CONTENT_REMOVED_FROM_ACCOUNT: for each account, one event for each folder that contains something that it no longer
   * has.
   * @throws {ProblemError} `invalid-request` for accounts or assets that repeat or do not exist, `limit-reached`
   */
  async remove(
    accountIds: readonly number[],
    contents: readonly ContentReference[],
    change: ChangeContext,
  ): Promise<AccountChange[]> {
    return await this.#change('CONTENT_REMOVED_FROM_ACCOUNT', accountIds, contents, change);
  }

  /**
   * The accounts that have an asset, directly or through something that contains it, by id.
   * @throws {ProblemError} `not-found` if the asset does not exist
   */
  async accountsWith(
    reference: ContentReference,
    { limit, after }: PageRequest,
  ): Promise<Page<AccountWithAsset>> {
    const { reader } = this.#with.database;
    const paths = await readAccessPaths(reader, reference);
    if (paths.size === 0) throw notFound(reference.type.toLowerCase(), reference.id);
    const references = [...paths.values()];
    const found = await readAccountsHavingOneOf(reader, references, after ?? 0, limit + 1);
    const ids = found.slice(0, limit);
    const held = Map.groupBy(await readHeldOf(reader, ids, references), ({ accountId }) => accountId);
    const items = (await readExistingAccounts(reader, ids)).map(({ id, name, enabled }) => ({
      account: { id, name, enabled },
      through: (held.get(id) ?? []).flatMap(({ addedAt, ...given }) => {
        const path = paths.get(assetKey(given));
        return path === undefined ? [] : [{ ...path, addedAt }];
      }),
    }));
    return { items, next: found.length > limit ? (ids.at(-1) ?? null) : null };
  }

  async #change(
    subtopic: ContentChange['subtopic'],
    accountIds: readonly number[],
    contents: readonly ContentReference[],
    { user, by, tx: open }: ChangeContext,
  ): Promise<AccountChange[]> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      // Accounts are locked before content, as in all changes of both.
      const existing = await lockExistingAccounts(tx, accountIds);
      const { accounts, errors } = listedAccounts(accountIds, existing);
      const { assets, errors: contentErrors } = await lockListedAssets(tx, contents);
      if (errors.length + contentErrors.length > 0) throw invalidInput([...errors, ...contentErrors]);
      return await changeContent(tx, this.#with, { subtopic, accounts, assets, user, by });
    });
  }
}

/**
 * The accounts of the member `account_ids`, in order. A repeated or unknown account is an error with its position.
 * An id of the wrong type is null.
 */
function listedAccounts(
  ids: readonly (number | null)[],
  existing: ReadonlyMap<number, Account>,
): { accounts: Account[]; errors: InputError[] } {
  const firstPlaces = new Map<number, string>();
  const accounts: Account[] = [];
  const errors: InputError[] = [];
  for (const [index, id] of ids.entries()) {
    if (id === null) continue;
    const place = pointerTo('/account_ids', index);
    const first = firstPlaces.get(id);
    const account = existing.get(id);
    if (first !== undefined) errors.push({ pointer: place, detail: `repeats ${first}` });
    else if (account === undefined) errors.push(noSuch(place, 'account', id));
    else accounts.push(account);
    firstPlaces.set(id, first ?? place);
  }
  return { accounts, errors };
}
