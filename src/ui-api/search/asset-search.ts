import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { locationOf } from '../../content/folders/folder-tree.ts';
import type { Reader } from '../../database/database.ts';
import { FOCUS_TYPES, type FocusType } from '../../events/catalogue.ts';
import { isHeldBy, type RegistrableType } from '../content/held-content.ts';
import { readLocations } from '../content/locations.ts';
import { searchedId } from '../list-query.ts';
import { nameHolds, nameKey } from '../name-search.ts';

/** Something that a focus or a list of content may name. */
export interface FoundAsset {
  type: FocusType;
  id: number;
  name: string;
  /** The path of the folder that contains it; empty for Home, null for accounts. */
  location: string | null;
}

interface Match {
  type: FocusType;
  id: number;
  name: string;
  key: string;
  folder_id: number | null;
  /** 0: whole name or id, 1: start of the name, 2: elsewhere in the name. */
  rank: number;
}

const TABLES = {
  ACCOUNT: { table: 'accounts', name: 'accounts.name', folderId: 'null' },
  COURSE: { table: 'courses', name: 'courses.name', folderId: 'courses.folder_id' },
  EQUIVALENT: { table: 'equivalents', name: 'equivalents.name', folderId: 'equivalents.folder_id' },
  BUNDLE: { table: 'bundles', name: 'bundles.name', folderId: 'bundles.folder_id' },
  FOLDER: { table: 'folders', name: 'folders.name', folderId: 'folders.parent_id' },
} as const satisfies Record<FocusType, { table: string; name: string; folderId: string }>;

/** What is searched: any assets, or only the courses and equivalents that an account has. */
export type Scope =
  | { types: readonly FocusType[]; heldBy: null }
  | { types: readonly RegistrableType[]; heldBy: number };

/** The best matches: whole names first, then names that begin with the text, then the rest; each by name. */
export async function searchAssets(
  reader: Reader,
  { text, limit, ...scope }: Scope & { text: string | null; limit: number },
): Promise<FoundAsset[]> {
  const matches: Match[] = [];
  if (scope.heldBy === null) {
    for (const type of scope.types) matches.push(...(await matchesOf(reader, type, text, limit)));
  } else {
    for (const type of scope.types) {
      matches.push(...(await matchesOf(reader, type, text, limit, isHeldBy(type, scope.heldBy))));
    }
  }
  matches.sort(
    (a, b) =>
      a.rank - b.rank ||
      compare(a.key, b.key) ||
      FOCUS_TYPES.indexOf(a.type) - FOCUS_TYPES.indexOf(b.type) ||
      a.id - b.id,
  );
  const best = matches.slice(0, limit);
  const locations = await readLocations(
    reader,
    best.flatMap(({ folder_id }) => (folder_id === null ? [] : [folder_id])),
  );
  return best.map(({ type, id, name, folder_id }) => ({
    type,
    id,
    name,
    location: type === 'ACCOUNT' ? null : (locations.get(folder_id ?? 0) ?? ''),
  }));
}

async function matchesOf(
  reader: Reader,
  type: FocusType,
  text: string | null,
  limit: number,
  allowed: RawBuilder<SqlBool> = sql`1 = 1`,
): Promise<Match[]> {
  const { table, name, folderId } = TABLES[type];
  const { dialect } = reader;
  const id = sql.ref(`${table}.id`);
  const key = nameKey(dialect, name);
  const folder = folderId === 'null' ? sql`null` : sql.ref(folderId);
  const rank =
    text === null
      ? sql`0`
      : sql`case when ${nameHolds(dialect, name, text, 'whole')} or ${id} = ${searchedId(text) ?? 0} then 0
          when ${nameHolds(dialect, name, text, 'start')} then 1 else 2 end`;
  const fits =
    text === null ? sql`1 = 1` : sql`${nameHolds(dialect, name, text)} or ${id} = ${searchedId(text) ?? 0}`;
  const { rows } = await sql<Omit<Match, 'type'>>`
    select ${id} as id, ${sql.ref(name)} as name, ${key} as key, ${folder} as folder_id, ${rank} as rank
    from ${sql.table(table)} where (${fits}) and ${allowed}
    order by ${text === null ? sql`` : sql`rank, `}${key}, ${id} limit ${limit}`.execute(reader.query);
  return rows.map((row) => ({ ...row, type }));
}

/** Assets by type and id, in the order given, those that exist. */
export async function readAssets(
  reader: Reader,
  references: readonly { type: FocusType; id: number }[],
): Promise<FoundAsset[]> {
  const found = new Map<string, FoundAsset>();
  for (const type of FOCUS_TYPES) {
    const ids = references.filter((reference) => reference.type === type).map(({ id }) => id);
    if (ids.length === 0) continue;
    const { table, name, folderId } = TABLES[type];
    const location =
      folderId === 'null' ? sql<null>`null` : sql<string>`coalesce(${locationOf(folderId)}, '')`;
    const { rows } = await sql<Omit<FoundAsset, 'type'>>`
      select ${sql.ref(`${table}.id`)} as id, ${sql.ref(name)} as name, ${location} as location
      from ${sql.table(table)} where ${sql.ref(`${table}.id`)} in (${sql.join(ids)})`.execute(reader.query);
    for (const row of rows) found.set(`${type} ${row.id}`, { ...row, type });
  }
  return references.flatMap(({ type, id }) => found.get(`${type} ${id}`) ?? []);
}

/** The order of code points, as that of {@link nameKey}. */
function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
