import { givenReferences } from '../assets/given-members.ts';
import { type GroupDependencies, type GroupKind, GroupService } from '../assets/group-service.ts';
import { countInWords, type Holder } from '../assets/holder.ts';
import { listedAssetErrors, lockListedAssets } from '../assets/listed-assets.ts';
import {
  BUNDLED_TYPES,
  type BundleContent,
  type BundledType,
  type GivenBundleContent,
  MAX_BUNDLE_CONTENTS,
} from './bundle.ts';
import { countBundlesOf, readBundles } from './bundle-store.ts';

/** Bundles: courses and equivalents that belong together. */
export class BundleService extends GroupService<GivenBundleContent, BundleContent> {
  constructor(dependencies: GroupDependencies) {
    super(BUNDLES, dependencies);
  }
}

/** How many bundles have an asset of a type, checked before it is deleted. */
export function bundlesHolding(type: BundledType): Holder {
  return async (tx, id) => countInWords(await countBundlesOf(tx, { type, id }), 'bundle');
}

const LISTED = { types: BUNDLED_TYPES, maxItems: MAX_BUNDLE_CONTENTS };

const BUNDLES: GroupKind<GivenBundleContent, BundleContent> = {
  name: 'bundle',
  type: 'BUNDLE',
  contents: { table: 'bundle_contents', owner: 'bundle_id', columns: ['content_type', 'content_id'] },
  toColumns: ({ type, id }) => [type, id],
  actions: { created: 'BUNDLE_CREATED', updated: 'BUNDLE_UPDATED', deleted: 'BUNDLE_DELETED' },
  async lockContents(tx, contents) {
    const { errors } = await lockListedAssets(tx, contents);
    return { contents, errors };
  },
  contentErrors: (reader, { contents }) => listedAssetErrors(reader, givenReferences(contents, LISTED)),
  contentFields: (contents) => ({ contents: contents.map(({ type, id, name }) => ({ type, id, name })) }),
  read: readBundles,
};
