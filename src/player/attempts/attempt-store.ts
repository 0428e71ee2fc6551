import type { Selectable } from 'kysely';
import type { Completion, Success } from '../../content/registrations/registration.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { PlayerAttemptRow, PlayerUnitRow } from '../../database/schema.ts';
import type { Attempt, UnitState } from './attempt.ts';

/**
 * SQL of attempts and their units, one operation a function. What each save of a learner runs is plain SQL: building such a
 * query each time costs more than running it.
 */

const UNIT_COLUMNS =
  'unit_id, completion, success, score, completed_at, duration_ms, earlier_ms, page, visit, sequence, opened_at, updated_at';
const UNITS_OF = 'from player_units where registration_id = ? and attempt = ? order by opened_at, unit_id';
const WRITTEN = [
  'completion',
  'success',
  'score',
  'completed_at',
  'duration_ms',
  'earlier_ms',
  'page',
  'visit',
  'sequence',
  'data',
  'updated_at',
];
const WRITE_UNIT =
  `insert into player_units (registration_id, attempt, unit_id, opened_at, ${WRITTEN.join(', ')}) ` +
  `values (?, ?, ?, ?${', ?'.repeat(WRITTEN.length)}) on conflict (registration_id, attempt, unit_id) ` +
  `do update set ${WRITTEN.map((name) => `${name} = excluded.${name}`).join(', ')}`;

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
  reader: Pick<Reader, 'all'>,
  registrationId: string,
): Promise<Attempt | undefined> {
  const [row] = await reader.all<Omit<Selectable<PlayerAttemptRow>, 'registration_id'>>(
    'select number, version_id, page, launch_id, state, started_at, ended_at from player_attempts ' +
      'where registration_id = ? order by number desc limit 1',
    registrationId,
  );
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
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  attempt: number,
  { dataOf }: { dataOf?: string | null } = {},
): Promise<UnitState[]> {
  const rows =
    dataOf === undefined
      ? await reader.all<UnitRow>(`select ${UNIT_COLUMNS}, data ${UNITS_OF}`, registrationId, attempt)
      : await reader.all<UnitRow>(
          `select ${UNIT_COLUMNS}, case when unit_id = ? then data end as data ${UNITS_OF}`,
          dataOf ?? '',
          registrationId,
          attempt,
        );
  return rows.map(toUnit);
}

type UnitRow = Omit<Selectable<PlayerUnitRow>, 'registration_id' | 'attempt'>;

/** Inserts a unit, or replaces all of it but when it was opened. */
export async function writeUnit(
  tx: Transaction,
  registrationId: string,
  attempt: number,
  unit: UnitState,
): Promise<void> {
  await tx.run(
    WRITE_UNIT,
    registrationId,
    attempt,
    unit.unitId,
    unit.openedAt,
    unit.completion,
    unit.success,
    unit.score,
    unit.completedAt,
    unit.durationMs,
    unit.earlierMs,
    unit.position.page,
    unit.position.visit,
    unit.position.sequence,
    unit.data === null ? null : JSON.stringify(unit.data),
    unit.updatedAt,
  );
}

function toAttempt(row: Omit<Selectable<PlayerAttemptRow>, 'registration_id'>): Attempt {
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

function toUnit(row: UnitRow): UnitState {
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
