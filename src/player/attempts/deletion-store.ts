import { BatchStatement } from '../../database/batch-statement.ts';
import type { Transaction } from '../../database/database.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import { keyed, type SizedRow } from '../../database/step-bytes.ts';

/** SQL for deleting what learners did in attempts, one operation per function. */

/** The key of an attempt. */
export interface AttemptKey {
  registration_id: string;
  attempt: number;
}

/** The key of a unit. */
export interface UnitKey extends AttemptKey {
  unit_id: string;
}

/** The key of a session. */
export interface SessionKey {
  registration_id: string;
  session_id: string;
}

/** The key of a value that the courses of a learner share. */
export interface ValueKey {
  registration_id: string;
  value_key: string;
}

/** Ends the attempts of registrations, so that nothing is recorded in them any longer. */
export async function endAttempts(
  tx: Transaction,
  registrationIds: readonly string[],
  now: number,
): Promise<void> {
  await tx.run(
    `update player_attempts set ended_at = ?
     where registration_id in ${idList(tx.dialect, 'text')} and ended_at is null`,
    now,
    toIdList(registrationIds),
  );
}

/** Units of registrations in any order. */
export async function selectSizedUnits(
  tx: Transaction,
  registrationIds: readonly string[],
  limit: number,
): Promise<SizedRow<UnitKey>[]> {
  return keyed(
    await tx.all<UnitKey & { size: number }>(
      `select registration_id, attempt, unit_id, coalesce(octet_length(data), 0) as size
       from player_units where registration_id in ${idList(tx.dialect, 'text')} limit ?`,
      toIdList(registrationIds),
      limit,
    ),
  );
}

const DELETE_UNIT = new BatchStatement(
  'gone',
  { registration_id: 'text', attempt: 'bigint', unit_id: 'text' },
  (gone, { using }) =>
    `delete from player_units ${using} where player_units.registration_id = ${gone.registration_id}
       and player_units.attempt = ${gone.attempt} and player_units.unit_id = ${gone.unit_id}`,
);

export async function deleteUnits(tx: Transaction, keys: readonly UnitKey[]): Promise<void> {
  await DELETE_UNIT.run(tx, keys);
}

/** Attempts of registrations that have data that their units share, in any order, with its size. */
export async function selectSizedStates(
  tx: Transaction,
  registrationIds: readonly string[],
  limit: number,
): Promise<SizedRow<AttemptKey>[]> {
  return keyed(
    await tx.all<AttemptKey & { size: number }>(
      `select registration_id, number as attempt, octet_length(state) as size from player_attempts
       where registration_id in ${idList(tx.dialect, 'text')} and state is not null limit ?`,
      toIdList(registrationIds),
      limit,
    ),
  );
}

const DELETE_STATE = new BatchStatement(
  'gone',
  { registration_id: 'text', attempt: 'bigint' },
  (gone, { from }) =>
    `update player_attempts set state = null ${from}
     where player_attempts.registration_id = ${gone.registration_id} and player_attempts.number = ${gone.attempt}`,
);

/** Deletes the data that the units of attempts share. The attempts remain, since their numbers count on. */
export async function deleteStates(tx: Transaction, keys: readonly AttemptKey[]): Promise<void> {
  await DELETE_STATE.run(tx, keys);
}

/** Sessions of registrations in any order. */
export async function selectSizedSessions(
  tx: Transaction,
  registrationIds: readonly string[],
  limit: number,
): Promise<SizedRow<SessionKey>[]> {
  return keyed(
    await tx.all<SessionKey & { size: number }>(
      `select registration_id, session_id,
         octet_length(actor) + octet_length(launch_data) + octet_length(facts) as size
       from player_sessions where registration_id in ${idList(tx.dialect, 'text')} limit ?`,
      toIdList(registrationIds),
      limit,
    ),
  );
}

export async function deleteSessions(tx: Transaction, keys: readonly SessionKey[]): Promise<void> {
  await tx.run(
    `delete from player_sessions where session_id in ${idList(tx.dialect, 'text')}`,
    toIdList(keys.map((key) => key.session_id)),
  );
}

/** Values that registrations share with other courses, in any order. */
export async function selectSizedValues(
  tx: Transaction,
  registrationIds: readonly string[],
  limit: number,
): Promise<SizedRow<ValueKey>[]> {
  return keyed(
    await tx.all<ValueKey & { size: number }>(
      `select registration_id, value_key, octet_length(value) as size
       from player_learner_values where registration_id in ${idList(tx.dialect, 'text')} limit ?`,
      toIdList(registrationIds),
      limit,
    ),
  );
}

const DELETE_VALUE = new BatchStatement(
  'gone',
  { registration_id: 'text', value_key: 'text' },
  (gone, { using }) =>
    `delete from player_learner_values ${using}
     where player_learner_values.registration_id = ${gone.registration_id}
       and player_learner_values.value_key = ${gone.value_key}`,
);

export async function deleteValues(tx: Transaction, keys: readonly ValueKey[]): Promise<void> {
  await DELETE_VALUE.run(tx, keys);
}
