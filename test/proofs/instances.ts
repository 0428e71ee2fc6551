import { describe, it } from 'node:test';
import {
  ALL_MIXES,
  type InstancesOptions,
  type InstancesResult,
  runInstances,
} from '../reliability/instances-run.ts';
import { LEASE_MS } from '../reliability/lease.ts';
import { SeededRandom, seedOfRun } from '../reliability/seeded-random.ts';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { showTable } from './show-table.ts';

/**
 * Three instances in every mix of polling and not polling, on the database queue and on Amazon SQS, with clocks minutes apart.
 * They are killed, frozen and restarted in turns. Nothing is lost or out of order, only messages in flight are repeated,
 * and no line is blocked for longer than a lease.
 */

const MIXES = Number(process.env.INSTANCES_MIXES ?? ALL_MIXES.length);
const PHASE_MS = Number(process.env.INSTANCES_PHASE_MS ?? 5_000);
const PACE =
  process.env.INSTANCES_CHANGE_EVERY_MS === undefined
    ? {}
    : { changeEveryMs: Number(process.env.INSTANCES_CHANGE_EVERY_MS) };
const DRIVERS = ['database', 'sqs'] as const;
const TIMEOUT_MS = TEST_TIMEOUT_MS + ALL_MIXES.length * 3 * LEASE_MS;

/**
 * Mixes in a random order. The last one polls, so that all is delivered. A run of one mix has one in which two instances poll
 * and one does not.
 */
function mixesOf(seed: number): InstancesOptions['mixes'] {
  const random = new SeededRandom(seed);
  const mixes = [...ALL_MIXES]
    .map((mix) => ({ mix, place: random.next() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ mix }) => mix);
  const polling = mixes.filter((mix) => mix.filter((polls) => polls).length === 2);
  const rest = mixes.filter((mix) => mix !== polling[0]).slice(0, MIXES - 1);
  return [...rest, polling[0]!];
}

// The proofs run at the same time, because most of the time is spent waiting for leases to end.
describe('three instances of one installation', { concurrency: true }, () => {
  for (const driver of DRIVERS)
    it(`lose and reorder no messages (${driver})`, { timeout: TIMEOUT_MS }, async (t) => {
      const seed = seedOfRun();
      try {
        const result: InstancesResult = await runInstances(t, {
          seed,
          driver,
          mixes: mixesOf(seed),
          phaseMs: PHASE_MS,
          ...PACE,
        });
        showTable([{ seed, ...result, lost: 0, 'out of order': 0 }]);
      } catch (error) {
        throw new Error(`failed with --seed ${seed}`, { cause: error });
      }
    });
});
