import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { AdministratorSessionRow } from '../../database/schema.ts';

/** SQL for sessions, one operation per function. Times are in epoch milliseconds. */

/** The data that decides about a request with a session cookie. */
export interface SessionHolderRow {
  session_id: number;
  created_at: number;
  last_seen_at: number;
  administrator_id: number;
  email: string;
  name: string | null;
  role: string;
}

/** The hot path: one read for each request with a cookie; a disabled administrator has no session. */
export async function selectSessionHolder(
  reader: Reader,
  tokenHash: string,
): Promise<SessionHolderRow | undefined> {
  const [row] = await reader.all<SessionHolderRow>(
    `select administrator_sessions.id as session_id, administrator_sessions.created_at,
            administrator_sessions.last_seen_at, administrators.id as administrator_id,
            administrators.email, administrators.name, administrators.role
     from administrator_sessions join administrators on administrators.id = administrator_sessions.administrator_id
     where administrator_sessions.token_hash = ? and administrators.enabled = 1`,
    tokenHash,
  );
  return row;
}

/** Adds a session. */
export async function insertSession(
  tx: Transaction,
  row: Omit<AdministratorSessionRow, 'id'>,
): Promise<void> {
  await tx.query.insertInto('administrator_sessions').values(row).execute();
}

/** An administrator's sessions, the latest first. */
export async function selectSessions(
  reader: Reader,
  administratorId: number,
): Promise<Selectable<AdministratorSessionRow>[]> {
  return await reader.query
    .selectFrom('administrator_sessions')
    .selectAll('administrator_sessions')
    .where('administrator_sessions.administrator_id', '=', administratorId)
    .orderBy('administrator_sessions.id', 'desc')
    .execute();
}

/**
 * Records that a session was used at `seenAt` from an address, unless a use after `staleAt` is already
 * recorded.
 */
export async function noteSessionSeen(
  tx: Transaction,
  sessionId: number,
  { seenAt, address, staleAt }: { seenAt: number; address: string | null; staleAt: number },
): Promise<void> {
  await tx.run(
    'update administrator_sessions set last_seen_at = ?, address = ? where id = ? and last_seen_at <= ?',
    seenAt,
    address,
    sessionId,
    staleAt,
  );
}

/** Removes a session. */
export async function deleteSession(tx: Transaction, tokenHash: string): Promise<void> {
  await tx.run('delete from administrator_sessions where token_hash = ?', tokenHash);
}

/** Removes one session of an administrator, and returns how many were removed: 1 or 0. */
export async function deleteSessionOf(
  tx: Transaction,
  administratorId: number,
  sessionId: number,
): Promise<number> {
  return await tx.run(
    'delete from administrator_sessions where id = ? and administrator_id = ?',
    sessionId,
    administratorId,
  );
}

/** Removes every session of an administrator, and returns how many there were. */
export async function deleteSessionsOf(tx: Transaction, administratorId: number): Promise<number> {
  return await tx.run('delete from administrator_sessions where administrator_id = ?', administratorId);
}

/** When sessions began and were last used that are active. */
export interface ActiveSessions {
  beganAfter: number;
  seenAfter: number;
  /** The latest time of both. */
  until: number;
}

/** Removes an administrator’s sessions except `kept`: the latest active ones, then the latest of the others. */
export async function deleteSurplusSessionsOf(
  tx: Transaction,
  administratorId: number,
  active: ActiveSessions,
  kept: number,
): Promise<void> {
  await tx.run(
    `delete from administrator_sessions where administrator_id = ? and id not in
       (select latest.id from administrator_sessions as latest
        where latest.administrator_id = ?
        order by case when latest.created_at > ? and latest.last_seen_at > ?
                       and latest.created_at <= ? and latest.last_seen_at <= ? then 0 else 1 end, latest.id desc
        limit ?)`,
    administratorId,
    administratorId,
    active.beganAfter,
    active.seenAfter,
    active.until,
    active.until,
    kept,
  );
}

/** Removes sessions outside of these times, at most `limit`, and returns how many. */
export async function deleteExpiredSessions(
  tx: Transaction,
  { beganAfter, seenAfter, until }: ActiveSessions,
  limit: number,
): Promise<number> {
  return await tx.run(
    `delete from administrator_sessions where id in
       (select old.id from administrator_sessions as old
        where old.created_at <= ? or old.last_seen_at <= ? or old.created_at > ? or old.last_seen_at > ? limit ?)`,
    beganAfter,
    seenAfter,
    until,
    until,
    limit,
  );
}
