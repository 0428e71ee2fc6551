import type { Reader, Transaction } from '../../database/database.ts';
import type { LaunchMode, LaunchSubject, PlayerLaunch } from './launch.ts';

/** SQL of launches, one operation per function. */

/** A launch with the data of its course; undefined if its registration or course was deleted. */
export async function readLaunch(
  reader: Pick<Reader, 'query'>,
  launchId: string,
): Promise<PlayerLaunch | undefined> {
  const row = await reader.query
    .selectFrom('player_launches')
    .innerJoin('courses', 'courses.id', 'player_launches.course_id')
    .innerJoin('course_versions', (join) =>
      join
        .onRef('course_versions.course_id', '=', 'player_launches.course_id')
        .onRef('course_versions.version_id', '=', 'player_launches.version_id'),
    )
    .select([
      'player_launches.registration_id',
      'player_launches.course_id',
      'player_launches.version_id',
      'player_launches.language',
      'player_launches.learner_id',
      'player_launches.mode',
      'player_launches.return_url',
      'player_launches.expires_at',
      'courses.name',
      'course_versions.learning_standard',
      'course_versions.content_key',
    ])
    .where('player_launches.launch_id', '=', launchId)
    .executeTakeFirst();
  return (
    row && {
      launchId,
      registrationId: row.registration_id,
      courseId: row.course_id,
      courseName: row.name,
      versionId: row.version_id,
      language: row.language,
      learningStandard: row.learning_standard,
      contentKey: row.content_key,
      learnerId: row.learner_id,
      mode: row.mode as LaunchMode,
      returnUrl: row.return_url,
      expiresAt: row.expires_at,
    }
  );
}

/** Whether a launch is stored and expires after a time, in epoch milliseconds. */
export async function isLaunchOpen(
  reader: Pick<Reader, 'query'>,
  launchId: string,
  at: number,
): Promise<boolean> {
  const row = await reader.query
    .selectFrom('player_launches')
    .select('player_launches.expires_at')
    .where('player_launches.launch_id', '=', launchId)
    .executeTakeFirst();
  return row !== undefined && row.expires_at > at;
}

/**
 * Returns whether the registration exists, and locks it against deletion until the transaction ends. On SQLite, every
 * transaction does. On PostgreSQL, this locks the row.
 */
export async function lockExistingRegistration(tx: Transaction, registrationId: string): Promise<boolean> {
  const row = await tx.query
    .selectFrom('registrations')
    .select('registrations.number')
    .where('registrations.registration_id', '=', registrationId)
    .$if(tx.dialect === 'postgres', (query) => query.forKeyShare())
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertLaunch(
  tx: Transaction,
  launch: Omit<PlayerLaunch, 'courseName' | 'learningStandard' | 'contentKey'>,
  now: number,
): Promise<void> {
  await tx.query
    .insertInto('player_launches')
    .values({
      launch_id: launch.launchId,
      registration_id: launch.registrationId,
      course_id: launch.courseId,
      version_id: launch.versionId,
      language: launch.language,
      learner_id: launch.learnerId,
      mode: launch.mode,
      return_url: launch.returnUrl,
      created_at: now,
      expires_at: launch.expiresAt,
    })
    .execute();
}

/** The number of launches of a registration that are stored; counts up to a limit. */
export async function countLaunches(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  limit: number,
): Promise<number> {
  const [row] = await reader.all<{ count: number }>(
    'select count(*) as count from (select 1 from player_launches where registration_id = ? limit ?) counted',
    registrationId,
    limit,
  );
  return Number(row?.count ?? 0);
}

/**
 * The launch of the same subject that expires last, if it expires after a time, in epoch milliseconds; undefined if there
 * is none.
 */
export async function readLastLaunch(
  reader: Pick<Reader, 'query'>,
  subject: LaunchSubject,
  after: number,
): Promise<{ launchId: string; expiresAt: number } | undefined> {
  const row = await reader.query
    .selectFrom('player_launches')
    .select(['player_launches.launch_id', 'player_launches.expires_at'])
    .where('player_launches.registration_id', '=', subject.registrationId)
    .where('player_launches.course_id', '=', subject.courseId)
    .where('player_launches.version_id', '=', subject.versionId)
    .where('player_launches.language', 'is not distinct from', subject.language)
    .where('player_launches.learner_id', '=', subject.learnerId)
    .where('player_launches.mode', '=', subject.mode)
    .where('player_launches.return_url', 'is not distinct from', subject.returnUrl)
    .where('player_launches.expires_at', '>', after)
    .orderBy('player_launches.expires_at', 'desc')
    .orderBy('player_launches.launch_id')
    .limit(1)
    .executeTakeFirst();
  return row && { launchId: row.launch_id, expiresAt: row.expires_at };
}

/** Deletes at most `limit` launches that expired before a time, in epoch milliseconds. Returns the number deleted. */
export async function deleteExpiredLaunches(tx: Transaction, before: number, limit: number): Promise<number> {
  const result = await tx.query
    .deleteFrom('player_launches')
    .where('player_launches.launch_id', 'in', (eb) =>
      eb
        .selectFrom('player_launches')
        .select('player_launches.launch_id')
        .where('player_launches.expires_at', '<', before)
        .orderBy('player_launches.expires_at')
        .limit(limit),
    )
    .executeTakeFirst();
  return Number(result.numDeletedRows);
}
