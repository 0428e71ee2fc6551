import assert from 'node:assert/strict';
import { it } from 'node:test';
import { QUICK_PLAN } from '../../bench/plan.ts';
import { runBench } from '../../bench/run-bench.ts';

it('the bench measures the first load of the UI, and how long "npm start" takes', async () => {
  const { first_load, start, goals } = await runBench({
    plan: { ...QUICK_PLAN, scenarios: { start: { start: { starts: 2 } }, first_load: {} } },
    only: ['start', 'first_load'],
    profileFolder: null,
    database: { name: 'sqlite', url: null },
    queue: 'database',
    report: () => {},
  });
  assert.equal(start?.starts.length, 2);
  assert.ok(start.seconds >= Math.min(...start.starts) && start.seconds <= Math.max(...start.starts));
  assert.deepEqual(Object.keys(first_load?.pages ?? {}), ['dashboard', 'sign-in page']);
  const { requests = 0, kilobytes = 0 } = first_load?.pages.dashboard ?? {};
  assert.ok(requests >= 5 && kilobytes > 100, `${requests} requests and ${kilobytes} kB`);
  const judged = goals.flatMap(({ name, reached }) => (reached === null ? [] : [name]));
  for (const what of ['"npm start"', 'requests of the first load', 'kB of the first load'])
    assert.ok(
      judged.some((name) => name.includes(what)),
      `${what} in ${judged}`,
    );
});
