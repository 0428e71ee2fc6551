import type { Selectable } from 'kysely';
import type { Completion, Success } from '../../content/registrations/registration.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { PlayerAttemptRow, PlayerUnitRow } from '../../database/schema.ts';
import type { Attempt, UnitState } from './attempt.ts';

/** SQL of attempts and their units, one operation a function. */

/** All attempts of a registration, oldest first. */
export async function readAttempts(
  reader: Pick<Reader, 'query'>,
  registrationId: string,
): Promise<Attempt[]> {
  const rows = await reader.query
    .selectFrom('player_attempts')
    .selectAll()
    .where('player_attempts.registration_id', '=', registrationId)
    .orderBy('player_attempts.number')
    .execute();
  return rows.map(toAttempt);
}

/** The latest attempt; undefined before the first one. */
export async function readLatestAttempt(
  reader: Pick<Reader, 'query'>,
  registrationId: string,
): Promise<Attempt | undefined> {
  const row = await reader.query
    .selectFrom('player_attempts')
    .selectAll()
    .where('player_attempts.registration_id', '=', registrationId)
    .orderBy('player_attempts.number', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && toAttempt(row);
}

export async function insertAttempt(
  tx: Transaction,
  registrationId: string,
  { number, versionId }: Pick<Attempt, 'number' | 'versionId'>,
  now: number,
): Promise<Attempt> {
  const row = await tx.query
    .insertInto('player_attempts')
    .values({
      registration_id: registrationId,
      number,
      version_id: versionId,
      page: 0,
      launch_id: null,
      state: null,
      started_at: now,
      ended_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toAttempt(row);
}

/** Notes that a launch has opened one more page of an attempt. */
export async function updatePage(
  tx: Transaction,
  registrationId: string,
  number: number,
  { page, launchId }: { page: number; launchId: string },
): Promise<void> {
  await tx.query
    .updateTable('player_attempts')
    .set({ page, launch_id: launchId })
    .where('player_attempts.registration_id', '=', registrationId)
    .where('player_attempts.number', '=', number)
    .execute();
}

export async function updateAttemptState(
  tx: Transaction,
  registrationId: string,
  number: number,
  state: unknown,
): Promise<void> {
  await tx.query
    .updateTable('player_attempts')
    .set({ state: JSON.stringify(state) })
    .where('player_attempts.registration_id', '=', registrationId)
    .where('player_attempts.number', '=', number)
    .execute();
}

export async function endAttempt(
  tx: Transaction,
  registrationId: string,
  number: number,
  now: number,
): Promise<void> {
  await tx.query
    .updateTable('player_attempts')
    .set({ ended_at: now })
    .where('player_attempts.registration_id', '=', registrationId)
    .where('player_attempts.number', '=', number)
    .execute();
}

/**
 * The units of an attempt that were opened, in the order in which they were opened first.
 * @param options.dataOf the one unit whose data is read; that of others is null then. With null, none is read; left out, all, which
 *   may be megabytes a unit
 */
export async function readUnits(
  reader: Pick<Reader, 'query'>,
  registrationId: string,
  attempt: number,
  { dataOf }: { dataOf?: string | null } = {},
): Promise<UnitState[]> {
  const rows = await reader.query
    .selectFrom('player_units')
    .select([
      'unit_id',
      'completion',
      'success',
      'score',
      'completed_at',
      'duration_ms',
      'earlier_ms',
      'page',
      'visit',
      'sequence',
      'opened_at',
      'updated_at',
    ])
    .select((eb) =>
      (dataOf === undefined
        ? eb.ref('data')
        : eb
            .case()
            .when('unit_id', '=', dataOf ?? '')
            .then(eb.ref('data'))
            .end()
      ).as('data'),
    )
    .where('player_units.registration_id', '=', registrationId)
    .where('player_units.attempt', '=', attempt)
    .orderBy('player_units.opened_at')
    .orderBy('player_units.unit_id')
    .execute();
  return rows.map(toUnit);
}

/** Inserts a unit, or replaces all of it but when it was opened. */
export async function writeUnit(
  tx: Transaction,
  registrationId: string,
  attempt: number,
  unit: UnitState,
): Promise<void> {
  const values = {
    completion: unit.completion,
    success: unit.success,
    score: unit.score,
    completed_at: unit.completedAt,
    duration_ms: unit.durationMs,
    earlier_ms: unit.earlierMs,
    page: unit.position.page,
    visit: unit.position.visit,
    sequence: unit.position.sequence,
    data: unit.data === null ? null : JSON.stringify(unit.data),
    updated_at: unit.updatedAt,
  };
  await tx.query
    .insertInto('player_units')
    .values({
      registration_id: registrationId,
      attempt,
      unit_id: unit.unitId,
      opened_at: unit.openedAt,
      ...values,
    })
    .onConflict((conflict) => conflict.columns(['registration_id', 'attempt', 'unit_id']).doUpdateSet(values))
    .execute();
}

function toAttempt(row: Selectable<PlayerAttemptRow>): Attempt {
  return {
    number: row.number,
    versionId: row.version_id,
    page: row.page,
    launchId: row.launch_id,
    state: row.state === null ? null : JSON.parse(row.state),
    startedAt: row.started_at,
    endedAt: row.ended_at,
  };
}

function toUnit(row: Omit<Selectable<PlayerUnitRow>, 'registration_id' | 'attempt'>): UnitState {
  return {
    unitId: row.unit_id,
    completion: row.completion as Completion,
    success: row.success as Success,
    score: row.score,
    completedAt: row.completed_at,
    durationMs: row.duration_ms,
    earlierMs: row.earlier_ms,
    position: { page: row.page, visit: row.visit, sequence: row.sequence },
    data: row.data === null ? null : JSON.parse(row.data),
    openedAt: row.opened_at,
    updatedAt: row.updated_at,
  };
}
