import type { Selectable } from 'kysely';
import type { Completion, Success } from '../../content/registrations/registration.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { PlayerAttemptRow, PlayerUnitRow } from '../../database/schema.ts';
import type { Attempt, AttemptWithState, UnitState } from './attempt.ts';

/**
 * SQL of attempts and their units, one operation per function. The statements of a save are plain SQL, because building
 * such a query takes longer than running it.
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

/** The numbers of attempts, and the size in bytes of the data that the units of each share. */
export async function readAttemptSizes(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  { order, from, limit }: { order: 'asc' | 'desc'; from: number | null; limit: number },
): Promise<{ number: number; size: number }[]> {
  const isAscending = order === 'asc';
  return await reader.all(
    'select number, coalesce(octet_length(state), 0) as size from player_attempts ' +
      `where registration_id = ? and number ${isAscending ? '>=' : '<='} ? order by number ${order} limit ?`,
    registrationId,
    from ?? (isAscending ? 0 : Number.MAX_SAFE_INTEGER),
    limit,
  );
}

/**
 * Some attempts of a registration, in no particular order.
 * @param options.withState the attempts whose shared data is read, which may be megabytes
 */
export async function readAttempts(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  { numbers, withState }: { numbers: readonly number[]; withState: readonly number[] },
): Promise<AttemptWithState[]> {
  if (numbers.length === 0) return [];
  const state =
    withState.length === 0
      ? 'null'
      : `case when number in (${withState.map(() => '?').join(', ')}) then state end`;
  const rows = await reader.all<AttemptRow & { state: string | null }>(
    `select number, version_id, page, first_page, launch_id, ${state} as state, started_at, ended_at from player_attempts ` +
      `where registration_id = ? and number in (${numbers.map(() => '?').join(', ')})`,
    ...withState,
    registrationId,
    ...numbers,
  );
  return rows.map((row) => ({ ...toAttempt(row), state: row.state === null ? null : JSON.parse(row.state) }));
}

/** The latest attempt; undefined before the first one. */
export async function readLatestAttempt(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
): Promise<Attempt | undefined> {
  const [row] = await reader.all<AttemptRow>(
    'select number, version_id, page, first_page, launch_id, started_at, ended_at from player_attempts ' +
      'where registration_id = ? order by number desc limit 1',
    registrationId,
  );
  return row && toAttempt(row);
}

/** The data that all units of an attempt share, which may be megabytes; null if there is none. */
export async function readAttemptState(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  number: number,
): Promise<unknown> {
  const [row] = await reader.all<{ state: string | null }>(
    'select state from player_attempts where registration_id = ? and number = ?',
    registrationId,
    number,
  );
  return row === undefined || row.state === null ? null : JSON.parse(row.state);
}

export async function insertAttempt(
  tx: Transaction,
  registrationId: string,
  { number, versionId, page }: Pick<Attempt, 'number' | 'versionId' | 'page'>,
  now: number,
): Promise<Attempt> {
  const row = await tx.query
    .insertInto('player_attempts')
    .values({
      registration_id: registrationId,
      number,
      version_id: versionId,
      page,
      first_page: null,
      launch_id: null,
      state: null,
      started_at: now,
      ended_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toAttempt(row);
}

/** Stores that a launch has opened another page of an attempt. */
export async function updatePage(
  tx: Transaction,
  registrationId: string,
  number: number,
  { page, firstPage, launchId }: { page: number; firstPage: number; launchId: string },
): Promise<void> {
  await tx.query
    .updateTable('player_attempts')
    .set({ page, first_page: firstPage, launch_id: launchId })
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

/** Adds to the bytes of an attempt's statements, and returns the sum. */
export async function addStatementBytes(
  tx: Transaction,
  registrationId: string,
  number: number,
  bytes: number,
): Promise<number> {
  const [row] = await tx.all<{ statement_bytes: number }>(
    'update player_attempts set statement_bytes = statement_bytes + ? where registration_id = ? and number = ? ' +
      'returning statement_bytes',
    bytes,
    registrationId,
    number,
  );
  return row?.statement_bytes ?? 0;
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
 * The units of an attempt that were opened, in the order in which they were first opened.
 * @param options.dataOf the only unit whose data is read; null for none. If missing, all data is read, which may be
 *   megabytes per unit
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

/** The size in bytes of the data of some units, in the order of {@link readUnits}. */
export async function readUnitSizes(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  attempt: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<number[]> {
  const rows = await reader.all<{ size: number }>(
    `select coalesce(octet_length(data), 0) as size ${UNITS_OF} limit ? offset ?`,
    registrationId,
    attempt,
    limit,
    offset,
  );
  return rows.map(({ size }) => size);
}

/** Some units with their data, in the order of {@link readUnits}. */
export async function readSomeUnits(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  attempt: number,
  { offset, limit }: { offset: number; limit: number },
): Promise<UnitState[]> {
  const rows = await reader.all<UnitRow>(
    `select ${UNIT_COLUMNS}, data ${UNITS_OF} limit ? offset ?`,
    registrationId,
    attempt,
    limit,
    offset,
  );
  return rows.map(toUnit);
}

type UnitRow = Omit<Selectable<PlayerUnitRow>, 'registration_id' | 'attempt'>;

/**
 * The units of an attempt without data, with {@link UnitState.isBrowsed}. Text within the data cannot match the pattern,
 * because its quotation marks are escaped.
 */
export async function readBrowsedUnits(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
  attempt: number,
): Promise<UnitState[]> {
  const rows = await reader.all<UnitRow & { browsed: number }>(
    `select ${UNIT_COLUMNS}, null as data, case when data like ? then 1 else 0 end as browsed ${UNITS_OF}`,
    '%"lesson_status":"browsed"%',
    registrationId,
    attempt,
  );
  return rows.map((row) => ({ ...toUnit(row), isBrowsed: row.browsed === 1 }));
}

/** Inserts a unit, or replaces everything except the time when it was opened. Sends its statement when it is called. */
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

type AttemptRow = Omit<Selectable<PlayerAttemptRow>, 'registration_id' | 'state' | 'statement_bytes'>;

function toAttempt(row: AttemptRow): Attempt {
  return {
    number: row.number,
    versionId: row.version_id,
    page: row.page,
    firstPage: row.first_page ?? row.page,
    launchId: row.launch_id,
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
