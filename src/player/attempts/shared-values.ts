import { MIB } from '../../bytes.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import {
  type LearnerValue,
  readLearnerValueSizes,
  readLearnerValues,
  type StoredValue,
  sizeOfLearnerValues,
  writeLearnerValues,
} from './learner-value-store.ts';

/** Maximum number of values that a registration shares with other courses, and that a page starts with. */
const MAX_VALUES = 5_000;
/** Their maximum size, in bytes of JSON. */
const MAX_SIZE = 8 * MIB;

/**
 * The values that the learner shares between the courses of the account, if `isWanted`, latest first. Returns at most
 * as many as a page may start with.
 */
export async function readSharedValues(
  reader: Reader,
  registrationId: string,
  isWanted: (value: Pick<LearnerValue, 'kind' | 'id'>) => boolean,
): Promise<LearnerValue[]> {
  const sizes = await readLearnerValueSizes(reader, registrationId);
  const latest = new Map(sizes.filter(isWanted).map((value) => [value.key, value]));
  const chosen: StoredValue[] = [];
  let size = 0;
  for (const value of [...latest.values()].reverse()) {
    size += value.size;
    if (size > MAX_SIZE || chosen.length >= MAX_VALUES) break;
    chosen.push(value);
  }
  return await readLearnerValues(reader, chosen);
}

/**
 * Stores values that a registration shares with other courses.
 * @throws {ProblemError} `content-too-large`
 */
export async function keepSharedValues(
  tx: Transaction,
  registrationId: string,
  values: readonly LearnerValue[],
  now: number,
): Promise<void> {
  if (values.length === 0) return;
  await writeLearnerValues(tx, registrationId, values, now);
  const { count, size } = await sizeOfLearnerValues(tx, registrationId);
  if (count > MAX_VALUES || size > MAX_SIZE) {
    throw new ProblemError(
      'content-too-large',
      `A registration shares at most ${MAX_VALUES} values of ${MAX_SIZE} bytes together with other courses`,
    );
  }
}
