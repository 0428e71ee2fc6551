import type { Transaction } from '../../database/database.ts';
import type { ContentReference } from '../../events/event.ts';
import { type InputError, pointerTo } from '../../problems/problem.ts';
import { type Asset, assetKey, holdAssets } from './assets.ts';

/** The assets that a request lists, in its order, and what is wrong with the list. */
export interface ListedAssets {
  assets: Asset[];
  errors: InputError[];
}

/**
 * Looks up the assets that the member `contents` of a request lists, and holds them until the transaction ends. An
 * asset that repeats or does not exist is an error, which names its place in the list.
 */
export async function holdListedAssets(
  tx: Transaction,
  contents: readonly ContentReference[],
): Promise<ListedAssets> {
  const held = await holdAssets(tx, contents);
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
