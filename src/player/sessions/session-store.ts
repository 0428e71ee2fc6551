import type { Reader, Transaction } from '../../database/database.ts';
import type { JsonObject } from '../lrs/xapi-types.ts';
import type { Session, SessionMode } from './session.ts';

/** SQL of sessions, one operation per function. */

interface SessionRow {
  session_id: string;
  launch_id: string;
  registration_id: string | null;
  attempt: number;
  unit_id: string;
  registration: string;
  actor: string;
  activity_id: string;
  mode: string;
  launch_data: string;
  fetch_hash: string | null;
  secret_hash: string | null;
  facts: string;
  started_at: number;
  active_at: number;
  ended_at: number | null;
  page: number | null;
}

const COLUMNS = `session_id, launch_id, registration_id, attempt, unit_id, registration, actor, activity_id, mode,
  launch_data, fetch_hash, secret_hash, facts, started_at, active_at, ended_at, page`;

/** A session and the hashes of its secrets. */
export interface StoredSession {
  session: Session;
  /** Null once the credential was fetched, and for standards that do not fetch it. */
  fetchHash: string | null;
  /** Null before a credential is issued. */
  secretHash: string | null;
}

export async function readSession(
  reader: Pick<Reader, 'all'>,
  sessionId: string,
): Promise<StoredSession | undefined> {
  const [row] = await reader.all<SessionRow>(
    `select ${COLUMNS} from player_sessions where session_id = ?`,
    sessionId,
  );
  return row && toStored(row);
}

/** The sessions of an attempt that have not ended, and the first session of a unit, oldest first. */
export async function readEarlierSessions(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  attempt: number,
  unitId: string,
): Promise<Session[]> {
  const rows = await reader.all<SessionRow>(
    `select ${COLUMNS} from player_sessions where registration_id = ? and attempt = ?
       and (ended_at is null or session_id in (
         select f.session_id from player_sessions f where f.registration_id = ? and f.attempt = ? and f.unit_id = ?
         order by f.started_at, f.session_id limit 1))
     order by started_at, session_id`,
    registrationId,
    attempt,
    registrationId,
    attempt,
    unitId,
  );
  return rows.map((row) => toStored(row).session);
}

/** When the learner first opened each unit of an attempt in the mode `Normal`. */
export async function readFirstOpenings(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  attempt: number,
): Promise<Map<string, number>> {
  const rows = await reader.all<{ unit_id: string; opened_at: number }>(
    `select unit_id, min(started_at) as opened_at from player_sessions
     where registration_id = ? and attempt = ? and mode = 'Normal' group by unit_id`,
    registrationId,
    attempt,
  );
  return new Map(rows.map((row) => [row.unit_id, Number(row.opened_at)]));
}

/** The unit of an attempt that the learner last opened in the mode `Normal`; null if none was opened. */
export async function readLastOpened(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  attempt: number,
): Promise<string | null> {
  const [row] = await reader.all<{ unit_id: string }>(
    `select unit_id from player_sessions where registration_id = ? and attempt = ? and mode = 'Normal'
     order by started_at desc, session_id desc limit 1`,
    registrationId,
    attempt,
  );
  return row?.unit_id ?? null;
}

/** The number of sessions in the attempt of a session, or in the launch of a preview; counts up to a limit. */
export async function countSessions(
  reader: Pick<Reader, 'all'>,
  { registrationId, attempt, launchId }: Pick<Session, 'registrationId' | 'attempt' | 'launchId'>,
  limit: number,
): Promise<number> {
  const [condition, ...values] =
    registrationId === null
      ? (['registration_id is null and launch_id = ?', launchId] as const)
      : (['registration_id = ? and attempt = ?', registrationId, attempt] as const);
  const [row] = await reader.all<{ count: number }>(
    `select count(*) as count from (select 1 from player_sessions where ${condition} limit ?) counted`,
    ...values,
    limit,
  );
  return Number(row?.count ?? 0);
}

/** The learner's agent in the first session of a registration; undefined before that session. */
export async function readFirstActor(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
): Promise<JsonObject | undefined> {
  const [row] = await reader.all<{ actor: string }>(
    'select actor from player_sessions where registration_id = ? order by attempt, started_at, session_id limit 1',
    registrationId,
  );
  return row && (JSON.parse(row.actor) as JsonObject);
}

export async function insertSession(
  tx: Transaction,
  { session, fetchHash, secretHash }: StoredSession,
): Promise<void> {
  await tx.run(
    `insert into player_sessions (${COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    session.sessionId,
    session.launchId,
    session.registrationId,
    session.attempt,
    session.unitId,
    session.registration,
    JSON.stringify(session.actor),
    session.activityId,
    session.mode,
    JSON.stringify(session.launchData),
    fetchHash,
    secretHash,
    JSON.stringify(session.facts),
    session.startedAt,
    session.activeAt,
    session.endedAt,
    session.page,
  );
}

/** Stores the credential of a session, which can be fetched once. Returns false if it was fetched before. */
export async function storeFetchedCredential(
  tx: Transaction,
  sessionId: string,
  { fetchHash, secretHash }: { fetchHash: string; secretHash: string },
): Promise<boolean> {
  const changed = await tx.run(
    'update player_sessions set fetch_hash = null, secret_hash = ? where session_id = ? and fetch_hash = ?',
    secretHash,
    sessionId,
    fetchHash,
  );
  return changed > 0;
}

/** Stores what has happened in a session. */
export async function updateSession(
  tx: Transaction,
  { sessionId, facts, activeAt, endedAt }: Pick<Session, 'sessionId' | 'facts' | 'activeAt' | 'endedAt'>,
): Promise<void> {
  await tx.run(
    'update player_sessions set facts = ?, active_at = ?, ended_at = ? where session_id = ?',
    JSON.stringify(facts),
    activeAt,
    endedAt,
    sessionId,
  );
}

/** Deletes the sessions of previews that began before a time, in epoch milliseconds. */
export async function deletePreviews(tx: Transaction, before: number): Promise<void> {
  await tx.run('delete from player_sessions where started_at < ? and registration_id is null', before);
}

function toStored(row: SessionRow): StoredSession {
  return {
    session: {
      sessionId: row.session_id,
      launchId: row.launch_id,
      registrationId: row.registration_id,
      attempt: row.attempt,
      unitId: row.unit_id,
      registration: row.registration,
      actor: JSON.parse(row.actor) as JsonObject,
      activityId: row.activity_id,
      mode: row.mode as SessionMode,
      launchData: JSON.parse(row.launch_data) as JsonObject,
      facts: JSON.parse(row.facts) as JsonObject,
      startedAt: row.started_at,
      activeAt: row.active_at,
      endedAt: row.ended_at,
      page: row.page,
    },
    fetchHash: row.fetch_hash,
    secretHash: row.secret_hash,
  };
}
