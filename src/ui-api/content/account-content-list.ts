import { sql } from 'kysely';
import { ASSET_TABLES } from '../../content/assets/asset-tables.ts';
import type { Reader } from '../../database/database.ts';
import { CONTENT_TYPES, type ContentType } from '../../events/catalogue.ts';
import type { Listed, ListPart } from '../list-query.ts';
import { nameKey, nameOrIdIs } from '../name-search.ts';
import { readList } from '../read-list.ts';
import type { AccountContentSort } from './account-list-choices.ts';
import { readLocations } from './locations.ts';

/** An asset of an account. */
export interface ListedAccountContent {
  type: ContentType;
  id: number;
  name: string;
  added_at: number;
  location: string;
}

/** The order of types among assets that share an id. */
const RANKS = new Map(CONTENT_TYPES.map((type, index) => [type, index]));

/** Whether the account exists. */
export async function accountExists(reader: Pick<Reader, 'all'>, accountId: number): Promise<boolean> {
  const rows = await reader.all('select 1 from accounts where accounts.id = ?', accountId);
  return rows.length > 0;
}

/** A page of the content of an account. */
export async function listAccountContents(
  reader: Reader,
  { accountId, search, type }: { accountId: number; search: string | null; type: ContentType | null },
  part: ListPart<AccountContentSort>,
): Promise<Listed<ListedAccountContent>> {
  const types = type === null ? CONTENT_TYPES : [type];
  const selects = types.map((each) => {
    const { table, folderId } = ASSET_TABLES[each];
    const [t, f] = [sql.table(table), sql.ref(folderId)];
    return sql`select ${sql.lit(each)} as type, ${sql.lit(RANKS.get(each) ?? 0)} as rank,
        ${t}.id as id, ${t}.name as name, ${f} as folder_id, account_contents.added_at as added_at
      from account_contents join ${t} on ${t}.id = account_contents.content_id
      where account_contents.account_id = ${accountId} and account_contents.content_type = ${sql.lit(each)}`;
  });
  const listed = sql<{
    type: ContentType;
    rank: number;
    id: number;
    name: string;
    /** Null for Home. */
    folder_id: number | null;
    added_at: number;
  }>`(${sql.join(selects, sql` union all `)})`;
  let rows = reader.query.selectFrom(listed.as('listed')).selectAll();
  if (search !== null) rows = rows.where(nameOrIdIs(reader.dialect, 'listed', search));
  const by = part.sort === 'name' ? nameKey(reader.dialect, 'listed.name') : sql`listed.added_at`;
  // Assets of different types share ids; these numbers are different for each.
  const id = sql<number>`(listed.id * 8 + listed.rank)`;
  const { items, total } = await readList(rows, rows, { by, id }, part);
  const locations = await readLocations(
    reader,
    items.flatMap((item) => item.folder_id ?? []),
  );
  return {
    total,
    items: items.map((item) => ({
      type: item.type,
      id: item.id,
      name: item.name,
      added_at: item.added_at,
      location: locations.get(item.folder_id ?? 0) ?? '',
    })),
  };
}
