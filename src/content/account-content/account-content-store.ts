import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { recordset, toIdList } from '../../database/recordset.ts';
import { assetKey } from '../../events/asset-key.ts';
import type { ContentType } from '../../events/catalogue.ts';
import type { ContentReference } from '../../events/event.ts';
import { locationOf } from '../assets/folder-tree.ts';

/** SQL for the content of accounts, one operation per function. */

/** An asset that was added to an account, with its name and the path of its folder. */
export interface StoredAccountContent {
  content_type: ContentType;
  content_id: number;
  name: string;
  location: string;
  added_at: number;
}

/** Up to `limit` assets of an account, ordered by type and id, after the named one. */
export async function readAccountContents(
  reader: Pick<Reader, 'query'>,
  accountId: number,
  after: ContentReference | null,
  limit: number,
): Promise<StoredAccountContent[]> {
  const page = withNames(reader)
    .where('account_contents.account_id', '=', accountId)
    .$if(after !== null, (query) =>
      query.where((where) =>
        where(
          where.refTuple('account_contents.content_type', 'account_contents.content_id'),
          '>',
          where.tuple(after?.type ?? '', after?.id ?? 0),
        ),
      ),
    )
    .orderBy('account_contents.content_type')
    .orderBy('account_contents.content_id')
    .limit(limit);
  // Locations are read for the page alone.
  const rows = await reader.query
    .selectFrom(page.as('listed'))
    .select(['listed.content_type', 'listed.content_id', 'listed.name', 'listed.added_at'])
    .select(locationOf('listed.folder_id').as('location'))
    .orderBy('listed.content_type')
    .orderBy('listed.content_id')
    .execute();
  return rows.map((row) => ({
    ...row,
    content_type: row.content_type as ContentType,
    name: row.name ?? '',
    // Home is in no folder.
    location: row.location ?? '',
  }));
}

/** The content of accounts, with the name and the folder of each asset. */
function withNames(reader: Pick<Reader, 'query'>) {
  return reader.query
    .selectFrom('account_contents')
    .leftJoin('courses', (join) =>
      join
        .on('account_contents.content_type', '=', 'COURSE')
        .onRef('courses.id', '=', 'account_contents.content_id'),
    )
    .leftJoin('equivalents', (join) =>
      join
        .on('account_contents.content_type', '=', 'EQUIVALENT')
        .onRef('equivalents.id', '=', 'account_contents.content_id'),
    )
    .leftJoin('bundles', (join) =>
      join
        .on('account_contents.content_type', '=', 'BUNDLE')
        .onRef('bundles.id', '=', 'account_contents.content_id'),
    )
    .leftJoin('folders', (join) =>
      join
        .on('account_contents.content_type', '=', 'FOLDER')
        .onRef('folders.id', '=', 'account_contents.content_id'),
    )
    .select((columns) => [
      'account_contents.content_type',
      'account_contents.content_id',
      'account_contents.added_at',
      columns.fn.coalesce('courses.name', 'equivalents.name', 'bundles.name', 'folders.name').as('name'),
      columns.fn
        .coalesce('courses.folder_id', 'equivalents.folder_id', 'bundles.folder_id', 'folders.parent_id')
        .as('folder_id'),
    ]);
}

/** Adds the assets that the account does not have yet and returns those, as {@link assetKey}s. */
export async function insertAccountContents(
  tx: Transaction,
  accountId: number,
  references: readonly ContentReference[],
  now: number,
): Promise<Set<string>> {
  const rows = await tx.all<{ content_type: ContentType; content_id: number }>(
    `insert into account_contents (account_id, content_type, content_id, added_at)
     select cast(? as bigint), given.type, given.id, cast(? as bigint)
     from ${recordset(tx.dialect, 'given', { type: 'text', id: 'bigint' })} where true
     on conflict do nothing
     returning content_type, content_id`,
    accountId,
    now,
    JSON.stringify(references.map(({ type, id }) => ({ type, id }))),
  );
  return new Set(
    rows.map(({ content_type, content_id }) => assetKey({ type: content_type, id: content_id })),
  );
}

