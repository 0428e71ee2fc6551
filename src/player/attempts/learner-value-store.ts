import { createHash } from 'node:crypto';
import type { Reader, Transaction } from '../../database/database.ts';

/** SQL of the values that learners keep across their courses, one operation a function. */

/** A value of a learner that courses of the same account share. */
export interface LearnerValue {
  kind: 'objective' | 'store';
  id: string;
  /** As JSON. */
  value: unknown;
}

/** The values that any of a learner's registrations in the same account wrote; of each, the latest. */
export async function readLearnerValues(
  reader: Pick<Reader, 'query'>,
  registrationId: string,
): Promise<LearnerValue[]> {
  const rows = await reader.query
    .selectFrom('registrations as own')
    .innerJoin('registrations as other', (join) =>
      join.onRef('other.learner_id', '=', 'own.learner_id').onRef('other.account_id', '=', 'own.account_id'),
    )
    .innerJoin('player_learner_values', 'player_learner_values.registration_id', 'other.registration_id')
    .select(['player_learner_values.kind', 'player_learner_values.value_id', 'player_learner_values.value'])
    .where('own.registration_id', '=', registrationId)
    .orderBy('player_learner_values.updated_at')
    .orderBy('player_learner_values.registration_id')
    .orderBy('player_learner_values.value_key')
    .execute();
  const latest = new Map(rows.map((row) => [keyOf({ kind: row.kind, id: row.value_id }), row]));
  return [...latest.values()].map(({ kind, value_id: id, value }) => ({
    kind: kind as LearnerValue['kind'],
    id,
    value: JSON.parse(value),
  }));
}

/** Keeps a value that a registration wrote. */
export async function writeLearnerValue(
  tx: Transaction,
  registrationId: string,
  { kind, id, value }: LearnerValue,
  now: number,
): Promise<void> {
  const values = { value: JSON.stringify(value), updated_at: now };
  await tx.query
    .insertInto('player_learner_values')
    .values({
      registration_id: registrationId,
      value_key: keyOf({ kind, id }),
      kind,
      value_id: id,
      ...values,
    })
    .onConflict((conflict) => conflict.columns(['registration_id', 'value_key']).doUpdateSet(values))
    .execute();
}

function keyOf({ kind, id }: { kind: string; id: string }): string {
  return createHash('sha256').update(`${kind} ${id}`).digest('hex');
}
