import type { DatabaseName } from './bench-database.ts';
import type { QueueName } from './bench-queue.ts';
import type { Machine } from './machine.ts';
import type { Plan, ScenarioName } from './plan.ts';
import type { Side } from './sink-protocol.ts';

/** Deliveries per second in one scenario. */
export interface DeliveriesResult {
  webhooks: number;
  waiting: number;
  other_webhooks: number;
  per_second: number;
  raw_per_second: number;
  share_of_raw: number;
  /** The rate of a service with only a hundred webhooks, in turns with this one; null if there was none. */
  base_per_second: number | null;
  share_of_base: number | null;
  /** Statements that the database server ran per delivery; null if they are not counted. */
  statements_per_delivery: number | null;
  /** On SQS: the rate of a bare client on the same server, and the requests that the service made to it. */
  sqs: {
    bare_per_second: number;
    share_of_bare: number;
    bare_requests_per_message: number;
    requests_per_delivery: number | null;
  } | null;
  /** The rates of each turn, in order. */
  turns: Record<Side, number[]>;
}

/** The time from the API's response to the arrival at the target, at a given rate of events. */
export interface ArrivalResult {
  offered_per_second: number;
  /** The rate that the API achieved. If it is far below the offered rate, the times below mean little. */
  answered_per_second: number;
  events: number;
  /** Messages that had not arrived when the measurement ended. The times below use its end as their arrival. */
  late: number;
  /** Requests to SQS per message; null without SQS, or if they are not counted. */
  requests_per_message: number | null;
  p50_ms: number;
  p99_ms: number;
  max_ms: number;
}

/** The speed of the API under one condition. */
export interface EventsResult {
  waiting: number;
  other_webhooks: number;
  published_per_second: number;
  arrivals: ArrivalResult[];
}

/** The performance of playing a course. */
export interface PlayerResult {
  files_per_second: number;
  /** The rate of a bare server that streams the same files, in turns with the service. */
  static_files_per_second: number;
  share_of_static: number;
  /** The rates of each opening of the course, in order. */
  share_of_static_turns: number[];
  /** The CPU time of the bare server as a share of the service's, for the same files; null if the system does not report it. */
  cpu_share_of_static: number | null;
  learners: number;
  /** The rate of all learners together. */
  commits_per_second: number;
  /** CPU time of the service. */
  cpu_ms_per_commit: number | null;
  /** The duration of a commit at 1,000 per second. */
  p50_ms: number;
  p99_ms: number;
  launches: number;
  /** The memory of the service before and after the launches were opened; null if the system does not report it. */
  memory_before_mib: number | null;
  memory_mib: number | null;
}

/** The results of a run. Rates are per second. What was not measured is missing or null. */
export interface Results {
  date: string;
  seconds: number;
  machine: Machine;
  database: { name: DatabaseName; about: string | null };
  queue: { name: QueueName; about: string | null };
  plan: Plan;
  /** Deliveries per second as a share of raw undici in the same run. */
  ratios: Record<RatioName, number | null>;
  /** The share of speed that is lost compared with only a hundred webhooks, in turns; at most 0 for no loss. */
  slowdowns: Record<SlowdownName, number | null>;
  deliveries: Partial<Record<ScenarioName, DeliveriesResult>>;
  events: Partial<Record<ScenarioName, EventsResult>>;
  tokens_per_second: number | null;
  player: PlayerResult | null;
  /** The peak memory of the service's processes. */
  peak_memory_mib: number | null;
  goals: Goal[];
}

/** A goal and whether it is reached; null if it was not measured. */
export interface Goal {
  name: string;
  wanted: string;
  found: number | null;
  reached: boolean | null;
}

export const RATIO_NAMES = [
  'one_webhook',
  'hundred_webhooks',
  'thousand_webhooks',
  'million_waiting',
  'ten_thousand_configured',
] as const satisfies ScenarioName[];
export type RatioName = (typeof RATIO_NAMES)[number];

export const SLOWDOWN_NAMES = ['million_waiting', 'ten_thousand_configured'] as const satisfies RatioName[];
export type SlowdownName = (typeof SLOWDOWN_NAMES)[number];

export const GOAL_NAMES = [
  'share_one_webhook',
  'share_hundred_webhooks',
  'slowdown_million_waiting',
  'slowdown_ten_thousand_configured',
  'p99_ms',
  'statements_per_delivery',
  'peak_memory_mib',
  'share_of_static',
  'commits_per_second',
  'commit_p99_ms',
] as const;
export type GoalName = (typeof GOAL_NAMES)[number];

