import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { watchWaits } from '../../src/delivery/overlong-waits.ts';
import { openDatabaseQueue } from '../queue/database-engine.ts';
import { QueueUser } from '../queue/queue-engine.ts';
import { startTestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { accountsOf, createAccounts, createWebhook } from './webhook-parts.ts';

const HOUR_MS = 3_600_000;

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
    const log = { warn: (text: string) => void warned.push(text) };
    await using task = watchWaits({ queue: engine.queue, log, everyMs: 1 });
    task.start();
    await user.put(1, 'a');
    await engine.pass(-5 * HOUR_MS);
    await until(() => warned.length > 0, 'the wait has been ended');
    assert.deepEqual(await user.receiveNames(), ['a']);
  });
});
