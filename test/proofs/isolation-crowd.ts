import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import type { WatchedService } from '../support/watched-service.ts';
import type { CrowdCommand, CrowdPlan } from './isolation-crowd-load.ts';
import { assertUndisturbed, type Companion, MOST_RUNS, measureRun } from './isolation-run.ts';

/**
 * The messages of ninety webhooks arrive as fast as usual while a client writes without pause, someone uploads courses with
 * hostile manifests, and fifty learners commit each second. The event loop is never blocked for long. Runs with and without
 * this crowd take turns.
 */

const WEBHOOKS = Number(process.env.ISOLATION_CROWD_WEBHOOKS ?? 90);
const LEARNERS = Number(process.env.ISOLATION_CROWD_LEARNERS ?? 50);
const SECONDS = Number(process.env.ISOLATION_CROWD_SECONDS ?? 20);
const PER_SECOND = 50;
/** A short run uploads some of the hostile manifests. The tests of attacks upload each of them. */
const MANIFESTS = Number(process.env.ISOLATION_CROWD_MANIFESTS ?? Number.POSITIVE_INFINITY);
/**
 * After this many writes, the database's page cache and V8's young generation have their full size. Otherwise, their
 * growth would be counted as the crowd's.
 */
const WRITE_WARM_UP = Number(process.env.ISOLATION_CROWD_WARM_UP ?? 10_000);

/** A short run does not fill the caches, so that their growth counts as the crowd's. */
const MEMORY_SLACK_MIB = Number(process.env.ISOLATION_MEMORY_SLACK_MIB ?? 0);

const CROWD = new URL('isolation-crowd-load.ts', import.meta.url);

/** Starts the thread of the crowd, and has it do all kinds of its work once. It works during a disturbed run only. */
async function startCrowd({ api }: WatchedService, isDisturbed: boolean): Promise<Companion> {
  const workerData: CrowdPlan = {
    url: api.url,
    token: api.token,
    learners: LEARNERS,
    manifests: MANIFESTS,
    writesBefore: WRITE_WARM_UP,
  };
  const thread = new Worker(CROWD, { workerData });
  // A command that waits gets the error of the thread.
  thread.on('error', () => {});
  const run = async (command: CrowdCommand) => {
    thread.postMessage(command);
    const [done] = await once(thread, 'message');
    assert.equal(done, command);
  };
  await using stack = new AsyncDisposableStack();
  stack.defer(async () => void (await thread.terminate()));
  await run('prepare');
  const opened = stack.move();
  return {
    begin: async () => (isDisturbed ? await run('begin') : undefined),
    end: async () => (isDisturbed ? await run('end') : undefined),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

describe('ninety webhooks on a busy service', () => {
  it(
    'are not affected by heavy writes, hostile courses and many learners',
    {
      timeout: MOST_RUNS * TEST_TIMEOUT_MS,
    },
    () =>
      assertUndisturbed(
        'crowd',
        ({ isDisturbed }) =>
          measureRun({
            webhooks: WEBHOOKS,
            perSecond: PER_SECOND,
            seconds: SECONDS,
            settings: { access_token_lifetime: 86_400 },
            prepare: (service) => startCrowd(service, isDisturbed),
          }),
        { memorySlackMib: MEMORY_SLACK_MIB },
      ),
  );
});
