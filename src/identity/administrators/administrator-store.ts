import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { AdministratorRow } from '../../database/schema.ts';

/** SQL of administrators, one operation a function. Moments are epoch milliseconds. */

/** An administrator as the database holds it. */
export type StoredAdministrator = Selectable<AdministratorRow>;

/** Adds an administrator and answers the id; undefined when the address is taken. */
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

/** An administrator by id, as committed last; nobody else changes or removes the row until the transaction ends. */
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
 * The enabled admins with a password, which are the ones that can administer. On PostgreSQL their rows are locked, so
 * that two changes at the same time do not each count on the other's admin. Comes before {@link lockAdministrator}: in
 * another order two changes could wait for each other.
 */
export async function lockAdmins(tx: Transaction): Promise<number[]> {
  const rows = await tx.all<{ id: number }>(
    `select id from administrators where role = 'admin' and enabled = 1 and password_hash is not null
     order by id ${tx.dialect === 'postgres' ? 'for update' : ''}`,
  );
  return rows.map(({ id }) => id);
}

/** Changes what is given of an administrator. */
export async function updateAdministrator(
  tx: Transaction,
  id: number,
  change: Partial<Pick<AdministratorRow, 'name' | 'role' | 'enabled' | 'password_hash'>>,
): Promise<void> {
  await tx.query.updateTable('administrators').set(change).where('administrators.id', '=', id).execute();
}

/** Notes a sign-in with a password; false when the administrator was disabled or has another password by now. */
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

/** Removes an administrator, whose sessions and links are gone already. */
export async function deleteAdministrator(tx: Transaction, id: number): Promise<void> {
  await tx.run('delete from administrators where id = ?', id);
}
