import { Evaluation, type EvaluationDependencies } from '../../src/alerts/firings/evaluation.ts';
import { type ConfiguredColumns, insertRule, readEnabledRules } from '../../src/alerts/rules/alert-store.ts';
import type { Database, Transaction } from '../../src/database/database.ts';
import type { Intervention, TroubledWebhook } from '../../src/webhooks/health/webhook-troubles.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { watchedDatabase } from '../support/watched-database.ts';
import { MINUTE } from './alert-helpers.ts';

/** The members of a transaction that run no statement. */
const NO_STATEMENT: ReadonlySet<keyof Transaction> = new Set(['dialect', 'onCommit', 'signal']);
const NEVER = new AbortController().signal;

/** The webhooks that fail, which a test sets for all instances. */
export class FakeWebhooks {
  /** The ids of those that fail. */
  failing: readonly number[] = [];
  readonly interventions = new Map<number, Intervention>();
}

/** An instance that evaluates the rules of a database when a test calls it. */
export interface EvaluatingInstance {
  evaluate(): Promise<void>;
  /** Pauses the next evaluation once it has read which webhooks fail. `wake` lets it continue. */
  freeze(): { reached: Promise<void>; wake: () => void };
}

/** A database with instances that evaluate its rules. */
export async function openEvaluations() {
  const test = await openTestDatabase();
  const { database } = test;
  const clock = new ManualClock();
  const webhooks = new FakeWebhooks();
  return {
    database,
    clock,
    webhooks,
    createRule: (changes: Partial<ConfiguredColumns> = {}) => createRule(database, clock.now(), changes),
    startInstance: (changes: Partial<EvaluationDependencies> = {}) =>
      instanceOf(database, clock, webhooks, changes),
    /** Each firing with its subject, and why it ended. */
    firings: async () =>
      await database.reader.all<{ rule_name: string; subject: string; end_reason: string | null }>(
        'select rule_name, subject, end_reason from alert_firings order by id',
      ),
    /** What was sent, in order. */
    notices: async () =>
      (await database.reader.all<{ kind: string }>('select kind from alert_notices order by id')).map(
        ({ kind }) => kind,
      ),
    [Symbol.asyncDispose]: () => test[Symbol.asyncDispose](),
  };
}

/** The same database, and how many statements it has run, in transactions or not. */
export function countStatements(database: Database): { database: Database; count: () => number } {
  let count = 0;
  const counted = watchedDatabase(database, ({ member }) => {
    if (!NO_STATEMENT.has(member)) count += 1;
  });
  return { database: counted, count: () => count };
}

/** A rule about webhooks in error for more than a minute. */
async function createRule(database: Database, now: number, changes: Partial<ConfiguredColumns>) {
  const rule: ConfiguredColumns = {
    name: 'Failing webhooks',
    enabled: 1,
    condition: 'WEBHOOK_IN_ERROR',
    minutes: 1,
    webhook_ids: null,
    email_to: '["on-call@example.com"]',
    target_format: null,
    target_origin: null,
    quiet_from: null,
    quiet_to: null,
    quiet_time_zone: null,
    active_since: now,
    ...changes,
  };
  return await database.transaction((tx) => insertRule(tx, rule, now));
}

function instanceOf(
  database: Database,
  clock: ManualClock,
  webhooks: FakeWebhooks,
  changes: Partial<EvaluationDependencies>,
): EvaluatingInstance {
  let pause = async (): Promise<void> => {};
  const evaluation = new Evaluation({
    database,
    now: clock.now,
    onNotices: () => {},
    explanationOf: async () => null,
    interventions: async (ids) => new Map([...webhooks.interventions].filter(([id]) => ids.includes(id))),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    troubles: {
      readServiceReports: async () => ({ failing: [], silent: [] }),
      webhooks: {
        failing: async () => {
          const seen = webhooks.failing.map((id) => failingWebhook(id, clock.now() - 10 * MINUTE));
          await pause();
          return seen;
        },
        waiting: async () => [],
        deadLetteredSince: async () => [],
        deadLetteredAfter: async (found) => [...found],
      },
    },
    ...changes,
  });
  return {
    evaluate: async () => await evaluation.run(await readEnabledRules(database.reader), NEVER),
    freeze() {
      const reached = Promise.withResolvers<void>();
      const awake = Promise.withResolvers<void>();
      pause = async () => {
        reached.resolve();
        await awake.promise;
      };
      return {
        reached: reached.promise,
        wake() {
          pause = async () => {};
          awake.resolve();
        },
      };
    },
  };
}

/** A webhook that has failed since a time, in epoch milliseconds. */
export function failingWebhook(id: number, since: number): TroubledWebhook {
  return {
    id,
    name: `Webhook ${id}`,
    since,
    inError: true,
    reason: '500 Internal Server Error',
    failures: 3,
    waiting: 1,
  };
}
