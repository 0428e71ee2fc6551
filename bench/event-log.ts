import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from './api-client.ts';
import { prepareFolder } from './prepared-folder.ts';
import { quantile } from './quantile.ts';
import { ServiceProcess } from './service-process.ts';
import { Workplace } from './workplace.ts';

/**
 * Prints what share of the CPU time of a delivery the event log takes, with one webhook and with ten. The time runs from the
 * API request that causes the event to the target's answer. Two services take turns, one of them without the log. It is
 * CPU time, since differences of a few percent disappear in rates.
 */

const WEBHOOKS = [1, 10];

const GROUPS = 100;
/** Short turns, so that both sides meet the same load of the machine. */
const TURNS = 2;
const EVENTS = 200;
const WARM_UP_TURNS = 20;
const AT_A_TIME = 8;
/** Blocks of the log are built in the background, within a second. */
const SETTLE_MS = 1_500;
const LOOK_EVERY_MS = 2;
const US_PER_MS = 1_000;
const PERCENT = 100;
/** Both sides run from sources, because the log cannot be removed from the bundle. */
const FROM_SOURCES = `--import=${new URL('from-sources.js', import.meta.url).href}`;
const WITHOUT = `--import=${new URL('without-event-log.ts', import.meta.url).href}`;

interface Side {
  name: string;
  env: Record<string, string>;
}

const SIDES: readonly Side[] = [
  { name: 'with the event log', env: { NODE_OPTIONS: FROM_SOURCES } },
  { name: 'without', env: { NODE_OPTIONS: `${FROM_SOURCES} ${WITHOUT}` } },
];

let arrived = 0;
const target = createServer((request, response) => {
  request.resume().on('end', () => {
    arrived += 1;
    response.writeHead(204).end();
  });
}).listen(0, '127.0.0.1');
await once(target, 'listening');
const targetUrl = `http://127.0.0.1:${(target.address() as AddressInfo).port}/`;

await using stack = new AsyncDisposableStack();
stack.defer(() => {
  target.close();
  target.closeAllConnections();
});
const workplace = stack.use(new Workplace());

async function start({ name, env }: Side, webhooks: number, stack: AsyncDisposableStack) {
  const folder = await prepareFolder(path.join(workplace.folder, `${name}, ${webhooks}`), {
    targetUrl,
    lines: 0,
    isSigned: false,
    otherWebhooks: 0,
    timing: { url: targetUrl, webhooks: 0, accounts: 0, creationWebhooks: webhooks },
    databaseUrl: null,
  });
  const service = stack.use(
    ServiceProcess.start(workplace, {
      dataFolder: folder.path,
      databaseUrl: null,
      queue: env,
      profileFolder: null,
    }),
  );
  const api = stack.use(new ApiClient(await service.ready(), folder));
  await api.authorize();
  let created = 0;
  return {
    name,
    /** Publishes events and waits until all are delivered. */
    turn: async (): Promise<void> => {
      const until = created + EVENTS;
      arrived = 0;
      const oneAfterAnother = async () => {
        while (created < until) await api.createAccount(`Account ${++created}`);
      };
      await Promise.all(Array.from({ length: AT_A_TIME }, oneAfterAnother));
      while (arrived < EVENTS * webhooks) await delay(LOOK_EVERY_MS);
    },
    cpuMs: (): number => {
      const used = service.threadsCpuMs();
      if (used === null) throw new Error('this system does not report CPU time');
      return used;
    },
  };
}

type RunningSide = Awaited<ReturnType<typeof start>>;

/** The CPU time of a delivery in µs, on each side, in a group of turns. */
async function measure(both: readonly RunningSide[], turns: number, webhooks: number): Promise<number[]> {
  const before = both.map((side) => side.cpuMs());
  for (let turn = 0; turn < turns; turn++)
    for (const side of turn % 2 === 0 ? both : both.toReversed()) await side.turn();
  const deliveries = turns * EVENTS * webhooks;
  return both.map((side, n) => ((side.cpuMs() - before[n]!) * US_PER_MS) / deliveries);
}

for (const webhooks of WEBHOOKS) {
  await using services = new AsyncDisposableStack();
  const both: RunningSide[] = [];
  for (const side of SIDES) both.push(await start(side, webhooks, services));
  await measure(both, WARM_UP_TURNS, webhooks);
  await delay(SETTLE_MS);
  const found: number[][] = [];
  for (let group = 0; group < GROUPS; group++) found.push(await measure(both, TURNS, webhooks));
  console.log(
    `CPU time of a delivery, each event to ${webhooks} webhooks, ${GROUPS} groups of ${TURNS * EVENTS} events:`,
  );
  // Other work on the machine only ever adds to the time, so the faster groups say most.
  for (const share of [0.1, 0.25, 0.5]) {
    const [more = 0, less = 0] = both.map((_side, n) =>
      quantile(
        found.map((times) => times[n]!),
        share,
      ),
    );
    const cost = `${(((more - less) / less) * PERCENT).toFixed(1)} %`;
    console.log(
      `quantile ${share}: ${more.toFixed(0)} µs, without the log ${less.toFixed(0)} µs: the log is ${cost}`,
    );
  }
}
