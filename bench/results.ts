import type { DatabaseName } from './bench-database.ts';
import type { QueueName } from './bench-queue.ts';
import type { Machine } from './machine.ts';
import type { Plan, ScenarioName } from './plan.ts';
import type { Side } from './sink-protocol.ts';

/** Deliveries a second in one scenario. */
export interface DeliveriesResult {
  webhooks: number;
  waiting: number;
  other_webhooks: number;
  per_second: number;
  raw_per_second: number;
  share_of_raw: number;
  /** Of a service on a hundred webhooks alone, in turns with this one; null where there was none. */
  base_per_second: number | null;
  share_of_base: number | null;
  /** All that the database server ran, a delivery; null where nobody counts. */
  statements_per_delivery: number | null;
  /** The rates of each turn, in order. */
  turns: Record<Side, number[]>;
}

/** From the API's answer to the arrival at the target, at a rate of events. */
export interface ArrivalResult {
  offered_per_second: number;
  /** What the API really answered; well below what was offered, the times below tell little. */
  answered_per_second: number;
  events: number;
  /** Messages that had not arrived when the measurement ended; the times below take that moment for their arrival. */
  late: number;
  p50_ms: number;
  p99_ms: number;
  max_ms: number;
}

/** The API under a condition. */
export interface EventsResult {
  waiting: number;
  other_webhooks: number;
  published_per_second: number;
  arrivals: ArrivalResult[];
}

/** All that a run of the bench found. Rates are a second; what was not measured is missing or null. */
export interface Results {
  date: string;
  seconds: number;
  machine: Machine;
  database: { name: DatabaseName; about: string | null };
  queue: { name: QueueName; about: string | null };
  plan: Plan;
  /** Deliveries a second as a share of raw undici in the same run. */
  ratios: Record<RatioName, number | null>;
  /** The share of its speed that delivering loses against a hundred webhooks alone, in turns with it; below 0: none. */
  slowdowns: Record<SlowdownName, number | null>;
  deliveries: Partial<Record<ScenarioName, DeliveriesResult>>;
  events: Partial<Record<ScenarioName, EventsResult>>;
  tokens_per_second: number | null;
  /** The most memory that any of the service's processes held. */
  peak_memory_mib: number | null;
  goals: Goal[];
}

/** What is to be reached, and whether it is; null when it was not measured. */
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

const RATIO_GOALS = { one_webhook: 0.25, hundred_webhooks: 0.3 } as const;
const SLOWDOWN_GOAL = 0.15;
const P99_GOAL_MS = 25;
const P99_GOAL_RATE = 100;
const STATEMENTS_GOAL = 1;
const MEMORY_GOAL_MIB = 250;

/** What was measured, before anything is made of it. */
export type Measured = Pick<Results, 'deliveries' | 'events' | 'tokens_per_second' | 'peak_memory_mib'>;

/** Adds what follows from the measurements. */
export function toResults(
  measured: Measured,
  run: Pick<Results, 'date' | 'machine' | 'database' | 'queue' | 'plan' | 'seconds'>,
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
    goals: goalsOf({ ...measured, database: run.database, queue: run.queue }, ratios, slowdowns),
  };
}

function goalsOf(
  measured: Measured & Pick<Results, 'database' | 'queue'>,
  ratios: Results['ratios'],
  slowdowns: Results['slowdowns'],
): Goal[] {
  const arrivals = measured.events.events?.arrivals.find((each) => each.offered_per_second === P99_GOAL_RATE);
  return [
    atLeast('share of raw, one webhook', ratios.one_webhook, RATIO_GOALS.one_webhook),
    atLeast('share of raw, 100 webhooks', ratios.hundred_webhooks, RATIO_GOALS.hundred_webhooks),
    atMost('slower with 1,000,000 waiting', slowdowns.million_waiting, SLOWDOWN_GOAL),
    atMost('slower with 10,000 webhooks configured', slowdowns.ten_thousand_configured, SLOWDOWN_GOAL),
    below(`p99 in ms at ${P99_GOAL_RATE} events/s`, arrivals?.p99_ms ?? null, P99_GOAL_MS),
    ...(measured.database.name === 'sqlite' || measured.queue.name !== 'database'
      ? []
      : [
          below(
            'statements a delivery, 100 webhooks',
            measured.deliveries.hundred_webhooks?.statements_per_delivery ?? null,
            STATEMENTS_GOAL,
          ),
        ]),
    below('peak memory in MiB', measured.peak_memory_mib, MEMORY_GOAL_MIB),
  ];
}

function atLeast(name: string, found: number | null, wanted: number): Goal {
  return { name, wanted: `at least ${wanted}`, found, reached: found === null ? null : found >= wanted };
}

function atMost(name: string, found: number | null, wanted: number): Goal {
  return { name, wanted: `at most ${wanted}`, found, reached: found === null ? null : found <= wanted };
}

function below(name: string, found: number | null, wanted: number): Goal {
  return { name, wanted: `below ${wanted}`, found, reached: found === null ? null : found < wanted };
}

function record<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}
