import type { Reader, Transaction } from '../../database/database.ts';
import type { SetupLinkRow } from '../../database/schema.ts';

/** SQL for one-time links, one operation per function. Times are in epoch milliseconds. */

/** Stores a link, which replaces an earlier one of the subject. */
export async function replaceLink(tx: Transaction, row: SetupLinkRow): Promise<void> {
  await tx.query
    .insertInto('setup_links')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('subject').doUpdateSet({ token_hash: row.token_hash, expires_at: row.expires_at }),
    )
    .execute();
}

/** A link that has not expired. */
export async function selectLink(
  reader: Reader,
  tokenHash: string,
  now: number,
): Promise<SetupLinkRow | undefined> {
  return await reader.query
    .selectFrom('setup_links')
    .selectAll('setup_links')
    .where('setup_links.token_hash', '=', tokenHash)
    .where('setup_links.expires_at', '>', now)
    .executeTakeFirst();
}

/** Uses up a link that has not expired. Only one caller succeeds. */
export async function takeLink(
  tx: Transaction,
  tokenHash: string,
  now: number,
): Promise<Pick<SetupLinkRow, 'administrator_id'> | undefined> {
  return await tx.query
    .deleteFrom('setup_links')
    .where('setup_links.token_hash', '=', tokenHash)
    .where('setup_links.expires_at', '>', now)
    .returning('setup_links.administrator_id')
    .executeTakeFirst();
}

/** Removes an administrator's link. */
export async function deleteLinkOf(tx: Transaction, administratorId: number): Promise<void> {
  await tx.run('delete from setup_links where administrator_id = ?', administratorId);
}

/** Removes links that have expired, at most `limit`, and returns how many. */
export async function deleteExpiredLinks(tx: Transaction, now: number, limit: number): Promise<number> {
  return await tx.run(
    `delete from setup_links where subject in
       (select old.subject from setup_links as old where old.expires_at <= ? limit ?)`,
    now,
    limit,
  );
}
