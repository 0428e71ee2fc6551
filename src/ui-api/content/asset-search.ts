import { sql } from 'kysely';
import { ASSET_TABLES } from '../../content/assets/asset-tables.ts';
import { locationOf } from '../../content/assets/folder-tree.ts';
import type { Reader } from '../../database/database.ts';
import { assetKey } from '../../events/asset-key.ts';
import { FOCUS_TYPES, type FocusType } from '../../events/catalogue.ts';
import type { LongListed } from '../list-query.ts';
import { nameHolds, nameKey, nameOrIdIs } from '../name-search.ts';
import { bounded } from '../read-list.ts';
import { isHeldBy, type RegistrableType } from './held-content.ts';
import { readLocations } from './locations.ts';

/** Something that a focus or a list of content may name. */
export interface FoundAsset {
  type: FocusType;
  id: number;
  name: string;
  /** The path of the folder that contains it; empty for Home, null for accounts. */
  location: string | null;
}

/** Which assets are searched: of any types, or only the courses and equivalents that an account has in any way. */
export type AssetScope =
  | { types: readonly FocusType[]; heldBy: null }
  | { types: readonly RegistrableType[]; heldBy: number };

/** An asset whose name contains a text, or whose id it is. */
interface AssetMatch {
  type: FocusType;
  id: number;
  name: string;
  /** Null for Home and for accounts. */
  folder_id: number | null;
}

/**
 * A part of the assets that match a text, and their number, counted up to a bound; all assets if the text is null.
 * Names that equal the text come first, then names that begin with it, then all others, each ordered by name.
 */
export async function searchAssets(
  reader: Reader,
  { text, ...scope }: AssetScope & { text: string | null },
  part: { limit: number; offset: number },
): Promise<LongListed<FoundAsset>> {
  const matches = await readAssetMatches(reader, scope, text, part);
  const count = await countAssetMatches(reader, scope, text);
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
    ...bounded(count),
  };
}

async function readAssetMatches(
  reader: Reader,
  scope: AssetScope,
  text: string | null,
  { limit, offset }: { limit: number; offset: number },
): Promise<AssetMatch[]> {
  const { dialect } = reader;
  const selects = scope.types.map((type) => {
    const { table, name, folderId } = ASSET_TABLES[type];
    const id = sql.ref(`${table}.id`);
    const key = nameKey(dialect, name);
    const folder = folderId === null ? sql`cast(null as bigint)` : sql.ref(folderId);
    const rank =
      text === null
        ? sql`0`
        : sql`case when ${nameOrIdIs(dialect, table, text, 'whole')} then 0
            when ${nameHolds(dialect, name, text, 'start')} then 1 else 2 end`;
    // Reads each type in the order of its own index, up to the end of the part.
    return sql`select * from (
      select ${sql.lit(type)} as type, ${sql.lit(FOCUS_TYPES.indexOf(type))} as type_rank, ${rank} as rank,
        ${id} as id, ${sql.ref(name)} as name, ${key} as name_key, ${folder} as folder_id
      from ${sql.table(table)} where ${fits(reader, scope, type, text)}
      order by ${text === null ? sql`` : sql`rank, `}${key}, ${id} limit ${offset + limit}) as ${sql.table(table)}`;
  });
  const { rows } = await sql<AssetMatch>`
    select listed.type, listed.id, listed.name, listed.folder_id from (${sql.join(selects, sql` union all `)}) as listed
    order by listed.rank, listed.name_key, listed.type_rank, listed.id limit ${limit} offset ${offset}`.execute(
    reader.query,
  );
  return rows;
}

async function countAssetMatches(reader: Reader, scope: AssetScope, text: string | null): Promise<number> {
  const counts = scope.types.map(
    (type) =>
      sql`(select count(*) from ${sql.table(ASSET_TABLES[type].table)} where ${fits(reader, scope, type, text)})`,
  );
  const { rows } = await sql<{ total: number }>`select ${sql.join(counts, sql` + `)} as total`.execute(
    reader.query,
  );
  return Number(rows[0]?.total ?? 0);
}

function fits(reader: Reader, { heldBy }: AssetScope, type: FocusType, text: string | null) {
  const { table } = ASSET_TABLES[type];
  const held = heldBy === null ? sql`1 = 1` : isHeldBy(type as RegistrableType, heldBy);
  if (text === null) return held;
  return sql`${nameOrIdIs(reader.dialect, table, text)} and ${held}`;
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
