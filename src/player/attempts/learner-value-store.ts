import { createHash } from 'node:crypto';
import { BatchStatement } from '../../database/batch-statement.ts';
import type { Reader, Transaction } from '../../database/database.ts';

/** SQL of the values that learners share between their courses, one operation per function. */

/** A value that the courses of a learner share within an account. */
export interface LearnerValue {
  kind: 'objective' | 'store';
  id: string;
  /** As JSON. */
  value: unknown;
}

/** The location of a stored value. */
export interface StoredValue extends Pick<LearnerValue, 'kind' | 'id'> {
  /** The registration that wrote it. */
  registrationId: string;
  /** Hash of the kind and the id. */
  key: string;
  /** The size in bytes of JSON. */
  size: number;
}

/**
 * The values that the learner's registrations in the same account wrote, earliest first. The sign keeps the database from
 * searching all registrations of the account.
 */
export async function readLearnerValueSizes(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
): Promise<StoredValue[]> {
  return await reader.all<StoredValue>(
    `select kept.kind, kept.value_id as id, kept.registration_id as "registrationId", kept.value_key as key,
       octet_length(kept.value) as size
     from registrations own
     join registrations other on other.learner_id = own.learner_id and +other.account_id = own.account_id
     join player_learner_values kept on kept.registration_id = other.registration_id
     where own.registration_id = ?
     order by kept.updated_at, kept.registration_id, kept.value_key`,
    registrationId,
  );
}

const READ_VALUE = new BatchStatement(
  'place',
  { registration_id: 'text', value_key: 'text' },
  (place, { joined }) =>
    `select kind, value_id, value from ${joined} player_learner_values
     where player_learner_values.registration_id = ${place.registration_id}
     and player_learner_values.value_key = ${place.value_key}`,
);

/** The values at the given locations, in no particular order. */
export async function readLearnerValues(
  reader: Pick<Reader, 'allFor'>,
  places: readonly Pick<StoredValue, 'registrationId' | 'key'>[],
): Promise<LearnerValue[]> {
  const rows = await READ_VALUE.all<{ kind: LearnerValue['kind']; value_id: string; value: string }>(
    reader,
    places.map(({ registrationId, key }) => ({ registration_id: registrationId, value_key: key })),
  );
  return rows.map(({ kind, value_id: id, value }) => ({ kind, id, value: JSON.parse(value) }));
}

const WRITE_VALUE = new BatchStatement(
  'kept',
  {
    registration_id: 'text',
    value_key: 'text',
    kind: 'text',
    value_id: 'text',
    value: 'text',
    updated_at: 'bigint',
  },
  (kept, { from, dialect }) =>
    `insert into player_learner_values (registration_id, value_key, kind, value_id, value, updated_at)
     ${dialect === 'sqlite' ? `values (${Object.values(kept).join(', ')})` : `select ${Object.values(kept).join(', ')} ${from}`}
     on conflict (registration_id, value_key) do update set value = excluded.value, updated_at = excluded.updated_at`,
);

/** Stores values that a registration wrote. Each pair of kind and id may occur only once. */
export async function writeLearnerValues(
  tx: Transaction,
  registrationId: string,
  values: readonly LearnerValue[],
  now: number,
): Promise<void> {
  await WRITE_VALUE.run(
    tx,
    values.map(({ kind, id, value }) => ({
      registration_id: registrationId,
      value_key: keyOf({ kind, id }),
      kind,
      value_id: id,
      value: JSON.stringify(value),
      updated_at: now,
    })),
  );
}

/** The number of values that a registration wrote, and their size in bytes. */
export async function sizeOfLearnerValues(
  reader: Pick<Reader, 'all'>,
  registrationId: string,
): Promise<{ count: number; size: number }> {
  const [row] = await reader.all<{ count: number; size: number }>(
    `select count(*) as count, coalesce(sum(octet_length(value)), 0) as size
     from player_learner_values where registration_id = ?`,
    registrationId,
  );
  return { count: Number(row?.count ?? 0), size: Number(row?.size ?? 0) };
}

function keyOf({ kind, id }: { kind: string; id: string }): string {
  return createHash('sha256').update(`${kind} ${id}`).digest('hex');
}
