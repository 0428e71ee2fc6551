import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CachedReading } from './cached-reading.ts';

function watched(costMs: number) {
  let now = 0;
  let reads = 0;
  const cached = new CachedReading(
    async () => {
      reads += 1;
      now += costMs;
      return reads;
    },
    () => now,
  );
  const pass = (ms: number) => {
    now += ms;
  };
  return { cached, pass };
}

describe('a cached reading', () => {
  it('is read once for all who ask at a time, and within a second', async () => {
    const { cached, pass } = watched(0);
    assert.deepEqual(await Promise.all([cached.get(), cached.get()]), [1, 1]);
    pass(999);
    assert.equal(await cached.get(), 1);
    pass(1);
    assert.equal(await cached.get(), 2);
  });

  it('is kept twenty times as long as it took', async () => {
    const { cached, pass } = watched(100);
    await cached.get();
    pass(1_999);
    assert.equal(await cached.get(), 1);
    pass(1);
    assert.equal(await cached.get(), 2);
  });

  it('that failed is retried', async () => {
    let fails = true;
    const cached = new CachedReading(async () => {
      if (fails) throw new Error('out of order');
      return 'read';
    });
    await assert.rejects(cached.get());
    fails = false;
    assert.equal(await cached.get(), 'read');
  });
});
