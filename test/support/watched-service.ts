import assert from 'node:assert/strict';
import { dropDatabaseOf } from './postgres.ts';
import { startProcess } from './process.ts';
import { slowness } from './processor-speed.ts';
import { Api, createClient, type RunningService, requestToken, temporaryFolder } from './service.ts';

type ProcessSettings = Omit<Parameters<typeof startProcess>[0], 'data_dir'>;

const MS_PER_SECOND = 1_000;
/** Up to this, in ms, it does not matter how slow the machine is. */
const WORTH_COMPARING_MS = 50;
const METRIC = 'coursewire_event_loop_busy_seconds';
const BUCKET = new RegExp(`^${METRIC}_bucket\\{le="([^"]+)"\\} (\\d+)$`, 'gm');

/** How often the loop was kept from turning: looks in all, and by upper bounds in seconds those that found less. */
interface BusyLooks {
  total: number;
  within: ReadonlyMap<number, number>;
}

/** A service in a process of its own, and what its metric says of its event loop. */
export interface WatchedService extends RunningService, AsyncDisposable {
  pid: number;
  // biome-ignore lint/suspicious/noExplicitAny: log lines of every shape.
  logLines: readonly any[];
  /**
   * Does something, and answers for how long the service's own work kept its event loop from turning meanwhile: the upper
   * bound of the metric's bucket, in ms as they would be on a machine of the usual speed.
   */
  busyDuring(work: () => Promise<unknown>): Promise<number>;
}

/**
 * Starts the program, in a folder of its own.
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
      // What the last request cost shows at the next look.
      while (after.total < done.total + 2) after = await looks();
      const busy = longestBetween(before, after) * MS_PER_SECOND;
      // What is short on a slow machine is shorter on another one.
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

/** The least upper bound, in seconds, that every look between two readings was within. */
function longestBetween(before: BusyLooks, after: BusyLooks): number {
  const looks = after.total - before.total;
  for (const [bound, count] of after.within) {
    if (count - (before.within.get(bound) ?? 0) === looks) return bound;
  }
  return Number.POSITIVE_INFINITY;
}
