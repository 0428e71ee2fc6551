import { sql } from 'kysely';
import { ASSET_TABLES } from '../../content/assets/asset-tables.ts';
import { locationOf } from '../../content/assets/folder-tree.ts';
import type { Reader } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import { FOCUS_TYPES, type FocusType } from '../../events/catalogue.ts';
import { type AssetScope, countAssetMatches, readAssetMatches } from '../content/asset-matches.ts';
import { readLocations } from '../content/locations.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import type { LongListed } from '../list-query.ts';

/** Something that a focus or a list of content may name. */
export interface FoundAsset {
  type: FocusType;
  id: number;
  name: string;
  /** The path of the folder that contains it; empty for Home, null for accounts. */
  location: string | null;
}

/** A part of the best matches: whole names first, then names that begin with the text, then the rest; each by name. */
export async function searchAssets(
  reader: Reader,
  { text, ...scope }: AssetScope & { text: string | null },
  part: { limit: number; offset: number },
): Promise<LongListed<FoundAsset>> {
  const matches = await readAssetMatches(reader, scope, text, part);
  const total = await countAssetMatches(reader, scope, text);
  const locations = await readLocations(
    reader,
    matches.flatMap(({ folder_id }) => folder_id ?? []),
  );
  return {
    items: matches.map(({ type, id, name, folder_id }) => ({
      type,
      id,
      name,
      location: type === 'ACCOUNT' ? null : (locations.get(folder_id ?? 0) ?? ''),
    })),
    total: Math.min(total, MAX_COUNTED),
    totalIsLowerBound: total > MAX_COUNTED,
  };
}

/** The given assets that exist, in the given order. */
export async function readAssets(
  reader: Reader,
  references: readonly { type: FocusType; id: number }[],
): Promise<FoundAsset[]> {
  const found = new Map<string, FoundAsset>();
  for (const type of FOCUS_TYPES) {
    const ids = references.filter((reference) => reference.type === type).map(({ id }) => id);
    if (ids.length === 0) continue;
    const { table, name, folderId } = ASSET_TABLES[type];
    const location = folderId === null ? sql<null>`null` : sql<string>`coalesce(${locationOf(folderId)}, '')`;
    const { rows } = await sql<Omit<FoundAsset, 'type'>>`
      select ${sql.ref(`${table}.id`)} as id, ${sql.ref(name)} as name, ${location} as location
      from ${sql.table(table)} where ${sql.ref(`${table}.id`)} in (${sql.join(ids)})`.execute(reader.query);
    for (const row of rows) found.set(assetKey({ type, id: row.id }), { ...row, type });
  }
  return references.flatMap((reference) => found.get(assetKey(reference)) ?? []);
}
