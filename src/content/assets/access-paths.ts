import type { Reader } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { ContentReference } from '../../events/event.ts';
import { type NamedAsset, toNamedAsset } from './assets.ts';
import { withHolders } from './holdings.ts';
import { readBundleMembership, readPlaces } from './holdings-store.ts';

/** An asset through which an account can have another one: that asset itself, or one that contains it. */
export interface AccessPath extends NamedAsset {
  /** The assets between, from the outside in. Empty for the asset itself and for its direct containers. */
  path: NamedAsset[];
}

/**
 * The asset and everything that contains it, by {@link assetKey}, each with a shortest path to the asset. Empty if
 * the asset does not exist.
 */
export async function readAccessPaths(
  reader: Pick<Reader, 'all' | 'dialect'>,
  asset: ContentReference,
): Promise<Map<string, AccessPath>> {
  const places = (await readPlaces(reader, await withHolders(reader, [asset]))).toSorted(
    // The order decides which of several shortest paths is used.
    (a, b) => a.type.localeCompare(b.type) || a.id - b.id,
  );
  const byKey = new Map(places.map((place) => [assetKey(place), place]));
  const containers = await containersOf(reader, asset, places);
  const paths = new Map<string, AccessPath>();
  const start = byKey.get(assetKey(asset));
  if (start === undefined) return paths;
  // Breadth first: the first path to a container is a shortest one.
  const open: AccessPath[] = [{ ...toNamedAsset(start), path: [] }];
  for (const found of open) {
    if (paths.has(assetKey(found))) continue;
    paths.set(assetKey(found), found);
    const isAsset = assetKey(found) === assetKey(asset);
    const path = isAsset ? [] : [toNamedAsset(found), ...found.path];
    for (const key of containers.get(assetKey(found)) ?? []) {
      const container = byKey.get(key);
      if (container !== undefined) open.push({ ...toNamedAsset(container), path });
    }
  }
  return paths;
}

/** What directly contains each asset: equivalents first, then bundles, then its folder. */
async function containersOf(
  reader: Pick<Reader, 'all' | 'dialect'>,
  asset: ContentReference,
  places: readonly { type: ContentReference['type']; id: number; folder_id: number | null }[],
): Promise<Map<string, string[]>> {
  const containers = new Map<string, string[]>();
  const add = (content: ContentReference, container: ContentReference) =>
    containers.set(assetKey(content), [...(containers.get(assetKey(content)) ?? []), assetKey(container)]);
  const ofType = (type: ContentReference['type']) => places.filter((place) => place.type === type);
  // Only equivalents that have the course are among the holders.
  if (asset.type === 'COURSE') for (const equivalent of ofType('EQUIVALENT')) add(asset, equivalent);
  const bundleIds = ofType('BUNDLE').map(({ id }) => id);
  const members = [...ofType('COURSE'), ...ofType('EQUIVALENT')];
  if (bundleIds.length > 0 && members.length > 0) {
    const rows = await readBundleMembership(reader, bundleIds, members);
    for (const { type, id, bundle_id } of rows) add({ type, id }, { type: 'BUNDLE', id: bundle_id });
  }
  for (const { type, id, folder_id } of places) {
    if (folder_id !== null) add({ type, id }, { type: 'FOLDER', id: folder_id });
  }
  return containers;
}
