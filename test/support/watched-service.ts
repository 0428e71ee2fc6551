import assert from 'node:assert/strict';
import { SECOND_MS } from '../../src/time/units.ts';
import type { LogLine } from './logs.ts';
import { dropDatabaseOf } from './postgres.ts';
import { slowness } from './processor-speed.ts';
import { Api, createClient, type RunningService, requestToken, temporaryFolder } from './service.ts';
import { startProcess } from './service-process.ts';

type ProcessSettings = Omit<Parameters<typeof startProcess>[0], 'data_dir'>;

/** Times up to this, in ms, are within every limit of a test, and so are not scaled by the speed of the machine. */
const WORTH_COMPARING_MS = 100;
const METRIC = 'coursewire_event_loop_busy_seconds';
const BUCKET = new RegExp(`^${METRIC}_bucket\\{le="([^"]+)"\\} (\\d+)$`, 'gm');

/** How often the loop was blocked: all checks, and those below each upper bound in seconds. */
interface BusyLooks {
  total: number;
  within: ReadonlyMap<number, number>;
}

/** A service in its own process, and the metric of its event loop. */
export interface WatchedService extends RunningService, AsyncDisposable {
  pid: number;
  logLines: readonly LogLine[];
  /**
   * Runs an action, and returns how long the service's own work blocked its event loop in the meantime. The time is the
   * upper bound of the metric's bucket, in ms, scaled to a machine of the usual speed.
   */
  busyDuring(work: () => Promise<unknown>): Promise<number>;
}

/**
 * Starts the program in its own folder.
 * @param options.dataDir the folder of an earlier start, which the caller removes with its database
 */
export async function startWatchedService(
  settings: ProcessSettings = {},
  { dataDir: given, ...options }: Parameters<typeof startProcess>[1] & { dataDir?: string } = {},
): Promise<WatchedService> {
  await using stack = new AsyncDisposableStack();
  const dataDir = given ?? stack.use(temporaryFolder()).path;
  if (given === undefined) stack.defer(() => dropDatabaseOf(dataDir));
  const { url, logLines, pid } = stack.use(await startProcess({ ...settings, data_dir: dataDir }, options));
  const { clientId, clientSecret } = await createClient(dataDir);
  const api = new Api(url, await requestToken(url, clientId, clientSecret));
  const looks = async () => readLooks((await api.get('/metrics')).body);
  const opened = stack.move();
  return {
    url,
    pid,
    api,
    logLines,
    settings: { data_dir: dataDir },
    async busyDuring(work) {
      const before = await looks();
      await work();
      const done = await looks();
      let after = done;
      // The cost of the last request is visible at the next check.
      while (after.total < done.total + 2) after = await looks();
      const busy = longestBetween(before, after) * SECOND_MS;
      // A time that is short on a slow machine is shorter on a fast one.
      return busy <= WORTH_COMPARING_MS ? busy : busy / slowness();
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function readLooks(text: string): BusyLooks {
  const within = new Map<number, number>();
  for (const [, bound = '', count] of text.matchAll(BUCKET)) {
    within.set(bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), Number(count));
  }
  const total = within.get(Number.POSITIVE_INFINITY);
  assert.ok(total !== undefined, `there is no ${METRIC}`);
  return { total, within };
}

/** The smallest upper bound, in seconds, of all checks between two readings. */
function longestBetween(before: BusyLooks, after: BusyLooks): number {
  const looks = after.total - before.total;
  for (const [bound, count] of after.within) {
    if (count - (before.within.get(bound) ?? 0) === looks) return bound;
  }
  return Number.POSITIVE_INFINITY;
}
