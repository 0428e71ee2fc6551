import { sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import { CONTENT_TYPES, type ContentType } from '../../events/catalogue.ts';
import { MAX_COUNTED } from '../list-limits.ts';
import { type LongListed, searchedId } from '../list-query.ts';
import { nameHolds, nameKey } from '../name-search.ts';
import { readLocations } from './locations.ts';

/** Content that can be added to an account, an equivalent or a bundle. */
export interface AddableContent {
  type: ContentType;
  id: number;
  name: string;
  location: string;
  /** Whether the account already has it directly; false if there is no account. */
  held: boolean;
}

interface Match {
  type: ContentType;
  id: number;
  name: string;
  /** Null for Home. */
  folder_id: number | null;
}

const TABLES = {
  COURSE: { table: 'courses', name: 'courses.name', folderId: 'courses.folder_id' },
  EQUIVALENT: { table: 'equivalents', name: 'equivalents.name', folderId: 'equivalents.folder_id' },
  BUNDLE: { table: 'bundles', name: 'bundles.name', folderId: 'bundles.folder_id' },
  FOLDER: { table: 'folders', name: 'folders.name', folderId: 'folders.parent_id' },
} as const satisfies Record<ContentType, { table: string; name: string; folderId: string }>;

/**
 * A page of the content whose name contains the text or whose id it is. Names that equal the text come first, then names
 * that begin with it, then all others, each ordered by name. Counted up to {@link MAX_COUNTED}.
 */
export async function listAddableContent(
  reader: Reader,
  {
    accountId,
    search,
    types,
  }: { accountId: number | null; search: string | null; types: readonly ContentType[] },
  part: { limit: number; offset: number },
): Promise<LongListed<AddableContent>> {
  const matches = await readMatches(reader, types, search, part);
  const total = await countMatches(reader, types, search);
  const held = accountId === null ? new Set() : await readHeld(reader, accountId, matches);
  const locations = await readLocations(
    reader,
    matches.flatMap((match) => match.folder_id ?? []),
  );
  return {
    items: matches.map(({ folder_id, ...match }) => ({
      ...match,
      location: locations.get(folder_id ?? 0) ?? '',
      held: held.has(keyOf(match)),
    })),
    total: Math.min(total, MAX_COUNTED),
    totalIsLowerBound: total > MAX_COUNTED,
  };
}

async function readMatches(
  reader: Reader,
  types: readonly ContentType[],
  search: string | null,
  { limit, offset }: { limit: number; offset: number },
): Promise<Match[]> {
  const { dialect } = reader;
  const selects = types.map((type) => {
    const { table, name, folderId } = TABLES[type];
    const id = sql.ref(`${table}.id`);
    const key = nameKey(dialect, name);
    const rank =
      search === null
        ? sql`0`
        : sql`case when ${nameHolds(dialect, name, search, 'whole')} or ${id} = ${searchedId(search) ?? 0} then 0
            when ${nameHolds(dialect, name, search, 'start')} then 1 else 2 end`;
    // Reads each type in the order of its own index, up to the end of the page.
    return sql`select * from (
      select ${sql.lit(type)} as type, ${sql.lit(CONTENT_TYPES.indexOf(type))} as type_rank, ${rank} as rank,
        ${id} as id, ${sql.ref(name)} as name, ${key} as name_key, ${sql.ref(folderId)} as folder_id
      from ${sql.table(table)} where ${fits(reader, type, search)}
      order by ${search === null ? sql`` : sql`rank, `}${key}, ${id} limit ${offset + limit}) as ${sql.table(table)}`;
  });
  const { rows } = await sql<Match>`
    select listed.type, listed.id, listed.name, listed.folder_id from (${sql.join(selects, sql` union all `)}) as listed
    order by listed.rank, listed.name_key, listed.type_rank, listed.id limit ${limit} offset ${offset}`.execute(
    reader.query,
  );
  return rows;
}

async function countMatches(
  reader: Reader,
  types: readonly ContentType[],
  search: string | null,
): Promise<number> {
  const counts = types.map(
    (type) =>
      sql`(select count(*) from ${sql.table(TABLES[type].table)} where ${fits(reader, type, search)})`,
  );
  const { rows } = await sql<{ total: number }>`select ${sql.join(counts, sql` + `)} as total`.execute(
    reader.query,
  );
  return Number(rows[0]?.total ?? 0);
}

function fits(reader: Reader, type: ContentType, search: string | null) {
  if (search === null) return sql`1 = 1`;
  const { table, name } = TABLES[type];
  return sql`(${nameHolds(reader.dialect, name, search)} or ${sql.ref(`${table}.id`)} = ${searchedId(search) ?? 0})`;
}

/** The matches that the account has directly. */
async function readHeld(reader: Reader, accountId: number, matches: readonly Match[]): Promise<Set<string>> {
  const held = new Set<string>();
  for (const type of new Set(matches.map((match) => match.type))) {
    const ids = matches.filter((match) => match.type === type).map(({ id }) => id);
    const rows = await reader.query
      .selectFrom('account_contents')
      .select('account_contents.content_id')
      .where('account_contents.account_id', '=', accountId)
      .where('account_contents.content_type', '=', type)
      .where('account_contents.content_id', 'in', ids)
      .execute();
    for (const row of rows) held.add(keyOf({ type, id: row.content_id }));
  }
  return held;
}

function keyOf({ type, id }: { type: ContentType; id: number }): string {
  return `${type} ${id}`;
}
