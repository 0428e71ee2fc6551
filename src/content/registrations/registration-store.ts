import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import type { RegistrationRow } from '../../database/schema.ts';
import { ofOwners } from './owner-filter.ts';
import type { Registration, RegistrationFilter, RegistrationStatus } from './registration.ts';

/** SQL for registrations, one operation per function. */

/** A row; `id` is the number that lists are ordered by. */
export interface StoredRegistration extends Omit<Selectable<RegistrationRow>, 'number'> {
  id: number;
}

const COLUMNS = [
  'registrations.number as id',
  'registrations.registration_id',
  'registrations.account_id',
  'registrations.course_id',
  'registrations.version_id',
  'registrations.learner_id',
  'registrations.completion',
  'registrations.success',
  'registrations.score',
  'registrations.duration',
  'registrations.completed_at',
  'registrations.launched_at',
  'registrations.equivalent_id',
  'registrations.language',
  'registrations.revision',
  'registrations.created_at',
  'registrations.updated_at',
] as const;

// Queries that run at each save of a learner are plain SQL: building such a query costs more than running it.
const SELECT_ONE = `select ${COLUMNS.join(', ')} from registrations where registration_id = ?`;
const UPDATE_STATUS =
  'update registrations set completion = ?, success = ?, score = ?, duration = ?, completed_at = ?, ' +
  'revision = revision + 1, updated_at = ? where registration_id = ?';

/** A registration by id; undefined if it does not exist. */
export async function readRegistration(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
): Promise<StoredRegistration | undefined> {
  return (await reader.all<StoredRegistration>(SELECT_ONE, registrationId))[0];
}

/**
 * Reads a registration and serializes changes of it. On SQLite, transactions already do. On PostgreSQL, this
 * locks the row and returns what the previous change committed.
 */
export async function lockRegistration(
  tx: Transaction,
  registrationId: string,
): Promise<StoredRegistration | undefined> {
  const lock = tx.dialect === 'postgres' ? ' for update' : '';
  return (await tx.all<StoredRegistration>(SELECT_ONE + lock, registrationId))[0];
}

/** Oldest first. */
export async function readRegistrations(
  reader: Pick<Reader, 'query'>,
  { learnerId, ...owners }: RegistrationFilter,
  page: PageRequest,
): Promise<StoredRegistration[]> {
  return await reader.query
    .selectFrom('registrations')
    .select(COLUMNS)
    .where('registrations.number', '>', page.after ?? 0)
    .where(ofOwners(owners, { isByLearner: learnerId !== null }))
    .$if(learnerId !== null, (query) => query.where('registrations.learner_id', '=', learnerId))
    .orderBy('registrations.number')
    .limit(page.limit + 1)
    .execute();
}

