import { sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import { type Listed, type ListPart, searchedId } from '../list-query.ts';
import { nameHolds, nameKey } from '../name-search.ts';
import { readList } from '../read-list.ts';

export const ACCOUNT_SORTS = ['name', 'updated', 'created'] as const;
export type AccountSort = (typeof ACCOUNT_SORTS)[number];

/** Filters of the list of accounts, all of which must match. Null members are ignored. */
export interface AccountFilter {
  search: string | null;
  enabled: boolean | null;
}

export interface ListedAccount {
  id: number;
  name: string;
  enabled: number;
  created_at: number;
  updated_at: number;
  content_count: number;
}

/** A page of the matching accounts. */
export async function listAccounts(
  reader: Reader,
  { search, enabled }: AccountFilter,
  part: ListPart<AccountSort>,
): Promise<Listed<ListedAccount>> {
  let rows = reader.query
    .selectFrom('accounts')
    .select([
      'accounts.id',
      'accounts.name',
      'accounts.enabled',
      'accounts.created_at',
      'accounts.updated_at',
    ]);
  if (search !== null) {
    rows = rows.where((eb) =>
      eb.or([
        nameHolds(reader.dialect, 'accounts.name', search),
        eb('accounts.id', '=', searchedId(search) ?? 0),
      ]),
    );
  }
  if (enabled !== null) rows = rows.where('accounts.enabled', '=', enabled ? 1 : 0);
  const { items, total } = await readList(
    rows,
    rows,
    { by: orderOf(reader, part.sort), id: sql<number>`accounts.id` },
    part,
  );
  const counts = await countContents(
    reader,
    items.map(({ id }) => id),
  );
  return { items: items.map((item) => ({ ...item, content_count: counts.get(item.id) ?? 0 })), total };
}

function orderOf(reader: Reader, sort: AccountSort) {
  if (sort === 'name') return nameKey(reader.dialect, 'accounts.name');
  // Ids follow the order of creation.
  return sort === 'created' ? sql`accounts.id` : sql`accounts.updated_at`;
}

async function countContents(reader: Reader, ids: readonly number[]): Promise<Map<number, number>> {
  if (ids.length === 0) return new Map();
  const rows = await reader.query
    .selectFrom('account_contents')
    .select(['account_contents.account_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where('account_contents.account_id', 'in', ids)
    .groupBy('account_contents.account_id')
    .execute();
  return new Map(rows.map((row) => [row.account_id, Number(row.count)]));
}
