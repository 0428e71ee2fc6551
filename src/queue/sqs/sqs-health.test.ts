import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recordedLogs } from '../../../test/support/logs.ts';
import { SqsHealth } from './sqs-health.ts';

describe('queues that cannot be used', () => {
  it('are logged at once, and once a minute while readiness is checked', async (test) => {
    const { logs, lines } = recordedLogs();
    const texts = () => lines.map(({ msg }) => msg);
    const health = new SqsHealth({ log: logs.for('MessageQueue'), onFailure: () => {} });
    let now = 0;
    test.mock.method(performance, 'now', () => now);

    health.forbid('the queue belongs to another installation');
    const check = () => assert.rejects(health.check(), /another installation/);
    await check();
    now = 59_000;
    await check();
    assert.deepEqual(texts(), ['the queue belongs to another installation']);
    for (now = 60_000; now <= 130_000; now += 10_000) await check();
    const still = 'the queue is still unusable: the queue belongs to another installation';
    assert.deepEqual(texts().slice(1), [still, still]);
  });
});
