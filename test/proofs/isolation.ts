import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openLoop } from '../../bench/load.ts';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { askOnly, startNameServer } from '../support/name-server.ts';
import { startTarget, type Target } from '../support/target.ts';
import { endless, endlessBytes, hang, trickle } from '../support/target-behaviours.ts';
import { until } from '../support/until.ts';
import type { WatchedService } from '../support/watched-service.ts';
import { assertUndisturbed, type Companion, MOST_RUNS, measureRun, type Run } from './isolation-run.ts';
import { SwitchedAccounts } from './switched-accounts.ts';

/**
 * The targets of ten out of 100 webhooks misbehave. The other ninety get their messages as fast as without those ten.
 * The service needs no more memory, and its event loop is never blocked for long. Runs without and with the ten take turns.
 */

const WEBHOOKS = Number(process.env.ISOLATION_WEBHOOKS ?? 90);
const SECONDS = Number(process.env.ISOLATION_SECONDS ?? 20);
const PER_SECOND = 50;
const BAD_PER_SECOND = 10;
/** Targets that hang do so several times in a run. Others that waited for them would be noticed. */
const DELIVERY_TIMEOUT_SECONDS = 3;
const SETTINGS = {
  delivery_timeout: DELIVERY_TIMEOUT_SECONDS,
  retry_initial_delay: 1,
  retry_max_delay: 5,
};
const SILENT_NAMES = ['one.silent.test', 'two.silent.test'];

async function run({ isDisturbed }: { isDisturbed: boolean }): Promise<Run> {
  await using names = await startNameServer((name) => (name === '' ? ['127.0.0.1'] : 'silent'));
  await using bad = await startBadTargets();
  const measured = await measureRun({
    webhooks: WEBHOOKS,
    perSecond: PER_SECOND,
    seconds: SECONDS,
    settings: SETTINGS,
    preload: [askOnly(names.address)],
    async prepare(service, accounts) {
      await warmUp(accounts);
      return await prepareBad(service, { bad, isDisturbed });
    },
  });
  if (isDisturbed) for (const name of SILENT_NAMES) assert.ok(names.asked.includes(name), `asks for ${name}`);
  return measured;
}

/** Targets that misbehave, and the URLs of ten webhooks for them. */
interface BadTargets extends AsyncDisposable {
  urls: readonly string[];
  /** Whether each of the targets has been reached that can be. */
  areReached(): boolean;
}

async function startBadTargets(): Promise<BadTargets> {
  await using stack = new AsyncDisposableStack();
  const start = async (options?: Parameters<typeof startTarget>[0]): Promise<Target> =>
    stack.use(await startTarget(options));
  const hanging = await start({ respondWith: hang() });
  const crawling = await start({ respondWith: trickle({ intervalMs: 50 }) });
  const babbling = await start({ respondWith: endless() });
  const neverBeginning = await start({ respondWith: endlessBytes('HTTP/1.1 200 ', 'x') });
  const refusing = await start();
  await refusing.refuse();
  const reachable = [hanging, crawling, babbling, neverBeginning];
  const targets = [hanging, hanging, crawling, crawling, refusing, refusing, babbling, neverBeginning];
  const opened = stack.move();
  return {
    urls: [...targets.map(({ url }) => url), ...SILENT_NAMES.map((name) => `http://${name}/`)],
    areReached: () => reachable.every(({ requests }) => requests.length > 0),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Changes each account once, so that its webhook connects to its target before the measurement. */
async function warmUp(accounts: SwitchedAccounts): Promise<void> {
  for (let n = 0; n < accounts.count; n++) await accounts.switch(n, `warm ${n}`);
}

/** Ten more accounts, which change all the time. They have webhooks only in a disturbed run. */
async function prepareBad(
  { api }: WatchedService,
  { bad, isDisturbed }: { bad: BadTargets; isDisturbed: boolean },
): Promise<Companion> {
  const accounts = new SwitchedAccounts(api);
  for (const url of bad.urls) await accounts.add(isDisturbed ? url : null);
  await warmUp(accounts);
  if (isDisturbed) await until(() => bad.areReached(), 'the targets that misbehave are reached');
  const count = Math.ceil(SECONDS * BAD_PER_SECOND);
  let changes: Promise<unknown> = Promise.resolve();
  return {
    async begin() {
      changes = openLoop((n) => accounts.switch(n, `bad ${n}`), { perSecond: BAD_PER_SECOND, count });
      // A failure is reported at the end.
      changes.catch(() => {});
    },
    end: () => changes,
    async [Symbol.asyncDispose]() {},
  };
}

describe('ninety webhooks among a hundred', () => {
  it(
    'are not affected by ten whose targets misbehave',
    {
      timeout: MOST_RUNS * TEST_TIMEOUT_MS,
    },
    () => assertUndisturbed('ten', run),
  );
});
