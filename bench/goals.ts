import type { DatabaseName } from './bench-database.ts';
import type { ScenarioName } from './plan.ts';
import type { Goal, Results } from './results.ts';

/** The goals for each database; null for no goal. */
const WANTED = {
  share_one_webhook: { sqlite: 0.3, postgres: 0.07 },
  share_ten_webhooks: { sqlite: 0.33, postgres: null },
  share_hundred_webhooks: { sqlite: 0.45, postgres: 0.25 },
  one_webhook_per_second: { sqlite: null, postgres: 1_500 },
  ten_webhooks_per_second: { sqlite: null, postgres: 6_000 },
  cpu_us_per_delivery: { sqlite: 90, postgres: null },
  statements_one_webhook: { sqlite: null, postgres: 3 },
  statements_per_delivery: { sqlite: null, postgres: 1 },
  slowdown_million_waiting: { sqlite: 0.15, postgres: 0.15 },
  slowdown_ten_thousand_configured: { sqlite: 0.15, postgres: 0.15 },
  p99_ms: { sqlite: 25, postgres: 25 },
  p99_ms_at_thousand: { sqlite: 10, postgres: 50 },
  answered_at_thousand: { sqlite: 900, postgres: 900 },
  share_published: { sqlite: 0.4, postgres: null },
  published_per_second: { sqlite: null, postgres: 2_500 },
  share_tokens: { sqlite: 0.3, postgres: null },
  peak_memory_mib: { sqlite: 250, postgres: 250 },
  share_of_static: { sqlite: 0.6, postgres: 0.6 },
  commits_per_second: { sqlite: 2_500, postgres: 2_500 },
  commit_p99_ms: { sqlite: 50, postgres: 50 },
  start_seconds: { sqlite: 0.4, postgres: null },
  first_load_requests: { sqlite: 15, postgres: 15 },
  first_load_kb: { sqlite: 250, postgres: 250 },
} as const satisfies Record<string, Record<DatabaseName, number | null>>;

export type GoalName = keyof typeof WANTED;
export const GOAL_NAMES = Object.keys(WANTED) as GoalName[];

/** Only with the queue in the database, because the cost of a simulated Amazon SQS does not depend on the program. */
const NOT_WITH_SQS: ReadonlySet<GoalName> = new Set([
  'share_one_webhook',
  'share_ten_webhooks',
  'share_hundred_webhooks',
  'one_webhook_per_second',
  'ten_webhooks_per_second',
  'cpu_us_per_delivery',
  'statements_one_webhook',
  'p99_ms_at_thousand',
  'answered_at_thousand',
  'share_published',
  'published_per_second',
]);

type Judged = Omit<Results, 'goals'>;

/** How a goal is judged. */
interface Judgement {
  /** The goal as a person reads it. */
  about: string;
  limit: 'at least' | 'at most' | 'below';
  found(results: Judged): number | null | undefined;
}

const shareOfRaw = (name: ScenarioName) => (results: Judged) => results.deliveries[name]?.share_of_raw;
const perSecond = (name: ScenarioName) => (results: Judged) => results.deliveries[name]?.per_second;
const statements = (name: ScenarioName) => (results: Judged) =>
  results.deliveries[name]?.statements_per_delivery;
const arrivals = ({ events }: Judged, rate: number) =>
  events.events?.arrivals.find((each) => each.offered_per_second === rate);

const atLeast = (about: string, found: Judgement['found']): Judgement => ({
  about,
  limit: 'at least',
  found,
});
const atMost = (about: string, found: Judgement['found']): Judgement => ({ about, limit: 'at most', found });
const below = (about: string, found: Judgement['found']): Judgement => ({ about, limit: 'below', found });

