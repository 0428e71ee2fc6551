import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { AdministratorRow } from '../../database/schema.ts';

/** SQL for administrators, one operation per function. Times are in epoch milliseconds. */

/** An administrator as stored. */
export type StoredAdministrator = Selectable<AdministratorRow>;

/** Adds an administrator and returns the id; undefined if the address is in use. */
export async function insertAdministrator(
  tx: Transaction,
  row: Omit<AdministratorRow, 'id'>,
): Promise<number | undefined> {
  const added = await tx.query
    .insertInto('administrators')
    .values(row)
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returning('administrators.id')
    .executeTakeFirst();
  return added?.id;
}

/** Every administrator, by id. */
export async function selectAdministrators(reader: Reader): Promise<StoredAdministrator[]> {
  return await reader.query
    .selectFrom('administrators')
    .selectAll('administrators')
    .orderBy('administrators.id')
    .execute();
}

/** An administrator by id. */
export async function selectAdministrator(
  reader: Reader,
  id: number,
): Promise<StoredAdministrator | undefined> {
  return await reader.query
    .selectFrom('administrators')
    .selectAll('administrators')
    .where('administrators.id', '=', id)
    .executeTakeFirst();
}

/** Locks an administrator until the transaction ends, and returns the last committed state. */
export async function lockAdministrator(
  tx: Transaction,
  id: number,
): Promise<StoredAdministrator | undefined> {
  const row = tx.query
    .selectFrom('administrators')
    .selectAll('administrators')
    .where('administrators.id', '=', id);
  return await (tx.dialect === 'postgres' ? row.forUpdate() : row).executeTakeFirst();
}

/** An administrator by e-mail address. */
export async function selectAdministratorByEmail(
  reader: Reader,
  emailKey: string,
): Promise<StoredAdministrator | undefined> {
  return await reader.query
    .selectFrom('administrators')
    .selectAll('administrators')
    .where('administrators.email_key', '=', emailKey)
    .executeTakeFirst();
}

/** Whether there is any administrator. */
export async function hasAdministrators(reader: Reader): Promise<boolean> {
  const rows = await reader.all('select 1 as found from administrators limit 1');
  return rows.length > 0;
}

/**
 * The enabled admins with a password. On PostgreSQL, their rows are locked, so that two concurrent changes do
 * not each rely on the other's admin. Call it before {@link lockAdministrator}: another order could cause a
 * deadlock.
 */
export async function lockAdmins(tx: Transaction): Promise<number[]> {
  const rows = await tx.all<{ id: number }>(
    `select id from administrators where role = 'admin' and enabled = 1 and password_hash is not null
     order by id ${tx.dialect === 'postgres' ? 'for update' : ''}`,
  );
  return rows.map(({ id }) => id);
}

/** Changes the given members of an administrator. */
export async function updateAdministrator(
  tx: Transaction,
  id: number,
  change: Partial<Pick<AdministratorRow, 'name' | 'role' | 'enabled' | 'password_hash'>>,
): Promise<void> {
  await tx.query.updateTable('administrators').set(change).where('administrators.id', '=', id).execute();
}

/**
 * Records a sign-in with a password. Returns false if the administrator has been disabled or the password has changed
 * in the meantime.
 */
export async function noteSignIn(
  tx: Transaction,
  id: number,
  passwordHash: string,
  now: number,
): Promise<boolean> {
  const noted = await tx.run(
    'update administrators set last_sign_in_at = ? where id = ? and enabled = 1 and password_hash = ?',
    now,
    id,
    passwordHash,
  );
  return noted > 0;
}

/** Deletes an administrator whose sessions and links have already been deleted. */
export async function deleteAdministrator(tx: Transaction, id: number): Promise<void> {
  await tx.run('delete from administrators where id = ?', id);
}