/** Stores a new registration, which has not been launched. */
export async function insertRegistration(
  tx: Transaction,
  registration: Pick<
    Registration,
    'registrationId' | 'accountId' | 'courseId' | 'versionId' | 'learnerId' | 'equivalentId'
  >,
  status: RegistrationStatus,
  now: number,
): Promise<StoredRegistration> {
  return await tx.query
    .insertInto('registrations')
    .values({
      registration_id: registration.registrationId,
      account_id: registration.accountId,
      course_id: registration.courseId,
      version_id: registration.versionId,
      learner_id: registration.learnerId,
      ...toColumns(status),
      launched_at: null,
      equivalent_id: registration.equivalentId,
      language: null,
      revision: 1,
      created_at: now,
      updated_at: now,
    })
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Replaces the status of a locked registration. Sends its statement when it is called. */
export async function updateStatus(
  tx: Transaction,
  registrationId: string,
  status: RegistrationStatus,
  now: number,
): Promise<void> {
  const { completion, success, score, duration, completedAt } = status;
  await tx.run(UPDATE_STATUS, completion, success, score, duration, completedAt, now, registrationId);
}

/** Stores that members of the record have changed that are stored elsewhere. */
export async function updateRevision(tx: Transaction, registrationId: string, now: number): Promise<void> {
  await tx.run(
    'update registrations set revision = revision + 1, updated_at = ? where registration_id = ?',
    now,
    registrationId,
  );
}

/** Stores the time of the first launch. */
export async function updateLaunched(tx: Transaction, registrationId: string, now: number): Promise<void> {
  await tx.query
    .updateTable('registrations')
    .set((eb) => ({ launched_at: now, revision: eb('revision', '+', 1), updated_at: now }))
    .where('registrations.registration_id', '=', registrationId)
    .execute();
}

/** Sets the course and version to play, and the language of an equivalent (null if it is not chosen yet). */
export async function updatePlayed(
  tx: Transaction,
  registrationId: string,
  { courseId, versionId, language }: Pick<Registration, 'courseId' | 'versionId' | 'language'>,
  now: number,
): Promise<StoredRegistration> {
  return await tx.query
    .updateTable('registrations')
    .set((eb) => ({
      course_id: courseId,
      version_id: versionId,
      language,
      revision: eb('revision', '+', 1),
      updated_at: now,
    }))
    .where('registrations.registration_id', '=', registrationId)
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Deletes a registration, and with it what its learner did. */
export async function deleteRegistration(tx: Transaction, registrationId: string): Promise<void> {
  await tx.query
    .deleteFrom('registrations')
    .where('registrations.registration_id', '=', registrationId)
    .execute();
}

/**
 * Registrations of an account from a number on, in ascending order of number. On PostgreSQL, this locks their rows, so
 * that nothing is recorded for them until the transaction ends.
 */
export async function lockRegistrationsFrom(
  tx: Transaction,
  accountId: number,
  { from, limit }: { from: number; limit: number },
): Promise<{ number: number; registration_id: string }[]> {
  const lock = tx.dialect === 'postgres' ? ' for update' : '';
  return await tx.all<{ number: number; registration_id: string }>(
    `select number, registration_id from registrations where account_id = ? and number >= ?
     order by number limit ?${lock}`,
    accountId,
    from,
    limit,
  );
}

/** Deletes the registrations of an account whose numbers are from `from` to below `to`. */
export async function deleteRegistrationsBetween(
  tx: Transaction,
  accountId: number,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await tx.run(
    'delete from registrations where account_id = ? and number >= ? and number < ?',
    accountId,
    from,
    to,
  );
}

/**
 * Deletes the registrations of an account without events. Call it in the transaction that deletes the account, after its
 * row is locked: concurrent registrations wait for that row.
 */
export async function deleteRegistrationsByAccount(tx: Transaction, accountId: number): Promise<void> {
  await tx.run('delete from registrations where account_id = ?', accountId);
}

/** Whether any registration has this course, or is for this equivalent. */
export async function hasRegistrations(
  reader: Pick<Reader, 'query'>,
  subject: 'course_id' | 'equivalent_id',
  id: number,
): Promise<boolean> {
  const row = await reader.query
    .selectFrom('registrations')
    .select('registrations.number')
    .where(`registrations.${subject}`, '=', id)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The data of a launch, read in one statement. */
export interface StoredLaunch {
  learner_id: string;
  course_id: number;
  version_id: number;
  equivalent_id: number | null;
  language: string | null;
  course_name: string;
  learning_standard: string;
}

/** The data of a launch of a registration; undefined if the registration does not exist. */
export async function readLaunch(
  reader: Pick<Reader, 'query'>,
  registrationId: string,
): Promise<StoredLaunch | undefined> {
  return await reader.query
    .selectFrom('registrations')
    .innerJoin('courses', 'courses.id', 'registrations.course_id')
    .innerJoin('course_versions', (join) =>
      join
        .onRef('course_versions.course_id', '=', 'registrations.course_id')
        .onRef('course_versions.version_id', '=', 'registrations.version_id'),
    )
    .select([
      'registrations.learner_id',
      'registrations.course_id',
      'registrations.version_id',
      'registrations.equivalent_id',
      'registrations.language',
      'courses.name as course_name',
      'course_versions.learning_standard',
    ])
    .where('registrations.registration_id', '=', registrationId)
    .executeTakeFirst();
}

function toColumns(status: RegistrationStatus) {
  return {
    completion: status.completion,
    success: status.success,
    score: status.score,
    duration: status.duration,
    completed_at: status.completedAt,
  };
}
