import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { makeDelivery } from '../support/delivery.ts';
import { startTarget } from '../support/target.ts';
import { answer, hang } from '../support/target-behaviours.ts';
import { until } from '../support/until.ts';

// Runs on SQLite alone: requests are counted in the process that sends them.

/** More than there are slots for slow requests. */
const HANGING = 1_200;
/** The most requests to one origin, with the concurrency below: its slow ones and all quick ones. */
const MOST_AT_ONCE = 64 + 4;

describe('a hanging target of far more webhooks than request slots', () => {
  it('gets only a share of the slots: others continue, and its own messages wait without losing an attempt', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    await using bad = await startTarget({ respondWith: hang() });
    await using good = await startTarget();
    await using delivery = await makeDelivery({ concurrency: 4 });
    for (let n = 0; n < HANGING; n++)
      await delivery.put(
        await delivery.addWebhook(bad.url, { maxAttempts: 1, loggingMode: 'NONE' }),
        `bad ${n}`,
      );
    delivery.worker.start();
    await until(async () => delivery.counted.postponed.length > HANGING / 2, 'most messages are postponed');

    const webhook = await delivery.addWebhook(good.url, { loggingMode: 'NONE' });
    for (const name of ['a', 'b', 'c']) {
      await delivery.put(webhook, name);
      await good.waitFor((requests) => requests.at(-1)?.text === JSON.stringify({ name }));
    }
    assert.ok(
      bad.requests.length <= MOST_AT_ONCE,
      `${bad.requests.length} requests to the target that hangs`,
    );

    bad.respondWith(answer(200));
    bad.dropConnections();
    await until(async () => delivery.counted.attempts.length === HANGING + 3, 'all messages are settled');
    const arrived = delivery.counted.attempts.filter((outcome) => outcome === 'success').length;
    assert.ok(arrived >= HANGING + 3 - MOST_AT_ONCE, `${arrived} arrived`);

    const lines = delivery.logged.map((line) => JSON.parse(line));
    assert.deepEqual(
      lines.filter((line) => 'webhook_id' in line || 'message_id' in line),
      [],
      'logging mode NONE',
    );
    assert.deepEqual(
      lines.map(({ level, origin }) => [level, origin]),
      [['warn', new URL(bad.url).origin]],
      'names the origin, once a minute',
    );
  });
});