const P99_GOAL_RATE = 100;
/** Null, because the cost of a simulated Amazon SQS does not depend on the program. */
const SHARE_GOALS = {
  sqlite: { share_one_webhook: 0.25, share_hundred_webhooks: 0.3 },
  postgres: { share_one_webhook: 0.07, share_hundred_webhooks: 0.1 },
  sqs: { share_one_webhook: null, share_hundred_webhooks: null },
} as const;
const OTHER_GOALS = {
  slowdown_million_waiting: 0.15,
  slowdown_ten_thousand_configured: 0.15,
  p99_ms: 25,
  statements_per_delivery: 1,
  peak_memory_mib: 250,
  share_of_static: 0.6,
  commits_per_second: 2_500,
  commit_p99_ms: 50,
} as const;

/** The measurements, before derived values are added. */
export type Measured = Pick<
  Results,
  'deliveries' | 'events' | 'tokens_per_second' | 'player' | 'peak_memory_mib'
>;

/** Adds the derived values to the measurements. */
export function toResults(
  measured: Measured,
  run: Pick<Results, 'date' | 'machine' | 'database' | 'queue' | 'plan' | 'seconds'>,
  givenGoals: Partial<Record<GoalName, number>> = {},
): Results {
  const ratioOf = (name: ScenarioName) => measured.deliveries[name]?.share_of_raw ?? null;
  const ratios = record(RATIO_NAMES, ratioOf);
  const slowdowns = record(SLOWDOWN_NAMES, (name) => {
    const share = measured.deliveries[name]?.share_of_base ?? null;
    return share === null ? null : 1 - share;
  });
  return {
    ...run,
    ratios,
    slowdowns,
    ...measured,
    goals: goalsOf(
      { ...measured, ratios, slowdowns },
      {
        ...SHARE_GOALS[run.queue.name === 'sqs' ? 'sqs' : run.database.name],
        ...OTHER_GOALS,
        ...givenGoals,
      },
    ),
  };
}

function goalsOf(
  {
    deliveries,
    events,
    player,
    peak_memory_mib,
    ratios,
    slowdowns,
  }: Measured & Pick<Results, 'ratios' | 'slowdowns'>,
  wanted: Record<GoalName, number | null>,
): Goal[] {
  const arrivals = events.events?.arrivals.find((each) => each.offered_per_second === P99_GOAL_RATE);
  const statements = deliveries.hundred_webhooks?.statements_per_delivery ?? null;
  const goals = [
    atLeast('share of raw, one webhook', ratios.one_webhook, wanted.share_one_webhook),
    atLeast('share of raw, 100 webhooks', ratios.hundred_webhooks, wanted.share_hundred_webhooks),
    atMost('slower with 1,000,000 waiting', slowdowns.million_waiting, wanted.slowdown_million_waiting),
    atMost(
      'slower with 10,000 webhooks configured',
      slowdowns.ten_thousand_configured,
      wanted.slowdown_ten_thousand_configured,
    ),
    below(`p99 in ms at ${P99_GOAL_RATE} events/s`, arrivals?.p99_ms ?? null, wanted.p99_ms),
    // Only PostgreSQL counts them.
    statements === null
      ? null
      : below('statements a delivery, 100 webhooks', statements, wanted.statements_per_delivery),
    below('peak memory in MiB', peak_memory_mib, wanted.peak_memory_mib),
    atLeast(
      'share of a static server, files of a course',
      player?.share_of_static ?? null,
      wanted.share_of_static,
    ),
    atLeast(
      'commits a second of 1,000 learners',
      player?.commits_per_second ?? null,
      wanted.commits_per_second,
    ),
    below('p99 in ms at 1,000 commits/s', player?.p99_ms ?? null, wanted.commit_p99_ms),
  ];
  return goals.filter((goal) => goal !== null);
}

function atLeast(name: string, found: number | null, wanted: number | null): Goal | null {
  if (wanted === null) return null;
  return { name, wanted: `at least ${wanted}`, found, reached: found === null ? null : found >= wanted };
}

function atMost(name: string, found: number | null, wanted: number | null): Goal | null {
  if (wanted === null) return null;
  return { name, wanted: `at most ${wanted}`, found, reached: found === null ? null : found <= wanted };
}

function below(name: string, found: number | null, wanted: number | null): Goal | null {
  if (wanted === null) return null;
  return { name, wanted: `below ${wanted}`, found, reached: found === null ? null : found < wanted };
}

function record<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}
