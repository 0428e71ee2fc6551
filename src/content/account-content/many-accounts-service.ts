import { type Database, inTransaction, type Transaction } from '../../database/database.ts';
import type { Page, PageRequest } from '../../database/page.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { ContentReference, EventPublisher } from '../../events/event.ts';
import { type InputError, invalidInput, noSuch, notFound, pointerTo } from '../../problems/problem.ts';
import {
  type Account,
  lockExistingAccounts,
  readExistingAccounts,
  toAccountResource,
} from '../accounts/account-service.ts';
import { type AccessPath, readAccessPaths } from '../assets/access-paths.ts';
import { type Asset, type NamedAsset, toNamedAsset } from '../assets/assets.ts';
import type { AuditedChange } from '../assets/change.ts';
import { givenId, givenItems, givenMembers, givenReferences } from '../assets/given-members.ts';
import { listedAssetErrors, lockListedAssets } from '../assets/listed-assets.ts';
import { LISTED_CONTENTS, MAX_ACCOUNTS_AT_ONCE } from './account-content.ts';
import { recordContentChange } from './account-content-audit.ts';
import { publishContentChanges } from './account-content-events.ts';
import {
  deleteListedAccountContents,
  insertAccountContents,
  readAccountsHavingOneOf,
  readHeldOf,
} from './account-content-store.ts';
import type { ContentChange } from './changed-assets.ts';

/** Dependencies of {@link ManyAccountsService}. */
export interface ManyAccountsServiceDependencies {
  database: Database;
  events: EventPublisher<Transaction>;
  /** Maximum number of courses, equivalents and bundles that one call can add or remove, over all accounts. */
  maxAssetsAdded: number;
  now: () => number;
}

/** The effect of a change of many accounts on one of them, each list in the order of the request. */
export interface AccountChange {
  account: { id: number; name: string };
  /** What was added or removed. */
  changed: NamedAsset[];
  /** The account already had it or, for a removal, did not have it directly. */
  unchanged: NamedAsset[];
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
    change: AuditedChange,
  ): Promise<AccountChange[]> {
    return await this.#change('CONTENT_ADDED_TO_ACCOUNT', accountIds, contents, change, (tx, id, assets) =>
      insertAccountContents(tx, id, assets, this.#with.now()),
    );
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
    change: AuditedChange,
  ): Promise<AccountChange[]> {
    return await this.#change(
      'CONTENT_REMOVED_FROM_ACCOUNT',
      accountIds,
      contents,
      change,
      deleteListedAccountContents,
    );
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
    { user, by, tx: open }: AuditedChange,
    apply: (tx: Transaction, accountId: number, assets: readonly Asset[]) => Promise<Set<string>>,
  ): Promise<AccountChange[]> {
    return await inTransaction(this.#with.database, open, async (tx) => {
      // Accounts are locked before content, as in all changes of both.
      const existing = await lockExistingAccounts(tx, accountIds);
      const { accounts, errors } = listedAccounts(accountIds, existing);
      const { assets, errors: contentErrors } = await lockListedAssets(tx, contents);
      if (errors.length + contentErrors.length > 0) throw invalidInput([...errors, ...contentErrors]);
      const limit = this.#limitOf(subtopic, accounts.length * assets.length);
      const changes: ContentChange[] = [];
      const results: AccountChange[] = [];
      for (const account of accounts) {
        const keys = await apply(tx, account.id, assets);
        const isChanged = (asset: Asset) => keys.has(assetKey(asset));
        const changed = assets.filter(isChanged);
        changes.push({
          subtopic,
          account: toAccountResource(account),
          assets: changed,
          user,
          ...limit,
        });
        const action = subtopic === 'CONTENT_ADDED_TO_ACCOUNT' ? 'CONTENT_ADDED' : 'CONTENT_REMOVED';
        await recordContentChange(tx, { by, action, account, assets: changed }, this.#with.now());
        results.push({
          account: { id: account.id, name: account.name },
          changed: changed.map(toNamedAsset),
          unchanged: assets.filter((asset) => !isChanged(asset)).map(toNamedAsset),
        });
      }
      await publishContentChanges(tx, this.#with.events, changes);
      return results;
    });
  }

  /** One asset can always be removed from one account: its folder may have grown beyond the limit since it was added. */
  #limitOf(subtopic: ContentChange['subtopic'], pairs: number): Pick<ContentChange, 'maxAssets'> {
    if (subtopic === 'CONTENT_REMOVED_FROM_ACCOUNT' && pairs === 1) return {};
    return { maxAssets: this.#with.maxAssetsAdded };
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
