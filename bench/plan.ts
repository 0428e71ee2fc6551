/** The names of the scenarios, in the order in which they run. */
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
  'start',
  'first_load',
] as const;

export type ScenarioName = (typeof SCENARIO_NAMES)[number];

/** A measurement of deliveries per second. */
export interface DeliveriesPlan {
  /** The number of webhooks whose messages are delivered. */
  webhooks: number;
  /** The number of messages that wait at the start, in total. */
  messages: number;
  /** How many of these are measured. The first ones are the warm-up, and the last tenth is excluded. */
  measured: number;
  /** The number of other webhooks, which match no event. */
  otherWebhooks: number;
  /** The baseline: undici posting one message after another, or over {@link RAW_CONNECTIONS}. */
  raw: 'one-after-another' | 'together';
  /** Whether the postbacks are signed. */
  isSigned?: boolean;
  /** Whether to compare, in turns, with a service that has only the webhooks that deliver, unsigned. */
  hasBase?: boolean;
}

/** A measurement of events that are published through the API. */
export interface EventsPlan {
  /** The number of messages of blocked webhooks that wait in the meantime. */
  waiting: number;
  otherWebhooks: number;
}

/** A measurement of playing a course. */
export interface PlayerPlan {
  /** The number of files of the course, and the size of each. */
  files: number;
  fileBytes: number;
  /** How often the course is opened, from the service and from a bare server. */
  openings: number;
  /** The number of learners who commit concurrently. */
  learners: number;
  /** The number of concurrently open launches. */
  launches: number;
}

/** A measurement of starts. */
export interface StartPlan {
  /** How often the service is started, after one start that is not measured. */
  starts: number;
}

/** The scenarios. */
export interface ScenarioPlan {
  deliveries?: DeliveriesPlan;
  events?: EventsPlan;
  player?: PlayerPlan;
  start?: StartPlan;
}

/** The extent of a run. */
export interface Plan {
  name: string;
  scenarios: Partial<Record<ScenarioName, ScenarioPlan>>;
  /** The number of turns that the service and raw undici each have in a measurement of deliveries, and the length of a turn. */
  turns: number;
  turnMs: number;
  /** The rates of events at which the time from response to arrival is measured, and the duration of each. */
  offeredPerSecond: readonly number[];
  latencySeconds: readonly number[];
  latencyWarmUpSeconds: number;
  /**
   * As many events, tokens or commits as the service accepts. For events and tokens, that is divided among turns, which
   * alternate with those of a bare Fastify route.
   */
  apiSeconds: number;
  apiWarmUpSeconds: number;
  apiTurns: number;
}

/** The number of connections of raw undici, and of the API's clients. */
export const RAW_CONNECTIONS = 64;
/** The number of webhooks that share the timed events. */
export const TIMED_WEBHOOKS = 10;

const ALONE = { otherWebhooks: 0, raw: 'together' } as const;

const COURSE = { files: 200, fileBytes: 8 * 1_024, learners: 1_000 } as const;

/** Takes less than eight minutes. */
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
    start: { start: { starts: 11 } },
    first_load: {},
  },
  turns: 28,
  turnMs: 150,
  offeredPerSecond: [100, 1_000],
  latencySeconds: [6, 3],
  latencyWarmUpSeconds: 1,
  apiSeconds: 3,
  apiWarmUpSeconds: 1,
  apiTurns: 20,
};

/** Takes about a minute: fewer messages, and no backlog of a million. */
export const QUICK_PLAN: Plan = {
  name: 'quick',
  scenarios: {
    one_webhook: {
      deliveries: { ...ALONE, webhooks: 1, messages: 4_500, measured: 4_500, raw: 'one-after-another' },
    },
    ten_webhooks: { deliveries: { ...ALONE, webhooks: 10, messages: 20_000, measured: 20_000 } },
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
    start: { start: { starts: 5 } },
    first_load: {},
  },
  turns: 12,
  turnMs: 120,
  offeredPerSecond: [100, 1_000],
  latencySeconds: [3, 1],
  latencyWarmUpSeconds: 0.5,
  apiSeconds: 1.2,
  apiWarmUpSeconds: 0.5,
  apiTurns: 8,
};
