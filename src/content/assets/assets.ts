import type { Reader, Transaction } from '../../database/database.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import { assetKey } from '../../events/asset-key.ts';
import { type AssetType, type ContentType, FOCUS_TYPES, type FocusType } from '../../events/catalogue.ts';
import type { ContentReference } from '../../events/event.ts';
import { ASSET_TABLES } from './asset-tables.ts';
import { MAX_FOLDER_DEPTH } from './folder-tree.ts';

/** What other slices may know about content of any type: that it exists, its name, and its folder. */

/** Content with its name, as responses and events show it. */
export interface NamedAsset<T extends ContentType = ContentType> {
  type: T;
  id: number;
  name: string;
}

/** An asset without its other members. */
export function toNamedAsset<T extends ContentType>({ type, id, name }: NamedAsset<T>): NamedAsset<T> {
  return { type, id, name };
}

/** Content that exists. */
export interface Asset<T extends ContentType = ContentType> extends NamedAsset<T> {
  /** The folder that contains it. For a folder, the folder itself. */
  folderId: number;
}

/** The current names of assets and accounts by {@link assetKey}. Those that do not exist are omitted. */
export async function readAssetNames(
  reader: Pick<Reader, 'all' | 'dialect'>,
  references: readonly { type: FocusType; id: number }[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const type of FOCUS_TYPES) {
    const ids = references.filter((reference) => reference.type === type).map(({ id }) => id);
    if (ids.length === 0) continue;
    const { table } = ASSET_TABLES[type];
    const rows = await reader.all<{ id: number; name: string }>(
      `select id, name from ${table} where id in ${idList(reader.dialect)}`,
      toIdList(ids),
    );
    for (const { id, name } of rows) names.set(assetKey({ type, id }), name);
  }
  return names;
}

/**
 * Serializes changes of an asset. On SQLite, transactions already do. On PostgreSQL, this locks the row in a separate
 * statement, so that the next read sees what the previous transaction committed. It also waits for transactions that
 * add something to a folder, and blocks new ones.
 */
export async function lockAsset(tx: Transaction, { type, id }: ContentReference): Promise<void> {
  if (tx.dialect !== 'postgres') return;
  await tx.all(`select id from ${ASSET_TABLES[type].table} where id = ? for update`, id);
}

/** Containers before their contents, as in changes of them, so that transactions never deadlock. */
const LOCKING_ORDER = ['BUNDLE', 'EQUIVALENT', 'COURSE', 'FOLDER'] as const satisfies readonly ContentType[];

/**
 * Returns the assets that exist, by {@link assetKey}, and locks them against changes and deletion until the
 * transaction ends. On SQLite, every transaction does. On PostgreSQL, this locks the rows.
 */
export async function lockExistingAssets(
  tx: Transaction,
  references: readonly ContentReference[],
): Promise<Map<string, Asset>> {
  return await existingAssets(tx, references, { lock: tx.dialect === 'postgres' });
}

/** Returns the assets that exist, by {@link assetKey}. */
export async function readExistingAssets(
  reader: Pick<Reader, 'all' | 'dialect'>,
  references: readonly ContentReference[],
): Promise<Map<string, Asset>> {
  return await existingAssets(reader, references, { lock: false });
}

async function existingAssets(
  reader: Pick<Reader, 'all' | 'dialect'>,
  references: readonly ContentReference[],
  { lock }: { lock: boolean },
): Promise<Map<string, Asset>> {
  const found = new Map<string, Asset>();
  for (const type of LOCKING_ORDER) {
    const ids = references.filter((reference) => reference.type === type).map(({ id }) => id);
    if (ids.length === 0) continue;
    const { table, folderId } = ASSET_TABLES[type];
    const rows = await reader.all<{ id: number; name: string; folder_id: number }>(
      `select ${table}.id, ${table}.name, ${type === 'FOLDER' ? 'folders.id' : folderId} as folder_id from ${table}
       where ${table}.id in ${idList(reader.dialect)}
       order by ${table}.id ${lock ? `for key share of ${table}` : ''}`,
      toIdList(ids),
    );
    for (const { id, name, folder_id } of rows) {
      const asset: Asset = { type, id, name, folderId: folder_id };
      found.set(assetKey(asset), asset);
    }
  }
  return found;
}

/**
 * The content of a folder and its subfolders: folders level by level and by id, and in each the courses,
 * equivalents and bundles, each by id.
 */
export async function readAssetsWithin(
  reader: Pick<Reader, 'all'>,
  folderId: number,
  limit: number = Number.MAX_SAFE_INTEGER,
): Promise<Asset<AssetType>[]> {
  const rows = await reader.all<{ type: AssetType; id: number; name: string; folder_id: number }>(
    `with recursive below (id, depth) as (
       select folders.id, 0 from folders where folders.id = ?
       union all
       select folders.id, below.depth + 1 from below join folders on folders.parent_id = below.id
       where below.depth < ${MAX_FOLDER_DEPTH})
     select 'COURSE' as type, courses.id as id, courses.name as name, below.id as folder_id, below.depth as depth, 1 as place
       from below join courses on courses.folder_id = below.id
     union all
     select 'EQUIVALENT', equivalents.id, equivalents.name, below.id, below.depth, 2
       from below join equivalents on equivalents.folder_id = below.id
     union all
     select 'BUNDLE', bundles.id, bundles.name, below.id, below.depth, 3
       from below join bundles on bundles.folder_id = below.id
     order by depth, folder_id, place, id limit ?`,
    folderId,
    limit,
  );
  return rows.map(({ type, id, name, folder_id }) => ({ type, id, name, folderId: folder_id }));
}
