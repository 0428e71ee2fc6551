import type { Actor } from '../../audit/actor.ts';
import type { Transaction } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { EventPublisher } from '../../events/event.ts';
import { type Account, toAccountResource } from '../accounts/account-service.ts';
import { type Asset, type NamedAsset, toNamedAsset } from '../assets/assets.ts';
import { recordContentChange } from './account-content-audit.ts';
import { publishContentChanges } from './account-content-events.ts';
import { deleteListedAccountContents, insertAccountContents } from './account-content-store.ts';
import type { ContentChange } from './changed-assets.ts';

/** The effect of a change on one of its accounts, each list in the order of the request. */
export interface AccountChange {
  account: { id: number; name: string };
  /** What was added or removed. */
  changed: NamedAsset[];
  /** The account already had it or, for a removal, did not have it directly. */
  unchanged: NamedAsset[];
}

/**
 * Adds assets to accounts or removes them, with the events of each account and its entry in the audit log.
 * @param change accounts and assets that the transaction has locked
 * @throws {ProblemError} `limit-reached`
 */
export async function changeContent(
  tx: Transaction,
  {
    events,
    maxAssetsAdded,
    now,
  }: { events: EventPublisher<Transaction>; maxAssetsAdded: number; now: () => number },
  {
    subtopic,
    accounts,
    assets,
    user,
    by,
  }: {
    subtopic: ContentChange['subtopic'];
    accounts: readonly Account[];
    assets: readonly Asset[];
    user: string;
    by: Actor;
  },
): Promise<AccountChange[]> {
  const isAddition = subtopic === 'CONTENT_ADDED_TO_ACCOUNT';
  // One asset can always be removed from one account: its folder may have grown beyond the limit since it was added.
  const isLimited = isAddition || accounts.length * assets.length !== 1;
  const limit = isLimited ? { maxAssets: maxAssetsAdded } : {};
  const changes: ContentChange[] = [];
  const results: AccountChange[] = [];
  for (const account of accounts) {
    const keys = isAddition
      ? await insertAccountContents(tx, account.id, assets, now())
      : await deleteListedAccountContents(tx, account.id, assets);
    const isChanged = (asset: Asset) => keys.has(assetKey(asset));
    const changed = assets.filter(isChanged);
    changes.push({ subtopic, account: toAccountResource(account), assets: changed, user, ...limit });
    const action = isAddition ? 'CONTENT_ADDED' : 'CONTENT_REMOVED';
    await recordContentChange(tx, { by, action, account, assets: changed }, now());
    results.push({
      account: { id: account.id, name: account.name },
      changed: changed.map(toNamedAsset),
      unchanged: assets.filter((asset) => !isChanged(asset)).map(toNamedAsset),
    });
  }
  await publishContentChanges(tx, events, changes);
  return results;
}
