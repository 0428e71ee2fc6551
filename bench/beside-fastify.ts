import { once } from 'node:events';
import { SECOND_MS } from '../src/time/units.ts';
import { ACCOUNTS_PATH, ApiClient, TOKEN_PATH } from './api-client.ts';
import type { BenchRun } from './bench-run.ts';
import { cpuShare, cpuSince } from './cpu-time.ts';
import type { BareRoute } from './fastify-process.ts';
import { type LoadTurn, loadTurn } from './load.ts';
import { RAW_CONNECTIONS } from './plan.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import type { ApiResult } from './results.ts';
import type { ServiceProcess } from './service-process.ts';
import { endProcess } from './workplace.ts';

/** A side is warm after this share of the warm-up as CPU time. On a busy machine, it gets up to four times as long. */
const WARM_CPU_SHARE = 0.7;
const WARM_UP_PARTS = 4;
const MAX_WARM_UP_PARTS = 16;

/** A kind of request that both the service and a bare Fastify route answer. */
export type ApiRequest = (api: ApiClient, n: number) => Promise<unknown>;

/**
 * Measures how many requests per second the API answers, as a share of the rate of a bare Fastify route that reads the
 * same body and sends a response of the same size. This process sends all of them, and the two take turns.
 */
export async function measureBesideFastify(
  run: BenchRun,
  {
    service,
    api,
    folder,
    request,
  }: { service: ServiceProcess; api: ApiClient; folder: PreparedFolder; request: ApiRequest },
): Promise<ApiResult> {
  const routes: BareRoute[] = [
    { path: ACCOUNTS_PATH, status: 201, answer: await api.createAccount('Account of the bare route') },
    { path: TOKEN_PATH, status: 200, answer: await api.requestToken() },
  ];
  const bare = run.workplace.fork('fastify-process.ts', [JSON.stringify(routes)]);
  try {
    const [origin] = (await once(bare, 'message')) as [string];
    await using bareApi = new ApiClient(origin, folder);
    await bareApi.authorize();
    let count = 0;
    const turn = async (side: ApiClient, seconds: number): Promise<LoadTurn> => {
      // Otherwise, the service would deliver the messages of its own turn during the turn of the other side.
      run.sink.letPass(side === api);
      return await loadTurn(() => request(side, ++count), { connections: RAW_CONNECTIONS, seconds });
    };
    const pids = new Map([
      [bareApi, bare.pid],
      [api, service.pid],
    ]);
    for (const [side, pid] of pids)
      await warmUp(run.plan.apiWarmUpSeconds, { pid, load: (seconds) => turn(side, seconds) });
    const cpu = cpuSince(service.pid);
    const bareCpu = cpuSince(bare.pid);
    const seconds = run.plan.apiSeconds / run.plan.apiTurns;
    const turns: { own: LoadTurn; other: LoadTurn }[] = [];
    for (let n = 0; n < run.plan.apiTurns; n++) {
      const own = await turn(api, seconds);
      turns.push({ own, other: await turn(bareApi, seconds) });
    }
    const used = { own: cpu(), other: bareCpu() };
    const requests = (side: 'own' | 'other') => turns.reduce((sum, each) => sum + each[side].requests, 0);
    const ofOne = (side: 'own' | 'other') => (used[side] === null ? null : used[side] / requests(side));
    const perSecond = rateOf(turns.map(({ own }) => own));
    const barePerSecond = rateOf(turns.map(({ other }) => other));
    return {
      per_second: perSecond,
      fastify_per_second: barePerSecond,
      share_of_fastify: perSecond / barePerSecond,
      share_of_fastify_turns: turns.map(({ own, other }) => rateOf([own]) / rateOf([other])),
      cpu_share_of_fastify: cpuShare(ofOne('other'), ofOne('own')),
    };
  } finally {
    run.sink.letPass(true);
    await endProcess(bare, 'SIGKILL');
  }
}

/**
 * Loads a side for a while, and for longer if it had little CPU time, because it becomes much faster in its first
 * requests.
 */
async function warmUp(
  seconds: number,
  { pid, load }: { pid: number | undefined; load: (seconds: number) => Promise<unknown> },
): Promise<void> {
  const cpu = cpuSince(pid);
  const isWarm = () => (cpu() ?? Number.POSITIVE_INFINITY) >= WARM_CPU_SHARE * seconds * SECOND_MS;
  for (let part = 0; part < MAX_WARM_UP_PARTS; part++) {
    if (part >= WARM_UP_PARTS && isWarm()) break;
    await load(seconds / WARM_UP_PARTS);
  }
}

/** The rate over all turns, not their median, so that a turn in which the database copies its log counts fully. */
function rateOf(turns: readonly LoadTurn[]): number {
  const answered = turns.reduce((sum, turn) => sum + turn.answered, 0);
  return (answered * SECOND_MS) / turns.reduce((sum, turn) => sum + turn.ms, 0);
}
