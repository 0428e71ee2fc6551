import type { Reader } from '../database/database.ts';
import { assetKey } from '../events/asset-key.ts';
import type { FocusType } from '../events/catalogue.ts';
import { readAccountNames } from './accounts/account-store.ts';
import { readBundleNames } from './bundles/bundle-store.ts';
import { readCourseNames } from './courses/course-store.ts';
import { readEquivalentNames } from './equivalents/equivalent-store.ts';
import { readFolderNames } from './folders/folder-store.ts';

/** Where the names of each type of asset are read. */
const NAMES_OF_TYPE = {
  ACCOUNT: readAccountNames,
  COURSE: readCourseNames,
  EQUIVALENT: readEquivalentNames,
  BUNDLE: readBundleNames,
  FOLDER: readFolderNames,
} as const satisfies Record<
  FocusType,
  (reader: Pick<Reader, 'query'>, ids: readonly number[]) => Promise<Map<number, string>>
>;

/** The current names of assets by {@link assetKey}. Assets that do not exist are omitted. */
export async function readAssetNames(
  reader: Pick<Reader, 'query' | 'all' | 'dialect'>,
  references: readonly { type: FocusType; id: number }[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const [type, readNames] of Object.entries(NAMES_OF_TYPE)) {
    const ids = references.filter((reference) => reference.type === type).map(({ id }) => id);
    for (const [id, name] of await readNames(reader, ids))
      names.set(assetKey({ type: type as FocusType, id }), name);
  }
  return names;
}
