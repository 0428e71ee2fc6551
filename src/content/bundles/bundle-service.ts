import type { Reader, Transaction } from '../../database/database.ts';
import { type InputError, invalidInput } from '../../problems/problem.ts';
import { folderErrors, lockExistingFolder, noSuchFolder, ROOT_FOLDER } from '../assets/folder-tree.ts';
import { givenMembers, givenReferences } from '../assets/given-members.ts';
import { type GroupDependencies, type GroupKind, GroupService } from '../assets/group-service.ts';
import { countContentsOfPage } from '../assets/group-store.ts';
import { countInWords, type Holder } from '../assets/holder.ts';
import { listedAssetErrors, lockListedAssets } from '../assets/listed-assets.ts';
import {
  BUNDLED_TYPES,
  type Bundle,
  type BundledType,
  type BundleInput,
  MAX_BUNDLE_CONTENTS,
} from './bundle.ts';
import {
  type BundleValues,
  countBundlesOf,
  deleteBundle,
  insertBundle,
  readBundle,
  readBundles,
  type StoredBundle,
  updateBundle,
} from './bundle-store.ts';

/** Bundles: courses and equivalents that belong together. */
export class BundleService extends GroupService<BundleInput, BundleValues, StoredBundle, Bundle> {
  constructor(dependencies: GroupDependencies) {
    super(BUNDLES, dependencies);
  }
}

/** How many bundles have an asset of a type, checked before it is deleted. */
export function bundlesHolding(type: BundledType): Holder {
  return async (tx, id) => countInWords(await countBundlesOf(tx, { type, id }), 'bundle');
}

/**
 * Validates the whole input, so that every invalid member is named, and locks what it refers to until the
 * transaction ends.
 */
async function requireValues(tx: Transaction, input: BundleInput): Promise<BundleValues> {
  const { errors } = await lockListedAssets(tx, input.contents);
  const folderId = input.folderId ?? ROOT_FOLDER.id;
  if (!(await lockExistingFolder(tx, folderId))) errors.push(noSuchFolder('folder_id', folderId));
  if (errors.length > 0) throw invalidInput(errors);
  return { name: input.name, folderId, contents: input.contents };
}

const LISTED = { types: BUNDLED_TYPES, maxItems: MAX_BUNDLE_CONTENTS };

async function inputErrors(reader: Pick<Reader, 'all' | 'dialect'>, input: unknown): Promise<InputError[]> {
  const { folder_id: folderId, contents } = givenMembers(input);
  return [
    ...(await listedAssetErrors(reader, givenReferences(contents, LISTED))),
    ...(await folderErrors(reader, 'folder_id', folderId)),
  ];
}

function isUnchanged(current: Bundle, { name, folderId, contents }: BundleValues): boolean {
  return (
    current.name === name &&
    current.folderId === folderId &&
    current.contents.length === contents.length &&
    current.contents.every(
      ({ type, id }, index) => contents[index]?.type === type && contents[index].id === id,
    )
  );
}

function toBundle(row: StoredBundle): Bundle {
  return {
    id: row.id,
    name: row.name,
    folderId: row.folder_id,
    location: row.location,
    contents: row.contents,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The members of a bundle, for the audit log. */
function fieldsOf({ name, folderId, location, contents }: Bundle) {
  return {
    name,
    folder_id: folderId,
    location,
    contents: contents.map(({ type, id, name: ofContent }) => ({ type, id, name: ofContent })),
  };
}

const BUNDLES: GroupKind<BundleInput, BundleValues, StoredBundle, Bundle> = {
  name: 'bundle',
  type: 'BUNDLE',
  actions: { created: 'BUNDLE_CREATED', updated: 'BUNDLE_UPDATED', deleted: 'BUNDLE_DELETED' },
  requireValues,
  inputErrors,
  isUnchanged,
  toGroup: toBundle,
  fieldsOf,
  read: readBundle,
  readPage: readBundles,
  countContents: (reader, page) => countContentsOfPage(reader, 'bundles', page),
  insert: insertBundle,
  update: updateBundle,
  delete: deleteBundle,
};
