import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../src/time/units.ts';
import { freePort } from '../test/support/free-port.ts';
import type { BenchRun } from './bench-run.ts';
import type { StartPlan } from './plan.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import { interquartileRange, median } from './quantile.ts';
import type { StartResult } from './results.ts';
import { endProcess } from './workplace.ts';

const READY_PATH = '/health/ready';
const START_DEADLINE_MS = 60_000;
const STOP_DEADLINE_MS = 20_000;
/** Short compared with a start. An attempt before the service listens costs a tenth of that. */
const LOOK_EVERY_MS = 3;

/**
 * Measures how long `npm start` takes until the service says that it is ready. The start is warm: the data folder and
 * everything that the first start caches exist.
 */
export async function measureStart(
  run: BenchRun,
  { plan, folder }: { plan: StartPlan; folder: PreparedFolder },
): Promise<StartResult> {
  const env = {
    DATA_DIR: folder.path,
    PORT: String(await freePort()),
    ...(folder.databaseUrl === null ? {} : { DATABASE_URL: folder.databaseUrl }),
    ...(await run.queue.environmentFor(folder)),
  };
  const start = async (): Promise<number> => {
    const beganAt = performance.now();
    const service = run.workplace.spawnNpm(['start'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    // npm may end before the service does.
    const closed = once(service, 'close');
    try {
      await untilReady(service, `http://127.0.0.1:${env.PORT}${READY_PATH}`);
      return (performance.now() - beganAt) / SECOND_MS;
    } finally {
      await endProcess(service, 'SIGTERM', STOP_DEADLINE_MS);
      await closed;
    }
  };
  await start();
  const seconds: number[] = [];
  for (let n = 0; n < plan.starts; n++) seconds.push(await start());
  const found = { seconds: median(seconds), spread_seconds: interquartileRange(seconds), starts: seconds };
  run.report(
    `start: ready after ${found.seconds.toFixed(3)} s, spread ${found.spread_seconds.toFixed(3)} s in ${plan.starts} starts`,
  );
  return found;
}

/** Resolves when the address answers 200. @throws {Error} with the output if the process ends before that */
async function untilReady(service: ChildProcess, address: string): Promise<void> {
  let output = '';
  for (const stream of [service.stdout, service.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const end = performance.now() + START_DEADLINE_MS;
  while (service.exitCode === null && performance.now() < end) {
    if ((await statusOf(address)) === 200) return;
    await delay(LOOK_EVERY_MS);
  }
  throw new Error(`the service did not start: ${output}`);
}

/** Null if nothing listens there. */
function statusOf(address: string): Promise<number | null> {
  return new Promise((resolve) => {
    get(address, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? null);
    }).on('error', () => resolve(null));
  });
}
