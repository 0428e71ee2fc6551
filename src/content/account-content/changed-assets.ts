import type { Transaction } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { AssetType } from '../../events/catalogue.ts';
import type { AccountResource, ContentReference } from '../../events/event.ts';
import { ProblemError } from '../../problems/problem.ts';
import { type Asset, lockExistingAssets, readAssetsWithin } from '../assets/assets.ts';
import { readFolderChains } from '../assets/folder-tree.ts';
import { readHeldAmong } from './account-content-store.ts';

/** A change of the content of an account, which its transaction has applied. */
export interface ContentChange {
  subtopic: 'CONTENT_ADDED_TO_ACCOUNT' | 'CONTENT_REMOVED_FROM_ACCOUNT';
  account: AccountResource;
  /** The added or removed assets. A folder means everything in it and in its subfolders. */
  assets: readonly Asset[];
  user: string;
  /** Maximum number of assets, including those in folders and those of earlier changes. Unlimited by default. */
  maxAssets?: number;
}

/** The ids of folders and their ancestors, by folder. */
type Chains = ReadonlyMap<number, readonly number[]>;

/**
 * The courses, equivalents and bundles that each account gained or lost, including those in folders. Content that the
 * account also has another way is omitted: another change added it, or a folder above it. Each asset appears once, at
 * its first position, and is locked until the transaction ends.
 *
 * All changes are read together, so that the statements do not grow with the number of accounts.
 * @throws {ProblemError} `limit-reached`
 */
export async function changedAssets(
  tx: Transaction,
  changes: readonly ContentChange[],
): Promise<Asset<AssetType>[][]> {
  const within = await readWithinFolders(tx, changes);
  const named = changes.flatMap(({ assets }) => assets).filter(isInFolder);
  const distinct = new Map(
    [...named, ...[...within.values()].flat()].map((asset) => [assetKey(asset), asset]),
  );
  // Assets may have left the folder since then, even with their subfolder. Locked ones cannot.
  const locked = await lockExistingAssets(tx, [...distinct.values()]);
  const existing = (asset: Asset) => locked.get(assetKey(asset)) as Asset<AssetType> | undefined;
  const chains = await readFolderChains(tx, [
    ...new Set([...locked.values()].map(({ folderId }) => folderId)),
  ]);
  const expanded = changes.map(({ assets }) => {
    const all = assets.flatMap((asset) => {
      if (isInFolder(asset)) return existing(asset) ?? [];
      const found = (within.get(asset.id) ?? []).flatMap((each) => existing(each) ?? []);
      return found.filter(({ folderId }) => chains.get(folderId)?.includes(asset.id));
    });
    return [...new Map(all.map((asset) => [assetKey(asset), asset])).values()];
  });
  return await withoutHeldOtherwise(tx, changes, expanded, chains);
}

/** The content of each folder that the changes name, read once. */
async function readWithinFolders(
  tx: Transaction,
  changes: readonly ContentChange[],
): Promise<Map<number, Asset<AssetType>[]>> {
  const within = new Map<number, Asset<AssetType>[]>();
  let listed = 0;
  for (const { assets, maxAssets: max = Number.MAX_SAFE_INTEGER - 1 } of changes) {
    const distinct = new Set<string>();
    for (const asset of assets) {
      if (!isInFolder(asset) && !within.has(asset.id)) {
        within.set(asset.id, await readAssetsWithin(tx, asset.id, max + 1));
      }
      for (const each of isInFolder(asset) ? [asset] : within.get(asset.id)!) distinct.add(assetKey(each));
      if (listed + distinct.size > max) {
        throw new ProblemError(
          'limit-reached',
          `The request concerns more than ${max} courses, equivalents and bundles (max_assets_per_call); split it into ` +
            'smaller ones',
        );
      }
    }
    listed += distinct.size;
  }
  return within;
}

/**
 * The assets of each change that its account does not have through another change. An addition keeps the assets that it
 * names: if such an asset was moved into a folder of the account, no event reported that.
 */
async function withoutHeldOtherwise(
  tx: Transaction,
  changes: readonly ContentChange[],
  expanded: readonly Asset<AssetType>[][],
  chains: Chains,
): Promise<Asset<AssetType>[][]> {
  const pairKey = (accountId: number, way: ContentReference) => `${accountId} ${assetKey(way)}`;
  const asked = changes.flatMap(({ account: { id: accountId }, assets }, n) => {
    const own = new Set(assets.map(assetKey));
    // Many assets are in few folders, and these have few ancestors.
    const folderIds = new Set(expanded[n]!.map(({ folderId }) => folderId));
    const ancestors = new Set([...folderIds].flatMap((id) => chains.get(id)!));
    const folders = [...ancestors].map((id) => ({ type: 'FOLDER', id }) as const);
    return [...expanded[n]!, ...folders]
      .filter((way) => !own.has(assetKey(way)))
      .map(({ type, id }) => ({ accountId, type, id }));
  });
  const held = new Set((await readHeldAmong(tx, asked)).map((each) => pairKey(each.accountId, each)));
  if (held.size === 0) return [...expanded];
  return changes.map(({ account, assets, subtopic }, n) => {
    const added = new Set(subtopic === 'CONTENT_ADDED_TO_ACCOUNT' ? assets.map(assetKey) : []);
    const isHeld = (way: ContentReference) => held.has(pairKey(account.id, way));
    const belowHeld = new Map<number, boolean>();
    const isBelowHeld = (folderId: number) => {
      const known = belowHeld.get(folderId);
      if (known !== undefined) return known;
      const isBelow = chains.get(folderId)!.some((id) => isHeld({ type: 'FOLDER', id }));
      belowHeld.set(folderId, isBelow);
      return isBelow;
    };
    return expanded[n]!.filter(
      (asset) => added.has(assetKey(asset)) || (!isBelowHeld(asset.folderId) && !isHeld(asset)),
    );
  });
}

function isInFolder(asset: Asset): asset is Asset<AssetType> {
  return asset.type !== 'FOLDER';
}
