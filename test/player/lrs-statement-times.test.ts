import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR_MS } from '../../src/time/units.ts';
import { ManualClock } from '../support/clock.ts';
import { startTestService } from '../support/service.ts';
import { lrsClient, statement } from './lrs-helpers.ts';

describe('the times of statements', () => {
  test('keep timestamps of any precision and those of leap seconds', async () => {
    await using service = await startTestService();
    const lrs = await lrsClient(service);
    for (const timestamp of [
      '2026-11-26T18:00:00.123456789012Z',
      '2016-12-31T23:59:60Z',
      '2017-01-01T05:29:60.5+05:30',
    ]) {
      const [id] = await lrs.store(statement({ timestamp }));
      const { json } = await lrs.call('GET', 'statements', { query: { statementId: id! } });
      assert.equal(json.timestamp, timestamp);
    }
    for (const timestamp of ['2016-12-31T23:59:61Z', '2016-12-31T22:59:60Z', '2016-12-31T24:00:00Z']) {
      const { status } = await lrs.call('POST', 'statements', { body: statement({ timestamp }) });
      assert.equal(status, 400, timestamp);
    }
  });

  test('are found by clients that poll, also if the clock was set back before they were stored', async () => {
    const clock = new ManualClock();
    await using clocked = await startTestService({ now: clock.now });
    const reader = await lrsClient(clocked);
    const poll = async (since?: string) => {
      const query = { ascending: 'true', ...(since === undefined ? {} : { since }) };
      const { headers, json } = await reader.call('GET', 'statements', { query });
      return {
        ids: json.statements.map(({ id }: { id: string }) => id),
        last: json.statements.at(-1)?.stored,
        through: headers.get('x-experience-api-consistent-through')!,
      };
    };
    await reader.store(statement());
    const first = await poll();
    clock.pass(3 * HOUR_MS);
    const quiet = await poll();
    assert.deepEqual(quiet.ids, first.ids);
    clock.pass(-4 * HOUR_MS);
    const ids = [...(await reader.store(statement())), ...(await reader.store(statement()))];
    for (const since of [first.last, first.through, quiet.through])
      assert.deepEqual((await poll(since)).ids, ids, `since ${since}`);
    const { through, last } = await poll();
    assert.equal(through, last);
    assert.ok(through > quiet.through);
  });

  test('are not stored for years at the time of a wrong clock, and say by the clock when they happened', async () => {
    const clock = new ManualClock();
    await using clocked = await startTestService({ now: clock.now });
    const writer = await lrsClient(clocked);
    const store = async () => {
      const [id] = await writer.store(statement());
      const { json } = await writer.call('GET', 'statements', { query: { statementId: id! } });
      return { stored: json.stored, timestamp: json.timestamp };
    };
    clock.pass(3 * HOUR_MS);
    await store();
    clock.pass(-HOUR_MS);
    const followed = { stored: '2030-01-01T03:00:00.001Z', timestamp: '2030-01-01T02:00:00.000Z' };
    assert.deepEqual(await store(), followed);
    clock.pass(365 * 24 * HOUR_MS);
    await store();
    await writer.call('GET', 'statements');
    clock.pass(-364 * 24 * HOUR_MS);
    const right = '2030-01-02T02:00:00.000Z';
    assert.deepEqual(await store(), { stored: right, timestamp: right });
  });

  test('are all announced two seconds later, also if none was stored since', async () => {
    const clock = new ManualClock();
    await using clocked = await startTestService({ now: clock.now });
    const reader = await lrsClient(clocked);
    await reader.store(statement());
    clock.pass(HOUR_MS);
    const { headers } = await reader.call('GET', 'statements');
    assert.equal(headers.get('x-experience-api-consistent-through'), '2030-01-01T00:59:58.000Z');
  });
});
