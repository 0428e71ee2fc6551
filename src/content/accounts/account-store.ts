import type { Selectable } from 'kysely';
import { lockName, sharesNameSql } from '../../database/advisory-locks.ts';
import type { Reader, SqlValue, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import type { AccountRow } from '../../database/schema.ts';

/** SQL for accounts, one operation per function. */

/** An account as stored. */
export type StoredAccount = Selectable<AccountRow>;

/** An account by id; undefined if it does not exist. */
export async function readAccount(
  reader: Pick<Reader, 'query'>,
  id: number,
): Promise<StoredAccount | undefined> {
  return await reader.query
    .selectFrom('accounts')
    .selectAll()
    .where('accounts.id', '=', id)
    .executeTakeFirst();
}

const ACCOUNT = 'select id, name, enabled, revision, created_at, updated_at from accounts where id = ?';

/**
 * Reads an account and serializes its changes. On SQLite, transactions already do. On PostgreSQL, this locks the row,
 * and the result is what the previous transaction committed.
 * @param what `account`: it is changed or deleted itself, so learners' saves wait, too; `content`: they do not wait
 */
export async function readLockedAccount(
  tx: Transaction,
  id: number,
  what: 'account' | 'content',
): Promise<StoredAccount | undefined> {
  const lock = async (strength: string) => (await tx.all<StoredAccount>(`${ACCOUNT} ${strength}`, id))[0];
  if (tx.dialect !== 'postgres') return await lock('');
  if (what === 'content') return await lock('for no key update');
  // Three statements in one round trip. The first waits for changes of the content, which may take long, while learners can
  // still save. The second waits for the saves that have begun, and the third keeps later ones out.
  const [, , account] = await Promise.all([
    lock('for no key update'),
    lockName(tx, turnOfAccount(id)),
    lock('for update'),
  ]);
  return account;
}

/** An account as messages show it. */
export type SharedAccount = Pick<StoredAccount, 'id' | 'name' | 'enabled'>;

/**
 * Reads an account, and locks it against changes and deletion until the transaction ends, together with others. A change of the
 * account waits for those that have begun, not for later ones. On SQLite, every transaction locks it.
 * @param idSql SQL of its id, with one parameter
 */
export async function readSharedAccount(
  tx: Transaction,
  idSql: string,
  value: SqlValue,
): Promise<SharedAccount | undefined> {
  // Plain SQL, like everything that runs at each save of a learner: building the query costs more than running it.
  const account = `select id, name, enabled from accounts where id = (${idSql})`;
  const rows: SharedAccount[] =
    tx.dialect === 'postgres'
      ? await tx.all(
          `${account} and ${sharesNameSql(`'account ' || (${idSql})`)} for key share`,
          value,
          value,
        )
      : await tx.all(account, value);
  return rows[0];
}

/** The name of the lock for which changes of an account and saves of its learners queue. */
function turnOfAccount(id: number): string {
  return `account ${id}`;
}

/**
 * Locks the accounts for changes of their content, like {@link readLockedAccount}, in ascending order of id, so that
 * transactions never deadlock.
 */
export async function lockAccountsForContent(tx: Transaction, ids: readonly number[]): Promise<void> {
  if (tx.dialect !== 'postgres') return;
  await tx.all(
    `select accounts.id from accounts
     where accounts.id in ${idList(tx.dialect)}
     order by accounts.id for no key update of accounts`,
    toIdList(ids),
  );
}

/** The given accounts that exist, in ascending order of id. */
export async function readAccountsById(
  reader: Pick<Reader, 'all' | 'dialect'>,
  ids: readonly number[],
): Promise<StoredAccount[]> {
  return await reader.all<StoredAccount>(
    `select accounts.id, accounts.name, accounts.enabled, accounts.revision, accounts.created_at, accounts.updated_at
     from accounts where accounts.id in ${idList(reader.dialect)}
     order by accounts.id`,
    toIdList(ids),
  );
}

/** A page of accounts, by id. */
export async function readAccounts(
  reader: Pick<Reader, 'query'>,
  page: PageRequest,
): Promise<StoredAccount[]> {
  return await reader.query
    .selectFrom('accounts')
    .selectAll()
    .where('accounts.id', '>', page.after ?? 0)
    .orderBy('accounts.id')
    .limit(page.limit + 1)
    .execute();
}

/** Stores a new account. */
export async function insertAccount(
  tx: Transaction,
  account: { name: string; enabled: boolean },
  now: number,
): Promise<StoredAccount> {
  return await tx.query
    .insertInto('accounts')
    .values({
      name: account.name,
      enabled: account.enabled ? 1 : 0,
      revision: 1,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Writes the name and the activation of a locked account. Sends its statement when it is called. */
export async function updateAccount(
  tx: Transaction,
  id: number,
  { name, enabled }: { name: string; enabled: boolean },
  now: number,
): Promise<void> {
  await tx.run(
    'update accounts set name = ?, enabled = ?, revision = revision + 1, updated_at = ? where id = ?',
    name,
    enabled ? 1 : 0,
    now,
    id,
  );
}

/** Deletes an account whose belongings have already been deleted. */
export async function deleteAccount(tx: Transaction, id: number): Promise<void> {
  await tx.query.deleteFrom('accounts').where('accounts.id', '=', id).execute();
}
