/** The names of what can be measured, in the order in which it is. */
export const SCENARIO_NAMES = [
  'one_webhook',
  'ten_webhooks',
  'hundred_webhooks',
  'signed_webhooks',
  'ten_thousand_configured',
  'thousand_webhooks',
  'events',
  'hundred_thousand_waiting',
  'million_waiting',
  'tokens',
  'player',
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** A measurement of deliveries a second. */
export interface DeliveriesPlan {
  /** Webhooks whose messages are delivered. */
  webhooks: number;
  /** Messages that wait at the start, over all of them. */
  messages: number;
  /** Of these, how many are looked at; the first warm up, the last tenth runs out. */
  measured: number;
  /** Further webhooks that nothing matches. */
  otherWebhooks: number;
  /** What it is held against: undici posting one after another, or over {@link RAW_CONNECTIONS}. */
  raw: 'one-after-another' | 'together';
  /** Whether the postbacks are signed. */
  isSigned?: boolean;
  /** Whether it is also held against a service on as many unsigned webhooks with nothing else, in turns. */
  hasBase?: boolean;
}

/** A measurement of events through the API. */
export interface EventsPlan {
  /** Messages of blocked webhooks that wait meanwhile. */
  waiting: number;
  otherWebhooks: number;
}

/** A measurement of playing a course. */
export interface PlayerPlan {
  /** Files of the course, and the size of each. */
  files: number;
  fileBytes: number;
  /** How often the course is opened, of the service and of a bare server. */
  openings: number;
  /** Learners who commit at once. */
  learners: number;
  /** Launches that are open at a time. */
  launches: number;
}

/** What a scenario measures. */
export interface ScenarioPlan {
  deliveries?: DeliveriesPlan;
  events?: EventsPlan;
  player?: PlayerPlan;
}

/** How much is measured. */
export interface Plan {
  name: string;
  scenarios: Partial<Record<ScenarioName, ScenarioPlan>>;
  /** Turns that service and raw undici each have in a measurement of deliveries, and how long each turn is. */
  turns: number;
  turnMs: number;
  /** Time from the API's answer to arrival: at each of these rates, for so long. */
  offeredPerSecond: readonly number[];
  latencySeconds: readonly number[];
  latencyWarmUpSeconds: number;
  /** As many events, or tokens, as the API takes. */
  apiSeconds: number;
  apiWarmUpSeconds: number;
}

/** Connections of raw undici, and of the clients of the API. */
export const RAW_CONNECTIONS = 64;
/** Webhooks over which the events are spread whose arrival is timed. */
export const TIMED_WEBHOOKS = 10;

const ALONE = { otherWebhooks: 0, raw: 'together' } as const;

const COURSE = { files: 200, fileBytes: 8 * 1_024, learners: 1_000 } as const;

/** Within six minutes. */
export const FULL_PLAN: Plan = {
  name: 'full',
  scenarios: {
    one_webhook: {
      deliveries: {
        ...ALONE,
        webhooks: 1,
        messages: 10_000,
        measured: 10_000,
        raw: 'one-after-another',
      },
    },
    ten_webhooks: { deliveries: { ...ALONE, webhooks: 10, messages: 40_000, measured: 40_000 } },
    hundred_webhooks: {
      deliveries: { ...ALONE, webhooks: 100, messages: 80_000, measured: 80_000 },
    },
    signed_webhooks: {
      deliveries: {
        ...ALONE,
        webhooks: 100,
        messages: 80_000,
        measured: 80_000,
        isSigned: true,
        hasBase: true,
      },
    },
    ten_thousand_configured: {
      events: { waiting: 0, otherWebhooks: 10_000 },
      deliveries: {
        ...ALONE,
        webhooks: 100,
        messages: 80_000,
        measured: 80_000,
        otherWebhooks: 10_000,
        hasBase: true,
      },
    },
    thousand_webhooks: { deliveries: { ...ALONE, webhooks: 1_000, messages: 80_000, measured: 80_000 } },
    events: { events: { waiting: 0, otherWebhooks: 0 } },
    hundred_thousand_waiting: {
      events: { waiting: 100_000, otherWebhooks: 0 },
      deliveries: { ...ALONE, webhooks: 100, messages: 100_000, measured: 80_000 },
    },
    million_waiting: {
      events: { waiting: 1_000_000, otherWebhooks: 0 },
      deliveries: { ...ALONE, webhooks: 100, messages: 1_000_000, measured: 80_000, hasBase: true },
    },
    tokens: {},
    player: { player: { ...COURSE, openings: 60, launches: 10_000 } },
  },
  turns: 28,
  turnMs: 150,
  offeredPerSecond: [100, 1_000],
  latencySeconds: [6, 3],
  latencyWarmUpSeconds: 1,
  apiSeconds: 3,
  apiWarmUpSeconds: 1,
};

/** Within a minute: fewer messages, and no million of them. */
export const QUICK_PLAN: Plan = {
  name: 'quick',
  scenarios: {
    one_webhook: {
      deliveries: { ...ALONE, webhooks: 1, messages: 4_500, measured: 4_500, raw: 'one-after-another' },
    },
    hundred_webhooks: { deliveries: { ...ALONE, webhooks: 100, messages: 36_000, measured: 36_000 } },
    ten_thousand_configured: {
      deliveries: {
        ...ALONE,
        webhooks: 100,
        messages: 36_000,
        measured: 36_000,
        otherWebhooks: 10_000,
        hasBase: true,
      },
    },
    thousand_webhooks: { deliveries: { ...ALONE, webhooks: 1_000, messages: 36_000, measured: 36_000 } },
    events: { events: { waiting: 0, otherWebhooks: 0 } },
    tokens: {},
    player: { player: { ...COURSE, openings: 20, launches: 1_000 } },
  },
  turns: 12,
  turnMs: 120,
  offeredPerSecond: [100, 1_000],
  latencySeconds: [3, 1],
  latencyWarmUpSeconds: 0.5,
  apiSeconds: 1,
  apiWarmUpSeconds: 0.5,
};
