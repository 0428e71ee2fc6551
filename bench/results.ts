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
  /** The CPU time of the service in µs, of all its threads; null if the system does not report it. */
  cpu_us_per_delivery: number | null;
  /** The CPU time of a post of raw undici as a share of that. */
  cpu_share_of_raw: number | null;
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

/** The rate of one kind of request to the API, in turns with a bare Fastify route that reads the same bodies. */
export interface ApiResult {
  per_second: number;
  fastify_per_second: number;
  share_of_fastify: number;
  /** The share in each turn, in order. */
  share_of_fastify_turns: number[];
  /** The CPU time of a request of the bare route as a share of the service's; null if the system does not report it. */
  cpu_share_of_fastify: number | null;
}

/** The speed of the API under one condition. */
export interface EventsResult {
  waiting: number;
  other_webhooks: number;
  published: ApiResult;
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

/** The time from `npm start` until the service is ready, with everything that the first start caches. */
export interface StartResult {
  /** The median. */
  seconds: number;
  /** The distance between the quartiles. */
  spread_seconds: number;
  /** Each start, in order. */
  starts: number[];
}

/** What a browser with an empty cache transfers until it shows a page of the admin UI. */
export interface FirstLoadResult {
  /** The most of any page. */
  requests: number;
  kilobytes: number;
  pages: Record<string, { requests: number; kilobytes: number }>;
}

/** The results of a run. Rates are per second. Values that were not measured are missing or null. */
export interface Results {
  date: string;
  seconds: number;
  machine: Machine;
  /** How busy the machine was with other work before the run: the load average of a minute. */
  load_before: number;
  database: { name: DatabaseName; about: string | null };
  queue: { name: QueueName; about: string | null };
  plan: Plan;
  /** Deliveries per second as a share of raw undici in the same run. */
  ratios: Record<RatioName, number | null>;
  /** The share of speed that is lost compared with only a hundred webhooks, in turns; at most 0 for no loss. */
  slowdowns: Record<SlowdownName, number | null>;
  deliveries: Partial<Record<ScenarioName, DeliveriesResult>>;
  events: Partial<Record<ScenarioName, EventsResult>>;
  tokens: ApiResult | null;
  player: PlayerResult | null;
  start: StartResult | null;
  first_load: FirstLoadResult | null;
  /** The peak memory of the service's processes. */
  peak_memory_mib: number | null;
  goals: Goal[];
}

/** A goal and whether it is reached; null if it was not measured. */
export interface Goal {
  /** As `--goal` names it. */
  goal: string;
  name: string;
  wanted: string;
  found: number | null;
  reached: boolean | null;
}

const RATIO_NAMES = [
  'one_webhook',
  'ten_webhooks',
  'hundred_webhooks',
  'thousand_webhooks',
  'million_waiting',
  'ten_thousand_configured',
] as const satisfies ScenarioName[];
export type RatioName = (typeof RATIO_NAMES)[number];

const SLOWDOWN_NAMES = ['million_waiting', 'ten_thousand_configured'] as const satisfies RatioName[];
export type SlowdownName = (typeof SLOWDOWN_NAMES)[number];

/** The measurements, before derived values are added. */
export type Measured = Pick<
  Results,
  'deliveries' | 'events' | 'tokens' | 'player' | 'start' | 'first_load' | 'peak_memory_mib'
>;

/** Adds the derived values to the measurements, except whether the goals are reached. */
export function toResults(
  measured: Measured,
  run: Pick<Results, 'date' | 'machine' | 'load_before' | 'database' | 'queue' | 'plan' | 'seconds'>,
): Omit<Results, 'goals'> {
  const ratios = record(RATIO_NAMES, (name) => measured.deliveries[name]?.share_of_raw ?? null);
  const slowdowns = record(SLOWDOWN_NAMES, (name) => {
    const share = measured.deliveries[name]?.share_of_base ?? null;
    return share === null ? null : 1 - share;
  });
  return { ...run, ratios, slowdowns, ...measured };
}

function record<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}
