import { describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { runLearners } from '../reliability/learners-run.ts';
import { seedOfRun } from '../reliability/seeded-random.ts';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { launchChromium } from '../ui/support/chromium.ts';
import { noteSkipped } from './notes.ts';
import { showTable } from './show-table.ts';

/**
 * Two hundred learners work in courses of every kind while the process is killed at random moments. Data that a course has saved
 * is there when it is opened again, and every completion arrives as one message. Some learners use a browser. Their page keeps what it cannot
 * save, and sends it once the service is back.
 */

const KILLS = Number(process.env.LEARNERS_KILLS ?? 20);
const LEARNERS = Number(process.env.LEARNERS_COUNT ?? 200);
const IN_BROWSER = Number(process.env.LEARNERS_IN_BROWSER ?? 3);
/** A kill, a start, and all learners opening their course again take a while on a slow machine. */
const MS_PER_KILL = 60_000;

/** Starts the browser of learners. Null, with a note, where none can start. */
async function startBrowser(): Promise<Browser | null> {
  try {
    // A signal ends this process, which kills the browser when it exits.
    return await launchChromium({ handleSIGHUP: false, handleSIGINT: false, handleSIGTERM: false });
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    noteSkipped(`learners in a browser. ${reason}`);
    return null;
  }
}

describe('learners whose service is killed again and again', () => {
  it('lose no saved data', { timeout: TEST_TIMEOUT_MS + KILLS * MS_PER_KILL }, async () => {
    const seed = seedOfRun();
    await using browser = await startBrowser();
    const inBrowser = browser === null ? null : { browser, learners: IN_BROWSER };
    try {
      const result = await runLearners({ seed, learners: LEARNERS, kills: KILLS, inBrowser });
      showTable([{ seed, ...result, lost: 0 }]);
    } catch (error) {
      throw new Error(`failed with --seed ${seed}`, { cause: error });
    }
  });
});
