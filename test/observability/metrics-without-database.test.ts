import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startLosableDatabase } from '../support/losable-database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService, until } from '../support/service.ts';

describe('metrics without the database', () => {
  it('stay readable, only without the totals of the queue', {
    skip: !ON_POSTGRES && 'an embedded database does not stop responding',
  }, async () => {
    await using database = await startLosableDatabase();
    await using service = await startTestService({ settings: database.settings });
    const read = async () => (await fetch(`${service.url}/metrics`)).text();
    assert.match(await read(), /^coursewire_queue_depth 0$/m);
    for (const lose of ['cut', 'freeze'] as const) {
      database.proxy[lose]();
      const startedAt = performance.now();
      const text = await read();
      assert.match(text, /^coursewire_events_total\{/m, lose);
      assert.doesNotMatch(text, /^coursewire_(queue_depth|dead_letters|queue_oldest_age_seconds) /m);
      assert.ok(performance.now() - startedAt < 15_000, 'a scrape does not wait for a silent database');
      database.proxy.restore();
      await until(async () => /^coursewire_queue_depth 0$/m.test(await read()), 'the totals are back');
    }
  });
});
