/** Options of `npm run prove` as they were given, checked. */
export interface Extent {
  seeds: string;
  seed: string | undefined;
  operations: string | undefined;
  kills: string | undefined;
  messages: string | undefined;
  minutes: string | undefined;
  rate: string | undefined;
  quick: boolean;
}

export type DatabaseName = 'sqlite' | 'postgres';

/** A proof: test files, which read their extent from the environment. */
export interface Proof {
  about: string;
  files: readonly string[];
  /** The databases that it runs on. */
  databases: readonly DatabaseName[];
  /** Databases of a quick run, unless one is requested. @defaultValue all of them */
  quickDatabases?: readonly DatabaseName[];
  /**
   * `waits`: it mostly waits for leases to end or services to recover, so a quick run runs others meanwhile.
   * `measures`: others at the same time would distort its measurements.
   */
  kind?: 'waits' | 'measures';
  environment: (extent: Extent) => NodeJS.ProcessEnv;
}

/**
 * The difference, in milliseconds, from which others count as delayed. A run of seconds on a busy machine says little
 * about shorter times.
 */
const QUICK_SLACK = { PROOF_SLACK_MS: '1000' };
const BOTH = ['sqlite', 'postgres'] as const;

/** How much longer than a request a lease lasts in a short run, in milliseconds. A machine may be busy for several seconds. */
const QUICK_LEASE = { PROOF_LEASE_MARGIN_MS: '8000' };

/** All proofs, in the order in which they run. */
export const PROOFS: Readonly<Record<string, Proof>> = {
  model: {
    about: 'random operations, kills and restarts, compared with a model of the specification',
    files: ['test/model/model.test.ts'],
    databases: BOTH,
    environment: ({ seeds, seed, operations, quick }) => ({
      ...(seed === undefined ? { MODEL_SEEDS: quick ? '1' : seeds } : { MODEL_SEED: seed }),
      MODEL_OPERATIONS: operations ?? (quick ? '20' : '200'),
    }),
  },
  crash: {
    about: 'the process killed 200 times under load: nothing lost, nothing out of order',
    files: ['test/proofs/crash.ts'],
    databases: BOTH,
    kind: 'waits',
    environment: ({ kills, quick }) => ({
      CRASH_KILLS: kills ?? (quick ? '1' : '200'),
      ...(quick ? { ...QUICK_LEASE, CRASH_CLIENTS: '6', CRASH_WEBHOOKS: '20' } : {}),
    }),
  },
  power: {
    about: 'the same, and the disk loses unsynced data at each kill: no confirmed change is lost',
    files: ['test/proofs/power.ts'],
    databases: BOTH,
    environment: ({ kills, quick }) => ({
      POWER_KILLS: kills ?? (quick ? '1' : '200'),
      ...(quick ? { POWER_CLIENTS: '6', POWER_WEBHOOKS: '20' } : {}),
    }),
  },
  instances: {
    about:
      'three instances killed, frozen and restarted in every mix of polling: nothing lost, no line is blocked',
    files: ['test/proofs/instances.ts'],
    databases: ['postgres'],
    kind: 'waits',
    environment: ({ quick }) =>
      quick
        ? {
            ...QUICK_LEASE,
            INSTANCES_MIXES: '1',
            INSTANCES_PHASE_MS: '500',
            INSTANCES_CHANGE_EVERY_MS: '400',
          }
        : {},
  },
  outage: {
    about:
      'database, disk, SQS and name servers fail and recover: nothing lost, and the log says what is wrong',
    files: ['test/proofs/outage.ts'],
    databases: BOTH,
    kind: 'waits',
    environment: ({ quick }) =>
      quick ? { ...QUICK_LEASE, OUTAGE_CALL_EVERY_MS: '150', OUTAGE_HOLD_MS: '500', OUTAGE_ONCE: '1' } : {},
  },
  learners: {
    about:
      '200 learners, three in a browser, while the process is killed: nothing saved is lost, each completion is one message',
    files: ['test/proofs/learners.ts'],
    databases: BOTH,
    environment: ({ kills, quick }) => ({
      LEARNERS_KILLS: kills ?? (quick ? '1' : '20'),
      LEARNERS_COUNT: quick ? '10' : '200',
      LEARNERS_IN_BROWSER: quick ? '1' : '3',
    }),
  },
  soak: {
    about: 'an hour of events: memory, disk and latency are as low at its end as at its beginning',
    files: ['test/proofs/soak.ts'],
    databases: BOTH,
    quickDatabases: ['sqlite'],
    environment: ({ minutes, rate, quick }) => ({
      SOAK_MINUTES: minutes ?? (quick ? '0.1' : '60'),
      SOAK_RATE: rate ?? (quick ? '80' : '300'),
      ...(quick ? QUICK_SLACK : {}),
    }),
  },
  backlog: {
    about: 'a million messages for a target that was down: delivered in order, unnoticed by others',
    files: ['test/proofs/backlog.ts'],
    databases: BOTH,
    quickDatabases: ['sqlite'],
    environment: ({ quick, messages }) => ({
      BACKLOG_MESSAGES: messages ?? (quick ? '1500' : '1000000'),
      ...(quick ? { ...QUICK_SLACK, BACKLOG_LEAST_SHARE: '0.3' } : {}),
    }),
  },
  isolation: {
    about: 'ninety webhooks are not affected by ten whose targets misbehave, or by busy and hostile clients',
    files: ['test/proofs/isolation.ts', 'test/proofs/isolation-crowd.ts'],
    databases: BOTH,
    quickDatabases: ['sqlite'],
    kind: 'measures',
    environment: ({ quick }) =>
      quick
        ? {
            ...QUICK_SLACK,
            ISOLATION_RUNS: '1',
            ISOLATION_SECONDS: '3',
            ISOLATION_WEBHOOKS: '30',
            ISOLATION_CROWD_SECONDS: '2',
            ISOLATION_CROWD_WEBHOOKS: '20',
            ISOLATION_CROWD_LEARNERS: '6',
            ISOLATION_CROWD_MANIFESTS: '2',
            ISOLATION_CROWD_WARM_UP: '50',
            ISOLATION_MEMORY_SLACK_MIB: '64',
            ISOLATION_MOST_STALL_MS: '200',
          }
        : {},
  },
};
