import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import type { ManualClock } from '../support/clock.ts';
import { MINUTE } from './alert-helpers.ts';
import {
  countStatements,
  type EvaluatingInstance,
  failingWebhook,
  openEvaluations,
} from './evaluation-helpers.ts';

const HOUR = 60 * MINUTE;

/** Evaluates on an instance that is frozen, once it has read which webhooks fail, while something else happens. */
async function evaluateAround(frozen: EvaluatingInstance, meanwhile: () => Promise<void>): Promise<void> {
  const { reached, wake } = frozen.freeze();
  const evaluation = frozen.evaluate();
  await reached;
  await meanwhile();
  wake();
  await evaluation;
}

describe('an instance that was frozen after it read which webhooks fail', () => {
  it('does not begin an alert again that another instance has ended', async () => {
    await using alerts = await openEvaluations();
    const { clock, webhooks } = alerts;
    await alerts.createRule();
    const [frozen, other] = [alerts.startInstance(), alerts.startInstance()];
    webhooks.failing = [7];
    await other.evaluate();
    await evaluateAround(frozen, async () => {
      webhooks.failing = [];
      await other.evaluate();
      clock.pass(5 * MINUTE);
      await other.evaluate();
    });
    assert.deepEqual(await alerts.notices(), ['BEGAN', 'ENDED']);
  });

  it('does not begin an alert again that ended at the same time because someone paused the webhook', async () => {
    await using alerts = await openEvaluations();
    const { webhooks } = alerts;
    await alerts.createRule();
    const [frozen, other] = [alerts.startInstance(), alerts.startInstance()];
    webhooks.failing = [7];
    await other.evaluate();
    await evaluateAround(frozen, async () => {
      webhooks.failing = [];
      webhooks.interventions.set(7, 'PAUSED');
      await other.evaluate();
    });
    assert.deepEqual(
      (await alerts.firings()).map(({ end_reason }) => end_reason),
      ['PAUSED'],
    );
  });

  it('does not begin an alert that began and ended in the meantime', async () => {
    await using alerts = await openEvaluations();
    const { webhooks } = alerts;
    await alerts.createRule();
    const [frozen, other] = [alerts.startInstance(), alerts.startInstance()];
    webhooks.failing = [7];
    await evaluateAround(frozen, async () => {
      await other.evaluate();
      webhooks.failing = [];
      webhooks.interventions.set(7, 'DELETED');
      await other.evaluate();
    });
    assert.deepEqual(
      (await alerts.firings()).map(({ end_reason }) => end_reason),
      ['DELETED'],
    );
  });

  it('does not clear an alert that began in the meantime', async () => {
    await using alerts = await openEvaluations();
    const { webhooks } = alerts;
    await alerts.createRule();
    const [frozen, other] = [alerts.startInstance(), alerts.startInstance()];
    webhooks.failing = [7];
    await other.evaluate();
    webhooks.failing = [];
    await evaluateAround(frozen, async () => {
      webhooks.failing = [7, 8];
      await other.evaluate();
    });
    const cleared = await alerts.database.reader.all(
      'select subject from alert_firings where cleared_at is not null',
    );
    assert.deepEqual(cleared, []);
  });

  it('does not begin an alert about what it read minutes ago, and logs it', async () => {
    await using alerts = await openEvaluations();
    const { clock, webhooks } = alerts;
    const rule = await alerts.createRule();
    const lines: unknown[] = [];
    const warn = (_: string, fields?: Record<string, unknown>) => void lines.push(fields);
    const frozen = alerts.startInstance({ log: { info: () => {}, warn, error: () => {} } });
    webhooks.failing = [7];
    await evaluateAround(frozen, async () => {
      webhooks.failing = [];
      clock.pass(2 * MINUTE);
    });
    assert.deepEqual(await alerts.firings(), []);
    assert.deepEqual(lines, [{ alert_id: rule, alert: 'Failing webhooks', seconds: 120 }]);
  });

  it('does not begin an alert of a rule that was disabled in the meantime: nobody would end it', async () => {
    await using alerts = await openEvaluations();
    const { database, webhooks } = alerts;
    const rule = await alerts.createRule();
    webhooks.failing = [7];
    await evaluateAround(alerts.startInstance(), async () => {
      await database.transaction((tx) =>
        tx.run('update alert_rules set enabled = 0, revision = revision + 1 where id = ?', rule),
      );
    });
    assert.deepEqual(await alerts.firings(), []);
    assert.deepEqual(await alerts.notices(), []);
  });

  it('still evaluates the other rules, with what is true now', async () => {
    await using alerts = await openEvaluations();
    const { clock, webhooks } = alerts;
    await alerts.createRule({ name: 'First' });
    await alerts.createRule({ name: 'Second' });
    const frozen = alerts.startInstance();
    webhooks.failing = [7];
    await evaluateAround(frozen, async () => {
      webhooks.failing = [8];
      clock.pass(2 * MINUTE);
    });
    const first = (await alerts.firings()).map(({ rule_name, subject }) => [rule_name, subject]);
    assert.deepEqual(first, [['Second', 'webhook:8']]);
    await frozen.evaluate();
    const all = (await alerts.firings()).map(({ rule_name, subject }) => [rule_name, subject]);
    assert.deepEqual(all, [
      ['Second', 'webhook:8'],
      ['First', 'webhook:8'],
    ]);
  });
});

