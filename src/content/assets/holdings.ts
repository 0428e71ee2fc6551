import type { Reader } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { ContentReference } from '../../events/event.ts';
import {
  accountDirectlyHasOneOf,
  readBundlesOf,
  readEquivalentsOf,
  readFoldersOf,
} from './holdings-store.ts';

type Reading = Pick<Reader, 'all' | 'dialect'>;

/**
 * The assets and everything that contains one of them: equivalents, bundles, and all folders up to the root. A
 * content focus is matched against these, and they decide whether an account has a course.
 */
export async function withHolders(
  reader: Reading,
  assets: readonly ContentReference[],
): Promise<ContentReference[]> {
  const courseIds = assets.filter(({ type }) => type === 'COURSE').map(({ id }) => id);
  const equivalents = courseIds.length === 0 ? [] : await readEquivalentsOf(reader, courseIds);
  const inBundles = [...assets, ...equivalents].filter(
    ({ type }) => type === 'COURSE' || type === 'EQUIVALENT',
  );
  const bundles = inBundles.length === 0 ? [] : await readBundlesOf(reader, inBundles);
  const held = distinct([...assets, ...equivalents, ...bundles]);
  return distinct([...held, ...(await readFoldersOf(reader, held))]);
}

/** Whether an account has an asset, directly or through something that contains it. */
export async function accountHolds(
  reader: Reading,
  accountId: number,
  asset: ContentReference,
): Promise<boolean> {
  return await accountDirectlyHasOneOf(reader, accountId, await withHolders(reader, [asset]));
}

function distinct(assets: readonly ContentReference[]): ContentReference[] {
  const byKey = new Map(assets.map(({ type, id }) => [assetKey({ type, id }), { type, id }]));
  return [...byKey.values()];
}
