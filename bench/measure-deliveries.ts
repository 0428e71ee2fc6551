import { SECOND_MS } from '../src/time/units.ts';
import { type BenchRun, withService } from './bench-run.ts';
import { cpuShare, cpuSince } from './cpu-time.ts';
import { type DeliveriesPlan, RAW_CONNECTIONS, type ScenarioName } from './plan.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import type { DeliveriesResult } from './results.ts';
import type { Comparison, Side } from './sink-protocol.ts';
import { endProcess } from './workplace.ts';

type CpuResult = Pick<DeliveriesResult, 'cpu_us_per_delivery' | 'cpu_share_of_raw'>;
type Count = Awaited<ReturnType<BenchRun['database']['count']>>;

const US_PER_MS = 1_000;
/** The share of messages at the end that are not measured. */
const EDGE = 0.1;
/** The number of posts that warm up each side: about one second of posts, during which both become much faster. */
const RAW_WARM_UP = { together: 25_000, 'one-after-another': 5_000 } as const;
const SERVICE_WARM_UP = { together: 8_000, 'one-after-another': 1_000 } as const;
/** The maximum share of its messages with which the service warms up. */
const MAX_WARM_UP_SHARE = 0.25;

/**
 * Measures deliveries per second as a share of raw undici, and of another service if one is given. All of them post to
 * the same sink in turns of a fraction of a second, because the speed of a machine varies. Each turn contains the disk
 * writes of its own deliveries, because commits wait for them.
 *
 * @param folder with a full queue
 * @param base the folder of the other service, also with a full queue; null for none
 */
export async function measureDeliveries(
  run: BenchRun,
  {
    scenario,
    plan,
    folder,
    base,
  }: { scenario: ScenarioName; plan: DeliveriesPlan; folder: PreparedFolder; base: PreparedFolder | null },
): Promise<DeliveriesResult> {
  const connections = plan.raw === 'together' ? RAW_CONNECTIONS : 1;
  const warmUp = Math.min(SERVICE_WARM_UP[plan.raw], Math.ceil(plan.measured * MAX_WARM_UP_SHARE));
  const warm = Promise.withResolvers<void>();
  const compared = run.sink.compare(
    {
      warmUp: { service: warmUp, raw: RAW_WARM_UP[plan.raw], ...(base === null ? {} : { base: warmUp }) },
      turns: run.plan.turns,
      turnMs: run.plan.turnMs,
      servicePosts: Math.floor(plan.measured * (1 - EDGE)),
    },
    warm.resolve,
  );
  const raw = run.workplace.fork('raw-process.ts', [run.sink.urlOf('raw'), String(connections)]);
  try {
    const before = await run.database.count(folder);
    const requestsBefore = await run.queue.requests();
    const deliveredBefore = await run.database.delivered(folder);
    const measure = () =>
      withService(run, { scenario, folder }, async (service) => {
        await Promise.race([warm.promise, compared]);
        const cpu = { service: cpuSince(service.pid), raw: cpuSince(raw.pid) };
        const comparison = await compared;
        const used = { service: cpu.service(), raw: cpu.raw() };
        // It finishes its requests before it stops.
        run.sink.letPass(true);
        return { comparison, used };
      });
    const { comparison, used } =
      base === null ? await measure() : await withService(run, { scenario, folder: base }, measure);
    const after = await run.database.count(folder);
    const requests = (await run.queue.requests()) ?? 0;
    const delivered = (await run.database.delivered(folder)) - deliveredBefore;
    await endProcess(raw, 'SIGKILL');
    const bare = await run.queue.runBareClient(plan.webhooks, run.sink.urlOf('raw'));
    const rates = toResult(plan, comparison, statementsPerDelivery(before, after));
    const result: DeliveriesResult = {
      ...rates,
      ...cpuOf(comparison, used),
      sqs:
        bare === null
          ? null
          : {
              bare_per_second: bare.perSecond,
              share_of_bare: rates.per_second / bare.perSecond,
              bare_requests_per_message: bare.requestsPerMessage,
              requests_per_delivery:
                requestsBefore === null ? null : (requests - requestsBefore) / Math.max(1, delivered),
            },
    };
    report(run, scenario, result);
    return result;
  } finally {
    await endProcess(raw, 'SIGKILL');
  }
}

function report(
  run: BenchRun,
  scenario: ScenarioName,
  { per_second, raw_per_second, share_of_raw, base_per_second, cpu_us_per_delivery, sqs }: DeliveriesResult,
): void {
  const beside = base_per_second === null ? '' : `, beside ${Math.round(base_per_second)}/s`;
  const cpu = cpu_us_per_delivery === null ? '' : `, ${Math.round(cpu_us_per_delivery)} µs of CPU time each`;
  run.report(
    `${scenario}: ${Math.round(per_second)}/s of ${Math.round(raw_per_second)}/s: ${share_of_raw.toFixed(3)}${beside}${cpu}`,
  );
  if (sqs === null) return;
  const { bare_per_second, share_of_bare, requests_per_delivery } = sqs;
  run.report(
    `${scenario}: ${share_of_bare.toFixed(3)} of a bare client (${Math.round(bare_per_second)}/s), ` +
      `${requests_per_delivery?.toFixed(3) ?? 'unknown'} requests a delivery`,
  );
}

/** All statements of the service, including those of its startup. */
function statementsPerDelivery(before: Count, after: Count): number | null {
  if (before === null || after === null || after.deliveries === before.deliveries) return null;
  return (after.statements - before.statements) / (after.deliveries - before.deliveries);
}

/** The CPU time of a delivery, compared with that of a post of raw undici. */
function cpuOf({ posts }: Comparison, { service, raw }: Record<'service' | 'raw', number | null>): CpuResult {
  const ofOne = (ms: number | null, count: number) => (ms === null ? null : (ms * US_PER_MS) / count);
  const own = ofOne(service, posts.service);
  return { cpu_us_per_delivery: own, cpu_share_of_raw: cpuShare(ofOne(raw, posts.raw), own) };
}

function toResult(
  plan: DeliveriesPlan,
  comparison: Comparison,
  statements: number | null,
): Omit<DeliveriesResult, 'sqs' | keyof CpuResult> {
  const perSecond = rateOf(comparison, 'service');
  const rawPerSecond = rateOf(comparison, 'raw');
  const basePerSecond = comparison.turns.base.length === 0 ? null : rateOf(comparison, 'base');
  const turnRates = (side: Side) =>
    comparison.turns[side].map(({ posts, ms }) => Math.round((posts * SECOND_MS) / ms));
  return {
    webhooks: plan.webhooks,
    waiting: plan.messages,
    other_webhooks: plan.otherWebhooks,
    per_second: perSecond,
    raw_per_second: rawPerSecond,
    share_of_raw: perSecond / rawPerSecond,
    base_per_second: basePerSecond,
    share_of_base: basePerSecond === null ? null : perSecond / basePerSecond,
    statements_per_delivery: statements,
    turns: { service: turnRates('service'), raw: turnRates('raw'), base: turnRates('base') },
  };
}

/** The rate over all turns, not their median, so that a turn in which the database copies its log counts fully. */
function rateOf({ turns }: Comparison, side: Side): number {
  const posts = turns[side].reduce((sum, turn) => sum + turn.posts, 0);
  const ms = turns[side].reduce((sum, turn) => sum + turn.ms, 0);
  return (posts * SECOND_MS) / ms;
}