/** The number of statements to begin, clear, continue, clear, and end alerts about this many webhooks. */
async function statementsFor(webhookCount: number): Promise<number[]> {
  await using alerts = await openEvaluations();
  const { clock, webhooks } = alerts;
  await alerts.createRule();
  const { database, count } = countStatements(alerts.database);
  const instance = alerts.startInstance({ database });
  const all = Array.from({ length: webhookCount }, (_, place) => place + 1);
  const counts: number[] = [];
  const evaluateWith = async (failing: number[]) => {
    const before = count();
    webhooks.failing = failing;
    await instance.evaluate();
    counts.push(count() - before);
    clock.pass(5 * MINUTE);
  };
  await evaluateWith(all);
  await evaluateWith([]);
  await evaluateWith(all);
  await evaluateWith([]);
  await evaluateWith([]);
  const ends = (await alerts.firings()).map(({ end_reason }) => end_reason);
  assert.deepEqual(
    ends,
    all.map(() => 'RESOLVED'),
  );
  return counts;
}

describe('the evaluation of a rule', () => {
  it('whose quiet hours are of an unknown time zone logs that once', async () => {
    await using alerts = await openEvaluations();
    const zone = { quiet_from: '00:00', quiet_to: '23:59', quiet_time_zone: 'Europe/Newtown' };
    const rule = await alerts.createRule(zone);
    const lines: unknown[] = [];
    const warn = (_: string, fields?: Record<string, unknown>) =>
      void lines.push([fields?.alert_id, fields?.time_zone]);
    const instance = alerts.startInstance({ log: { info: () => {}, warn, error: () => {} } });
    for (let round = 0; round < 3; round++) await instance.evaluate();
    assert.deepEqual(lines, [[rule, 'Europe/Newtown']]);
  });

  it('takes as many statements for hundreds of webhooks as for one', async () => {
    assert.deepEqual(await statementsFor(300), await statementsFor(1));
  });

  it('ends the alert of each webhook for its own reason, at the time at which its problem was over', async () => {
    await using alerts = await openEvaluations();
    const { clock, webhooks } = alerts;
    await alerts.createRule();
    const instance = alerts.startInstance();
    webhooks.failing = [1, 2, 3, 4];
    await instance.evaluate();
    webhooks.failing = [4];
    await instance.evaluate();
    const clearedAt = clock.now();
    clock.pass(MINUTE);
    webhooks.failing = [];
    webhooks.interventions.set(2, 'PAUSED').set(3, 'DELETED').set(4, 'DEACTIVATED');
    await instance.evaluate();
    const endedAt = clock.now();
    clock.pass(4 * MINUTE);
    await instance.evaluate();
    const firings = await alerts.database.reader.all<Record<string, unknown>>(
      'select webhook_id, end_reason, ended_at from alert_firings order by id',
    );
    assert.deepEqual(
      firings.map((row) => [row.webhook_id, row.end_reason, row.ended_at]),
      [
        [1, 'RESOLVED', clearedAt],
        [2, 'PAUSED', clearedAt],
        [3, 'DELETED', clearedAt],
        [4, 'DEACTIVATED', endedAt],
      ],
    );
  });

  it('has a notice that describes twenty webhooks, and says how many there are', async () => {
    await using alerts = await openEvaluations();
    await alerts.createRule();
    alerts.webhooks.failing = Array.from({ length: 30 }, (_, place) => place + 1);
    await alerts.startInstance().evaluate();
    const [notice] = await alerts.database.reader.all<{ content: string }>(
      'select content from alert_notices',
    );
    const { firings, total } = JSON.parse(notice!.content);
    assert.deepEqual([firings.length, total], [20, 30]);
  });

  it('logs once what ended, with the webhooks and the reason', async () => {
    await using alerts = await openEvaluations();
    const { webhooks } = alerts;
    const alert = await alerts.createRule();
    const lines: [string, unknown][] = [];
    const info = (text: string, fields?: unknown) => void lines.push([text, fields]);
    const log = { info, warn: () => {}, error: () => {} };
    const instance = alerts.startInstance({ log });
    webhooks.failing = Array.from({ length: 30 }, (_, place) => place + 1);
    await instance.evaluate();
    for (const id of webhooks.failing) webhooks.interventions.set(id, 'PAUSED');
    webhooks.failing = [];
    await instance.evaluate();
    const subjects = Array.from({ length: 20 }, (_, place) => `Webhook ${place + 1}`);
    assert.deepEqual(lines, [
      [
        'an alert ended',
        { alert_id: alert, alert: 'Failing webhooks', reason: 'PAUSED', count: 30, subjects },
      ],
    ]);
  });

  it('that fails delays no other rule, and the log says which one it is', async () => {
    await using alerts = await openEvaluations();
    const { webhooks } = alerts;
    const bad = await alerts.createRule({ name: 'Bad', webhook_ids: '7' });
    await alerts.createRule({ name: 'Good' });
    const lines: unknown[] = [];
    const error = (text: string, fields?: Record<string, unknown>) =>
      void lines.push([text, fields?.alert_id]);
    const instance = alerts.startInstance({ log: { info: () => {}, warn: () => {}, error } });
    webhooks.failing = [7];
    await instance.evaluate();
    assert.deepEqual(
      (await alerts.firings()).map(({ rule_name }) => rule_name),
      ['Good'],
    );
    assert.deepEqual(lines, [['an alert rule could not be evaluated: retrying', bad]]);
  });

  it('that the database refuses delays no other rule, and the log says which one it is', async () => {
    await using alerts = await openEvaluations();
    const bad = await alerts.createRule({ name: 'Bad' });
    await alerts.createRule({ name: 'Good' });
    const lines: unknown[] = [];
    const error = (text: string, fields?: Record<string, unknown>) =>
      void lines.push([text, fields?.alert_id]);
    let calls = 0;
    const refusedOnce = async () => {
      calls += 1;
      if (calls === 1) throw new DatabaseUnavailableError('the database could not run a statement');
      return new Map();
    };
    const log = { info: () => {}, warn: () => {}, error };
    const instance = alerts.startInstance({ log, interventions: refusedOnce });
    alerts.webhooks.failing = [7];
    await instance.evaluate();
    assert.deepEqual(
      (await alerts.firings()).map(({ rule_name }) => rule_name),
      ['Good'],
    );
    assert.deepEqual(lines, [['an alert rule could not be evaluated: retrying', bad]]);
  });

  for (const { what, trouble } of [
    {
      what: 'fails',
      trouble: () => {
        throw new Error('it cannot be evaluated');
      },
    },
    { what: 'takes too long', trouble: (clock: ManualClock) => clock.pass(2 * MINUTE) },
  ])
    it(`that ${what} misses no dead letter, even if the next evaluation is hours later`, async () => {
      await using alerts = await openEvaluations();
      const { clock } = alerts;
      await alerts.createRule({ condition: 'MESSAGE_DEAD_LETTERED', minutes: null });
      const begin = clock.now();
      let lookedSince: number | null = null;
      let isInTrouble = false;
      const instance = alerts.startInstance({
        troubles: {
          readServiceReports: async () => ({ failing: [], silent: [] }),
          webhooks: {
            failing: async () => [],
            waiting: async () => [],
            deadLetteredSince: async (since) => {
              lookedSince = since;
              if (isInTrouble) trouble(clock);
              return isInTrouble ? [failingWebhook(7, clock.now())] : [];
            },
            deadLetteredAfter: async (found) => [...found],
          },
        },
      });
      await instance.evaluate();
      clock.pass(3 * HOUR);
      isInTrouble = true;
      await instance.evaluate();
      isInTrouble = false;
      clock.pass(3 * HOUR);
      await instance.evaluate();
      assert.equal(lookedSince, begin);
      await instance.evaluate();
      assert.equal(lookedSince, clock.now() - HOUR, 'and then only as far back as usual');
    });

  it('ends with the round if the database fails', async () => {
    await using alerts = await openEvaluations();
    await alerts.createRule();
    const failing = async () => {
      throw new DatabaseUnavailableError('the database could not run a statement');
    };
    const instance = alerts.startInstance({ interventions: failing });
    alerts.webhooks.failing = [7];
    await assert.rejects(instance.evaluate(), DatabaseUnavailableError);
  });
});