/** Removes those of the assets that the account has directly, and returns them as {@link assetKey}s. */
export async function deleteListedAccountContents(
  tx: Transaction,
  accountId: number,
  references: readonly ContentReference[],
): Promise<Set<string>> {
  const rows = await tx.all<{ content_type: ContentType; content_id: number }>(
    `delete from account_contents where account_contents.account_id = ?
       and (account_contents.content_type, account_contents.content_id) in
         (select given.type, given.id from ${recordset(tx.dialect, 'given', { type: 'text', id: 'bigint' })})
     returning content_type, content_id`,
    accountId,
    JSON.stringify(references.map(({ type, id }) => ({ type, id }))),
  );
  return new Set(
    rows.map(({ content_type, content_id }) => assetKey({ type: content_type, id: content_id })),
  );
}

/** The first accounts that have an asset directly. One index lookup for each asset, however many accounts have it. */
const FIRST_HOLDERS = new BatchStatement(
  'given',
  { type: 'text', id: 'bigint', after: 'bigint', count: 'bigint' },
  (given, { joined, dialect }) =>
    `select holding.account_id from ${joined} ${dialect === 'postgres' ? 'lateral' : ''}
     (select account_contents.account_id from account_contents
        where account_contents.content_type = ${given.type} and account_contents.content_id = ${given.id}
          and account_contents.account_id > ${given.after}
        order by account_contents.account_id limit ${given.count}) as holding`,
);

/** Up to `limit` accounts, in ascending order of id, after the named one, that have one of the assets directly. */
export async function readAccountsHavingOneOf(
  reader: Pick<Reader, 'allFor'>,
  references: readonly ContentReference[],
  after: number,
  limit: number,
): Promise<number[]> {
  const rows = await FIRST_HOLDERS.all<{ account_id: number }>(
    reader,
    references.map(({ type, id }) => ({ type, id, after, count: limit })),
  );
  const ids = [...new Set(rows.map(({ account_id }) => account_id))];
  return ids.sort((one, other) => one - other).slice(0, limit);
}

/** Which of the assets each of the accounts has directly, ordered by account, type and id. */
export async function readHeldOf(
  reader: Pick<Reader, 'all' | 'dialect'>,
  accountIds: readonly number[],
  references: readonly ContentReference[],
): Promise<{ accountId: number; type: ContentType; id: number; addedAt: number }[]> {
  const rows = await reader.all<{
    account_id: number;
    content_type: ContentType;
    content_id: number;
    added_at: number;
  }>(
    `select account_contents.account_id, account_contents.content_type, account_contents.content_id, account_contents.added_at
     from ${recordset(reader.dialect, 'account', { id: 'bigint' })}
     cross join ${recordset(reader.dialect, 'given', { type: 'text', id: 'bigint' })}
     cross join account_contents
     where account_contents.account_id = account.id
       and account_contents.content_type = given.type and account_contents.content_id = given.id
     order by account_contents.account_id, account_contents.content_type, account_contents.content_id`,
    toIdList(accountIds),
    JSON.stringify(references.map(({ type, id }) => ({ type, id }))),
  );
  return rows.map((row) => ({
    accountId: row.account_id,
    type: row.content_type,
    id: row.content_id,
    addedAt: row.added_at,
  }));
}

/** The given pairs of account and asset in which the account has the asset directly. */
export async function readHeldAmong(
  reader: Pick<Reader, 'all' | 'dialect'>,
  asked: readonly (ContentReference & { accountId: number })[],
): Promise<(ContentReference & { accountId: number })[]> {
  if (asked.length === 0) return [];
  const columns = { account_id: 'bigint', type: 'text', id: 'bigint' } as const;
  const rows = await reader.all<{ account_id: number; type: ContentType; id: number }>(
    `select given.account_id, given.type, given.id
     from ${recordset(reader.dialect, 'given', columns)}
     cross join account_contents
     where account_contents.account_id = given.account_id
       and account_contents.content_type = given.type and account_contents.content_id = given.id`,
    JSON.stringify(asked.map(({ accountId, type, id }) => ({ account_id: accountId, type, id }))),
  );
  return rows.map(({ account_id, type, id }) => ({ accountId: account_id, type, id }));
}

/** Removes all content from an account. */
export async function deleteAccountContents(tx: Transaction, accountId: number): Promise<void> {
  await tx.query
    .deleteFrom('account_contents')
    .where('account_contents.account_id', '=', accountId)
    .execute();
}

/** How many accounts have an asset directly. */
export async function countAccountsOf(
  reader: Pick<Reader, 'query'>,
  { type, id }: ContentReference,
): Promise<number> {
  const row = await reader.query
    .selectFrom('account_contents')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('account_contents.content_type', '=', type)
    .where('account_contents.content_id', '=', id)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
