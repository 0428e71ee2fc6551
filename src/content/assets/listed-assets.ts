import type { Reader, Transaction } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { ContentReference } from '../../events/event.ts';
import { type InputError, noSuch, pointerTo } from '../../problems/problem.ts';
import { type Asset, lockExistingAssets, readExistingAssets } from './assets.ts';

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
  return listed(contents, await lockExistingAssets(tx, contents));
}

/** The errors that {@link lockListedAssets} would find. A reference of the wrong type is null. */
export async function listedAssetErrors(
  reader: Pick<Reader, 'all' | 'dialect'>,
  contents: readonly (ContentReference | null)[],
): Promise<InputError[]> {
  const references = contents.filter((reference) => reference !== null);
  return listed(contents, await readExistingAssets(reader, references)).errors;
}

function listed(
  contents: readonly (ContentReference | null)[],
  existing: ReadonlyMap<string, Asset>,
): ListedAssets {
  const firstPlaces = new Map<string, string>();
  const assets: Asset[] = [];
  const errors: InputError[] = [];
  for (const [index, reference] of contents.entries()) {
    if (reference === null) continue;
    const key = assetKey(reference);
    const place = pointerTo('/contents', index);
    const first = firstPlaces.get(key);
    const asset = existing.get(key);
    if (first !== undefined) errors.push({ pointer: place, detail: `repeats ${first}` });
    else if (asset === undefined)
      errors.push(noSuch(pointerTo(place, 'id'), reference.type.toLowerCase(), reference.id));
    else assets.push(asset);
    firstPlaces.set(key, first ?? place);
  }
  return { assets, errors };
}
