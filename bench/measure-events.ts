import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../src/time/units.ts';
import { ApiClient } from './api-client.ts';
import { type BenchRun, withService } from './bench-run.ts';
import { measureBesideFastify } from './beside-fastify.ts';
import { sharedNow } from './clock.ts';
import { openLoop } from './load.ts';
import { type EventsPlan, type Plan, type ScenarioName, TIMED_WEBHOOKS } from './plan.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import { quantile } from './quantile.ts';
import type { ArrivalResult, EventsResult } from './results.ts';

/** How long to wait for arrivals after the last response, and the interval between checks. */
const ARRIVAL_DEADLINE_MS = 60_000;
const ASK_EVERY_MS = 50;
/** The rate of events during the warm-up. */
const WARM_UP_PER_SECOND = 500;

/** The number of accounts that {@link measureEvents} deactivates. Each event needs its own account. */
function accountsNeeded(plan: Plan): number {
  const events = plan.offeredPerSecond.map((rate, n) => Math.ceil(rate * (plan.latencySeconds[n] ?? 0)));
  return warmUpEvents(plan) + events.reduce((sum, each) => sum + each, 0);
}

/**
 * Measures two things: the time from the API's response to the arrival of the message, if each event matches one of ten
 * webhooks; and how many events per second the API accepts, if each matches one webhook.
 */
export async function measureEvents(
  run: BenchRun,
  { scenario, plan, folder }: { scenario: ScenarioName; plan: EventsPlan; folder: PreparedFolder },
): Promise<EventsResult> {
  return await withService(run, { scenario, folder }, async (service) => {
    await using api = new ApiClient(await service.ready(), folder);
    await api.authorize();
    const accountIds = [...folder.accountIds];
    const warmUp = accountIds.splice(0, warmUpEvents(run.plan));
    await measureArrivals(run, api, { perSecond: WARM_UP_PER_SECOND, accountIds: warmUp });
    const arrivals: ArrivalResult[] = [];
    for (const [n, perSecond] of run.plan.offeredPerSecond.entries()) {
      const count = Math.ceil(perSecond * (run.plan.latencySeconds[n] ?? 0));
      const found = await measureArrivals(run, api, { perSecond, accountIds: accountIds.splice(0, count) });
      const requests =
        found.requests_per_message === null
          ? ''
          : `, ${found.requests_per_message.toFixed(2)} requests to SQS a message`;
      run.report(
        `${scenario}: at ${perSecond} events/s p50 ${found.p50_ms} ms, p99 ${found.p99_ms} ms${requests}`,
      );
      arrivals.push(found);
    }
    const published = await measureBesideFastify(run, {
      service,
      api,
      folder,
      request: (side, n) => side.createAccount(`New account ${n}`),
    });
    run.report(
      `${scenario}: ${Math.round(published.per_second)} events/s published, ${published.share_of_fastify.toFixed(3)} of a bare Fastify route`,
    );
    return {
      waiting: plan.waiting,
      other_webhooks: plan.otherWebhooks,
      published,
      arrivals,
    };
  });
}

async function measureArrivals(
  run: BenchRun,
  api: ApiClient,
  { perSecond, accountIds }: { perSecond: number; accountIds: readonly number[] },
): Promise<ArrivalResult> {
  const answeredAt = new Map<number, number>();
  const requestsBefore = await run.queue.requests();
  const beganAt = sharedNow();
  await openLoop(
    async (n) => {
      const id = accountIds[n]!;
      await api.deactivateAccount(id);
      answeredAt.set(id, sharedNow());
    },
    { perSecond, count: accountIds.length },
  );
  const tookMs = sharedNow() - beganAt;
  const arrivedAt = await arrivalsOf(run, new Set(accountIds));
  const now = sharedNow();
  const requests = await run.queue.requests();
  // A message may arrive before the API's response. If so, it took no time.
  const times = accountIds.map((id) => Math.max(0, (arrivedAt.get(id) ?? now) - answeredAt.get(id)!));
  return {
    offered_per_second: perSecond,
    answered_per_second: Math.round((accountIds.length * SECOND_MS) / tookMs),
    events: accountIds.length,
    requests_per_message:
      requestsBefore === null || requests === null ? null : (requests - requestsBefore) / accountIds.length,
    late: accountIds.length - arrivedAt.size,
    p50_ms: toHundredths(quantile(times, 0.5)),
    p99_ms: toHundredths(quantile(times, 0.99)),
    max_ms: toHundredths(quantile(times, 1)),
  };
}

/** The arrival times, without those of messages that missed the deadline. */
async function arrivalsOf(run: BenchRun, accountIds: ReadonlySet<number>): Promise<Map<number, number>> {
  const arrivedAt = new Map<number, number>();
  const end = performance.now() + ARRIVAL_DEADLINE_MS;
  while (performance.now() < end) {
    for (const [id, at] of await run.sink.takeArrivals()) {
      if (accountIds.has(id) && !arrivedAt.has(id)) arrivedAt.set(id, at);
    }
    if (arrivedAt.size === accountIds.size) break;
    await delay(ASK_EVERY_MS);
  }
  return arrivedAt;
}

function warmUpEvents(plan: Plan): number {
  return Math.ceil(WARM_UP_PER_SECOND * plan.latencyWarmUpSeconds);
}

function toHundredths(ms: number): number {
  return Math.round(ms * 100) / 100;
}

/** The parts of the prepared folder that {@link measureEvents} uses to time arrivals. */
export function timingOf(run: BenchRun): { url: string; webhooks: number; accounts: number } {
  return { url: run.sink.timedUrl, webhooks: TIMED_WEBHOOKS, accounts: accountsNeeded(run.plan) };
}
