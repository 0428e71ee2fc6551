import { sql } from 'kysely';
import type { Reader } from '../../database/database.ts';
import type { Listed, ListPart } from '../list-query.ts';
import { nameKey, nameOrIdIs } from '../name-search.ts';
import { countByOwner, readList } from '../read-list.ts';
import type { AccountSort } from './account-list-choices.ts';

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
  if (search !== null) rows = rows.where(nameOrIdIs(reader.dialect, 'accounts', search));
  if (enabled !== null) rows = rows.where('accounts.enabled', '=', enabled ? 1 : 0);
  const { items, total } = await readList(
    rows,
    rows,
    { by: orderOf(reader, part.sort), id: sql<number>`accounts.id` },
    part,
  );
  const ids = items.map(({ id }) => id);
  const counts = await countByOwner(reader, 'account_contents.account_id', ids);
  return { items: items.map((item) => ({ ...item, content_count: counts.get(item.id) ?? 0 })), total };
}

function orderOf(reader: Reader, sort: AccountSort) {
  if (sort === 'name') return nameKey(reader.dialect, 'accounts.name');
  // Ids follow the order of creation.
  return sort === 'created' ? sql`accounts.id` : sql`accounts.updated_at`;
}