const JUDGEMENTS: Record<GoalName, Judgement> = {
  share_one_webhook: atLeast('share of raw, one webhook', shareOfRaw('one_webhook')),
  share_ten_webhooks: atLeast('share of raw, ten webhooks', shareOfRaw('ten_webhooks')),
  share_hundred_webhooks: atLeast('share of raw, 100 webhooks', shareOfRaw('hundred_webhooks')),
  one_webhook_per_second: atLeast('deliveries a second, one webhook', perSecond('one_webhook')),
  ten_webhooks_per_second: atLeast('deliveries a second, ten webhooks', perSecond('ten_webhooks')),
  cpu_us_per_delivery: atMost(
    'CPU time of a delivery in µs, 100 webhooks',
    ({ deliveries }) => deliveries.hundred_webhooks?.cpu_us_per_delivery,
  ),
  statements_one_webhook: atMost('statements a delivery, one webhook', statements('one_webhook')),
  statements_per_delivery: below('statements a delivery, 100 webhooks', statements('hundred_webhooks')),
  slowdown_million_waiting: atMost(
    'slower with 1,000,000 waiting',
    ({ slowdowns }) => slowdowns.million_waiting,
  ),
  slowdown_ten_thousand_configured: atMost(
    'slower with 10,000 webhooks configured',
    ({ slowdowns }) => slowdowns.ten_thousand_configured,
  ),
  p99_ms: below('p99 in ms at 100 events/s', (results) => arrivals(results, 100)?.p99_ms),
  p99_ms_at_thousand: atMost('p99 in ms at 1,000 events/s', (results) => arrivals(results, 1_000)?.p99_ms),
  // Otherwise, the p99 would be that of a lower rate.
  answered_at_thousand: atLeast(
    'events answered a second at 1,000 events/s',
    (results) => arrivals(results, 1_000)?.answered_per_second,
  ),
  share_published: atLeast(
    'share of a bare Fastify route, events published',
    ({ events }) => events.events?.published.share_of_fastify,
  ),
  published_per_second: atLeast(
    'events published a second',
    ({ events }) => events.events?.published.per_second,
  ),
  share_tokens: atLeast(
    'share of a bare Fastify route, access tokens',
    ({ tokens }) => tokens?.share_of_fastify,
  ),
  peak_memory_mib: below('peak memory in MiB', ({ peak_memory_mib }) => peak_memory_mib),
  share_of_static: atLeast(
    'share of a static server, files of a course',
    ({ player }) => player?.share_of_static,
  ),
  commits_per_second: atLeast(
    'commits a second of 1,000 learners',
    ({ player }) => player?.commits_per_second,
  ),
  commit_p99_ms: below('p99 in ms at 1,000 commits/s', ({ player }) => player?.p99_ms),
  start_seconds: atMost('seconds until "npm start" is ready', ({ start }) => start?.seconds),
  first_load_requests: atMost(
    'requests of the first load of the UI',
    ({ first_load }) => first_load?.requests,
  ),
  first_load_kb: atMost('kB of the first load of the UI', ({ first_load }) => first_load?.kilobytes),
};

const IS_REACHED: Record<Judgement['limit'], (found: number, wanted: number) => boolean> = {
  'at least': (found, wanted) => found >= wanted,
  'at most': (found, wanted) => found <= wanted,
  below: (found, wanted) => found < wanted,
};

/** Judges results by the goals of their engines. `given` goals replace those, and apply to all engines. */
export function goalsOf(results: Judged, given: Partial<Record<GoalName, number>> = {}): Goal[] {
  const { database, queue } = results;
  return GOAL_NAMES.flatMap((name) => {
    const usual = queue.name === 'sqs' && NOT_WITH_SQS.has(name) ? null : WANTED[name][database.name];
    const wanted = given[name] ?? usual;
    if (wanted === null) return [];
    const { about, limit, found: read } = JUDGEMENTS[name];
    const found = read(results) ?? null;
    return [
      {
        goal: name,
        name: about,
        wanted: `${limit} ${wanted}`,
        found,
        reached: found === null ? null : IS_REACHED[limit](found, wanted),
      },
    ];
  });
}
