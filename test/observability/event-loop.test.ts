import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Api, startTestService, until } from '../support/service.ts';

// Needs a process of its own: it measures stalls of the event loop. Runs on SQLite alone: stalls do not depend on the
// database.

/** A value of `/metrics`. */
async function metric(api: Api, name: string): Promise<number> {
  const text = (await api.get('/metrics')).body as string;
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

describe('the event-loop watch', () => {
  test('shows a stall in the metrics and warns of a long one', async () => {
    await using service = await startTestService();
    const { api } = service;
    assert.ok((await metric(api, 'coursewire_event_loop_stalled_seconds_total')) >= 0);
    const end = performance.now() + 1_500;
    const { user } = process.threadCpuUsage();
    while (performance.now() < end || process.threadCpuUsage().user - user < 1_500_000);
    await until(
      async () => (await metric(api, 'coursewire_event_loop_longest_stall_seconds')) >= 1.4,
      'the stall is measured',
    );
    assert.ok((await metric(api, 'coursewire_event_loop_stalled_seconds_total')) >= 1.4);
    const within = await metric(api, 'coursewire_event_loop_busy_seconds_bucket\\{le="1"\\}');
    const looks = await metric(api, 'coursewire_event_loop_busy_seconds_count');
    assert.ok(looks > within, `the service's own work is measured: ${within} of ${looks} looks found less`);
    const [line] = service.logLines.filter(({ stall_ms }) => stall_ms !== undefined);
    assert.equal(line?.level, 'warn');
    // On a busy machine, an earlier stall may be the one that is logged: a minute has one warning at most.
    assert.ok(line.stall_ms >= 1_000, `${line.stall_ms}`);
  });
});
