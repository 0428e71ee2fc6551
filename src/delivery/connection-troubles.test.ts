import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS, SECOND_MS } from '../time/units.ts';
import { ConnectionTroubles } from './connection-troubles.ts';

/** The times of the wall clock and of the monotonic clock differ by this. */
const EPOCH = 1_800_000_000_000;

function troublesAt(clock: { ms: number }): ConnectionTroubles {
  return new ConnectionTroubles({ now: () => EPOCH + clock.ms, elapsed: () => clock.ms });
}

describe('the state in which this machine is unable to connect', () => {
  it('lasts from the first postponed message until no webhook waits for it, and has the latest reason', async () => {
    const clock = { ms: 0 };
    const troubles = troublesAt(clock);
    assert.equal(troubles.current(), null);
    await troubles.check();
    troubles.postponed(1, 'no name server responds');
    clock.ms = SECOND_MS;
    troubles.postponed(2, 'too many open files');
    clock.ms = 2 * SECOND_MS;
    troubles.postponed(1, 'no name server responds');
    const reason = 'no name server responds';
    assert.deepEqual(troubles.current(), { since: EPOCH, reason, webhooks: 2 });
    await assert.rejects(troubles.check(), {
      message: `this machine is unable to connect to targets: ${reason}`,
    });
    troubles.attempted(1);
    assert.deepEqual(troubles.current(), { since: EPOCH, reason: 'too many open files', webhooks: 1 });
    troubles.attempted(3);
    troubles.attempted(2);
    assert.equal(troubles.current(), null);
    clock.ms = 5 * SECOND_MS;
    troubles.postponed(1, reason);
    assert.equal(troubles.current()?.since, EPOCH + 5 * SECOND_MS);
  });

  it('does not last for a webhook whose messages this instance has not tried for a minute', () => {
    const clock = { ms: 0 };
    const troubles = troublesAt(clock);
    troubles.postponed(1, 'no name server responds');
    clock.ms = MINUTE_MS - 1;
    troubles.postponed(2, 'no name server responds');
    assert.equal(troubles.current()?.webhooks, 2);
    clock.ms = MINUTE_MS;
    assert.deepEqual([troubles.current()?.webhooks, troubles.current()?.since], [1, EPOCH]);
    clock.ms = 2 * MINUTE_MS;
    assert.equal(troubles.current(), null);
  });
});
