import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchWaits } from '../../src/delivery/wait-watch.ts';
import { HOUR_MS } from '../../src/time/units.ts';
import { openDatabaseQueue } from '../queue/database-engine.ts';
import { QueueUser } from '../queue/queue-engine.ts';
import { RunningClock } from '../support/clock.ts';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import {
  accountsOf,
  createAccounts,
  createWebhook,
  statisticsOf,
  untilLineEmpty,
} from './webhook-helpers.ts';

/** Access tokens last many times as long. */
const LONGER_THAN_A_LEASE_MS = 120_000;

describe('messages that were queued while the clock was hours fast', () => {
  it('are delivered when the service starts with the right time', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    const dataDir = folder.path;
    {
      const now = () => Date.now() + 5 * HOUR_MS;
      await using fast = await startTestService({ dataDir, now, settings: { enable_queue_polling: false } });
      await createWebhook(fast.api, target.url);
      await createAccounts(fast.api, 'a', 'b');
    }
    await using service = await startTestService({ dataDir });
    await target.waitFor(2);
    assert.deepEqual(accountsOf(target.requests), ['a', 'b']);
    assert.equal(service.logLines.filter(({ msg }) => msg.startsWith('the clock was set back')).length, 1);
  });

  it('are due soon after the clock was corrected, without a restart', async () => {
    await using engine = await openDatabaseQueue();
    const user = new QueueUser(engine);
    const warned: string[] = [];
    const log = { warn: (text: string) => void warned.push(text), info: () => {} };
    await using task = watchWaits({ queue: engine.queue, log, everyMs: 1 });
    task.start();
    await user.put(1, 'a');
    await engine.pass(-5 * HOUR_MS);
    await until(() => warned.length > 0, 'the wait has been ended');
    assert.deepEqual(await user.receiveNames(), ['a']);
  });
});

describe('a clock that is set forward during a request', () => {
  /** A webhook whose message `a` is in flight until `respond` is called, and `b` waits. */
  async function openWithRequest() {
    await using stack = new AsyncDisposableStack();
    const target = stack.use(await startTarget());
    const held: (() => void)[] = [];
    target.respondWith((exchange) => held.push(() => answer(200)(exchange)));
    const clock = new RunningClock();
    const { api, logLines } = stack.use(await startTestService({ now: clock.now }));
    const id = await createWebhook(api, target.url);
    await createAccounts(api, 'a', 'b');
    await target.waitFor(1);
    const hasWarned = () => logLines.some(({ msg }) => /webhooks that are still in flight/.test(msg));
    const opened = stack.move();
    return {
      api,
      id,
      target,
      /** Sets the clock forward so that leases appear to have ended. */
      setForward: () => {
        clock.aheadMs += LONGER_THAN_A_LEASE_MS;
      },
      untilReceived: () => until(() => hasWarned() || target.requests.length > 1, 'a head was received'),
      respond: () => {
        target.respondWith(answer(200));
        for (const respond of held) respond();
      },
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  }

  it('causes no second request of its message', async () => {
    await using test = await openWithRequest();
    test.setForward();
    await createAccounts(test.api, 'c');
    await test.untilReceived();
    assert.deepEqual(accountsOf(test.target.requests), ['a']);
    test.respond();
    await untilLineEmpty(test.api, test.id);
    assert.deepEqual(accountsOf(test.target.requests), ['a', 'b', 'c']);
    const { success_count, error_count } = await statisticsOf(test.api, test.id);
    assert.deepEqual([success_count, error_count], [3, 0]);
  });

  it('causes no request of the next message before it has ended, if its own message is skipped', async () => {
    await using test = await openWithRequest();
    await until(async () => {
      // Once more if the message was received again before it could be skipped.
      test.setForward();
      return (await test.api.post(`/webhooks/${test.id}/line/skip`)).status === 200;
    }, 'the message is skipped');
    await test.untilReceived();
    assert.deepEqual(accountsOf(test.target.requests), ['a']);
    test.respond();
    await untilLineEmpty(test.api, test.id);
    assert.deepEqual(accountsOf(test.target.requests), ['a', 'b']);
  });
});
