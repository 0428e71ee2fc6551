import type { Transaction } from '../../database/database.ts';
import type { ContentReference } from '../../events/event.ts';
import { type InputError, pointerTo } from '../../problems/problem.ts';
import { type Asset, assetKey, lockExistingAssets } from './assets.ts';

/** The assets that a request lists, in order, and the errors in the list. */
export interface ListedAssets {
  assets: Asset[];
  errors: InputError[];
}

/**
 * Looks up the assets in the member `contents` of a request, and locks them until the transaction ends. A
 * repeated or unknown asset is an error with its position in the list.
 */
export async function lockListedAssets(
  tx: Transaction,
  contents: readonly ContentReference[],
): Promise<ListedAssets> {
  const held = await lockExistingAssets(tx, contents);
  const firstPlaces = new Map<string, string>();
  const assets: Asset[] = [];
  const errors: InputError[] = [];
  for (const [index, reference] of contents.entries()) {
    const key = assetKey(reference);
    const place = pointerTo('/contents', index);
    const first = firstPlaces.get(key);
    const asset = held.get(key);
    if (first !== undefined) errors.push({ pointer: place, detail: `repeats ${first}` });
    else if (asset === undefined) errors.push({ pointer: pointerTo(place, 'id'), detail: noSuch(reference) });
    else assets.push(asset);
    firstPlaces.set(key, first ?? place);
  }
  return { assets, errors };
}

function noSuch({ type, id }: ContentReference): string {
  return `there is no ${type.toLowerCase()} ${id}`;
}
