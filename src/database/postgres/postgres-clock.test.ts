import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { HOUR_MS } from '../../time/units.ts';
import { PostgresClock } from './postgres-clock.ts';

/** Longer than any response takes that does not wait for something. */
const SLOW_MS = 300;

/** A server whose clock is ahead of this machine's, and whose responses may be late. */
function openServer() {
  const server = { aheadMs: HOUR_MS, beforeReadingMs: 0, beforeResponseMs: 0 };
  const clock = new PostgresClock(async () => {
    if (server.beforeReadingMs > 0) await wait(server.beforeReadingMs);
    const time = Date.now() + server.aheadMs;
    if (server.beforeResponseMs > 0) await wait(server.beforeResponseMs);
    return time;
  });
  const offMs = () => clock.now() - (Date.now() + server.aheadMs);
  return { server, clock, offMs, [Symbol.asyncDispose]: () => clock[Symbol.asyncDispose]() };
}

describe('the clock of a PostgreSQL server', () => {
  it('is that of this machine until the server has responded', async () => {
    await using world = openServer();
    assert.ok(Math.abs(world.clock.now() - Date.now()) < SLOW_MS);
  });

  it('is that of the server from its first response on, and follows it when it is set', async () => {
    await using world = openServer();
    await world.clock.synchronize();
    assert.ok(Math.abs(world.offMs()) < SLOW_MS, `${world.offMs()} ms off`);
    world.server.aheadMs = -HOUR_MS;
    await world.clock.synchronize();
    assert.ok(Math.abs(world.offMs()) < SLOW_MS, `${world.offMs()} ms off`);
  });

  for (const late of ['beforeReadingMs', 'beforeResponseMs'] as const) {
    it(`does not change for a late response (${late})`, async () => {
      await using world = openServer();
      await world.clock.synchronize();
      const before = world.offMs();
      world.server[late] = SLOW_MS;
      await world.clock.synchronize();
      assert.ok(Math.abs(world.offMs() - before) < SLOW_MS / 3, `moved by ${world.offMs() - before} ms`);
    });
  }

  it('reports at each response how far this machine is ahead, and the latest value to later listeners', async () => {
    await using world = openServer();
    const [first, second]: [number[], number[]] = [[], []];
    world.clock.onMeasured((aheadMs) => first.push(aheadMs));
    await world.clock.synchronize();
    world.clock.onMeasured((aheadMs) => second.push(aheadMs));
    await world.clock.synchronize();
    assert.equal(first.length, 2);
    assert.equal(second.length, 2);
    for (const aheadMs of [...first, ...second]) assert.ok(Math.abs(aheadMs + HOUR_MS) < SLOW_MS);
  });
});
