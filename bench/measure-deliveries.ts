import { type BenchRun, withService } from './bench-run.ts';
import { type DeliveriesPlan, RAW_CONNECTIONS, type ScenarioName } from './plan.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import type { DeliveriesResult } from './results.ts';
import type { Comparison, Side } from './sink-protocol.ts';
import { endProcess } from './workplace.ts';

type Count = Awaited<ReturnType<BenchRun['database']['count']>>;

const MS_PER_SECOND = 1_000;
/** The share of the messages that warms up, and the share at the end that is not looked at. */
const EDGE = 0.1;
/** Posts that warm raw undici up, for each connection. */
const RAW_WARM_UP_EACH = 100;

/**
 * Deliveries a second as a share of raw undici, both posting to the same sink in turns of a fraction of a second:
 * machines are faster now and slower then, and the disk's work behind deliveries falls into the service's own turns,
 * because its commits wait for it.
 *
 * @param folder with a full queue
 */
export async function measureDeliveries(
  run: BenchRun,
  { scenario, plan, folder }: { scenario: ScenarioName; plan: DeliveriesPlan; folder: PreparedFolder },
): Promise<DeliveriesResult> {
  const connections = plan.raw === 'together' ? RAW_CONNECTIONS : 1;
  const compared = run.sink.compare({
    warmUp: { service: Math.ceil(plan.measured * EDGE), raw: RAW_WARM_UP_EACH * connections },
    turns: run.plan.turns,
    turnMs: run.plan.turnMs,
    servicePosts: Math.floor(plan.measured * (1 - EDGE)),
  });
  const raw = run.workplace.fork('raw-process.ts', [run.sink.rawUrl, String(connections)]);
  try {
    const before = await run.database.count(folder);
    const comparison = await withService(run, { scenario, folder }, () => compared);
    const after = await run.database.count(folder);
    const result = toResult(plan, comparison, statementsPerDelivery(before, after));
    const { per_second, raw_per_second, share_of_raw } = result;
    run.tell(
      `${scenario}: ${Math.round(per_second)}/s of ${Math.round(raw_per_second)}/s: ${share_of_raw.toFixed(3)}`,
    );
    return result;
  } finally {
    await endProcess(raw, 'SIGKILL');
  }
}

/** All statements of the service, those of its start among them. */
function statementsPerDelivery(before: Count, after: Count): number | null {
  if (before === null || after === null || after.deliveries === before.deliveries) return null;
  return (after.statements - before.statements) / (after.deliveries - before.deliveries);
}

function toResult(plan: DeliveriesPlan, comparison: Comparison, statements: number | null): DeliveriesResult {
  const perSecond = rateOf(comparison, 'service');
  const rawPerSecond = rateOf(comparison, 'raw');
  const turnRates = (side: Side) =>
    comparison[side].map(({ posts, ms }) => Math.round((posts * MS_PER_SECOND) / ms));
  return {
    webhooks: plan.webhooks,
    waiting: plan.messages,
    other_webhooks: plan.otherWebhooks,
    per_second: perSecond,
    raw_per_second: rawPerSecond,
    share_of_raw: perSecond / rawPerSecond,
    statements_per_delivery: statements,
    turns: { service: turnRates('service'), raw: turnRates('raw') },
  };
}

/** Over all turns, not the median of them: a turn in which the database writes back its log counts as it is. */
function rateOf(comparison: Comparison, side: Side): number {
  const posts = comparison[side].reduce((sum, turn) => sum + turn.posts, 0);
  const ms = comparison[side].reduce((sum, turn) => sum + turn.ms, 0);
  return (posts * MS_PER_SECOND) / ms;
}
