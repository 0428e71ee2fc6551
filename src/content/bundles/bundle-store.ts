import type { Selectable } from 'kysely';
import type { Reader, SqlRow, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import type { BundleRow } from '../../database/schema.ts';
import type { ContentReference } from '../../events/event.ts';
import { locationOf } from '../assets/folder-tree.ts';
import type { BundledType } from './bundle.ts';

/** SQL for bundles, one operation per function. */

/** A bundle with its contents, in their order. */
export interface StoredBundle extends Selectable<BundleRow> {
  location: string;
  contents: { type: BundledType; id: number; name: string }[];
}

/** The new state of a bundle. */
export interface BundleValues {
  name: string;
  folderId: number;
  contents: readonly { type: BundledType; id: number }[];
}

/** A bundle by id; undefined if it does not exist. */
export async function readBundle(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<StoredBundle | undefined> {
  const [bundle] = await readWithContents(reader, { after: id - 1, upTo: id, limit: 1 });
  return bundle;
}

/** A page of bundles, by id. */
export async function readBundles(reader: Pick<Reader, 'query'>, page: PageRequest): Promise<StoredBundle[]> {
  return await readWithContents(reader, { after: page.after ?? 0, upTo: null, limit: page.limit + 1 });
}

/** One statement, so that a bundle and its contents are consistent with each other. */
async function readWithContents(
  reader: Pick<Reader, 'query'>,
  { after, upTo, limit }: { after: number; upTo: number | null; limit: number },
): Promise<StoredBundle[]> {
  const rows = await reader.query
    .selectFrom((eb) =>
      eb
        .selectFrom('bundles')
        .selectAll('bundles')
        .select(locationOf('bundles.folder_id').as('location'))
        .where('bundles.id', '>', after)
        .$if(upTo !== null, (query) => query.where('bundles.id', '<=', upTo))
        .orderBy('bundles.id')
        .limit(limit)
        .as('listed'),
    )
    .leftJoin('bundle_contents', 'bundle_contents.bundle_id', 'listed.id')
    .leftJoin('courses', (join) =>
      join
        .on('bundle_contents.content_type', '=', 'COURSE')
        .onRef('courses.id', '=', 'bundle_contents.content_id'),
    )
    .leftJoin('equivalents', (join) =>
      join
        .on('bundle_contents.content_type', '=', 'EQUIVALENT')
        .onRef('equivalents.id', '=', 'bundle_contents.content_id'),
    )
    .selectAll('listed')
    .select((eb) => [
      'bundle_contents.content_type',
      'bundle_contents.content_id',
      eb.fn.coalesce('courses.name', 'equivalents.name').as('content_name'),
    ])
    .orderBy('listed.id')
    .orderBy('bundle_contents.position')
    .execute();
  const bundles = new Map<number, StoredBundle>();
  for (const { content_type, content_id, content_name, ...row } of rows) {
    const bundle = bundles.get(row.id) ?? { ...row, contents: [] };
    bundles.set(row.id, bundle);
    if (content_type === null || content_id === null || content_name === null) continue;
    bundle.contents.push({ type: content_type as BundledType, id: content_id, name: content_name });
  }
  return [...bundles.values()];
}

/** How many bundles directly contain a course or an equivalent. */
export async function countBundlesOf(
  reader: Pick<Reader, 'query'>,
  { type, id }: ContentReference,
): Promise<number> {
  const row = await reader.query
    .selectFrom('bundle_contents')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('bundle_contents.content_type', '=', type)
    .where('bundle_contents.content_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

/** Returns the new bundle's id. */
export async function insertBundle(
  tx: Transaction,
  { name, folderId, contents }: BundleValues,
  now: number,
): Promise<number> {
  const { id } = await tx.query
    .insertInto('bundles')
    .values({ name, folder_id: folderId, revision: 1, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  await insertContents(tx, id, contents);
  return id;
}

/** Replaces a bundle, including its contents. */
export async function updateBundle(
  tx: Transaction,
  id: number,
  { name, folderId, contents }: BundleValues,
  now: number,
): Promise<void> {
  await tx.query
    .updateTable('bundles')
    .set((eb) => ({ name, folder_id: folderId, revision: eb('revision', '+', 1), updated_at: now }))
    .where('bundles.id', '=', id)
    .execute();
  await deleteContents(tx, id);
  await insertContents(tx, id, contents);
}

/** Deletes a bundle that nothing uses. Its contents are kept. */
export async function deleteBundle(tx: Transaction, id: number): Promise<void> {
  await deleteContents(tx, id);
  await tx.query.deleteFrom('bundles').where('bundles.id', '=', id).execute();
}

async function insertContents(
  tx: Transaction,
  bundleId: number,
  contents: BundleValues['contents'],
): Promise<void> {
  await tx.insertMany(
    'bundle_contents',
    ['bundle_id', 'position', 'content_type', 'content_id'],
    contents.map(({ type, id }, position): SqlRow => [bundleId, position, type, id]),
  );
}

async function deleteContents(tx: Transaction, bundleId: number): Promise<void> {
  await tx.query.deleteFrom('bundle_contents').where('bundle_contents.bundle_id', '=', bundleId).execute();
}
