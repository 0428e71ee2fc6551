import { describe, it } from 'node:test';
import { runCrash } from '../reliability/crash-run.ts';
import { seedOfRun } from '../reliability/seeded-random.ts';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { showTable } from './show-table.ts';

/**
 * Twenty clients change accounts, fifty webhooks deliver to targets that fail, and the process is killed at random moments.
 * Every confirmed change arrives, none out of order, and only messages in flight at a kill arrive twice.
 */

const KILLS = Number(process.env.CRASH_KILLS ?? 200);
const CLIENTS = Number(process.env.CRASH_CLIENTS ?? 20);
const WEBHOOKS = Number(process.env.CRASH_WEBHOOKS ?? 50);
/** A kill, a start and the changes between take a few seconds on a slow machine. */
const MS_PER_KILL = 20_000;

describe('a process that is killed again and again', () => {
  it('loses and reorders no messages', { timeout: TEST_TIMEOUT_MS + KILLS * MS_PER_KILL }, async () => {
    const seed = seedOfRun();
    try {
      const result = await runCrash({ seed, clients: CLIENTS, webhooks: WEBHOOKS, kills: KILLS });
      showTable([{ seed, ...result, lost: 0, 'out of order': 0 }]);
    } catch (error) {
      throw new Error(`failed with --seed ${seed}`, { cause: error });
    }
  });
});
