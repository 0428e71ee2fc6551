import type { Reader, SqlValue, Transaction } from '../../database/database.ts';
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

/** When a valid link expires. A later time is from before the clock was set back. */
export interface LinkTimes {
  after: number;
  /** The latest. */
  until: number;
  /** The latest for an invitation: the link of someone without a password. */
  invitationUntil: number;
}

/** SQL for whether a link is valid at these times, with the parameters of {@link parametersOf}. */
const IS_IN_TIME = `expires_at > ? and (expires_at <= ? or expires_at <= ? and exists (
  select 1 from administrators as invited
  where invited.id = setup_links.administrator_id and invited.password_hash is null))`;

/** A link that is valid. */
export async function selectLink(
  reader: Reader,
  tokenHash: string,
  times: LinkTimes,
): Promise<Pick<SetupLinkRow, 'administrator_id'> | undefined> {
  const [row] = await reader.all<Pick<SetupLinkRow, 'administrator_id'>>(
    `select administrator_id from setup_links where token_hash = ? and ${IS_IN_TIME}`,
    tokenHash,
    ...parametersOf(times),
  );
  return row;
}

/** Uses up a link that is valid. Only one caller succeeds. */
export async function takeLink(
  tx: Transaction,
  tokenHash: string,
  times: LinkTimes,
): Promise<Pick<SetupLinkRow, 'administrator_id'> | undefined> {
  const [row] = await tx.all<Pick<SetupLinkRow, 'administrator_id'>>(
    `delete from setup_links where token_hash = ? and ${IS_IN_TIME} returning administrator_id`,
    tokenHash,
    ...parametersOf(times),
  );
  return row;
}

/** Removes an administrator's link. */
export async function deleteLinkOf(tx: Transaction, administratorId: number): Promise<void> {
  await tx.run('delete from setup_links where administrator_id = ?', administratorId);
}

/**
 * Removes links that are not valid at these times, at most `limit`, and returns how many. The condition is there twice: one
 * that another transaction has replaced in the meantime is kept.
 */
export async function deleteExpiredLinks(tx: Transaction, times: LinkTimes, limit: number): Promise<number> {
  return await tx.run(
    `delete from setup_links where not (${IS_IN_TIME}) and subject in
       (select setup_links.subject from setup_links where not (${IS_IN_TIME}) limit ?)`,
    ...parametersOf(times),
    ...parametersOf(times),
    limit,
  );
}

function parametersOf({ after, until, invitationUntil }: LinkTimes): SqlValue[] {
  return [after, until, invitationUntil];
}
