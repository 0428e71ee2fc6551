import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE } from './alert-parts.ts';
import { openEvaluations } from './evaluation-parts.ts';

describe('an instance that was frozen after it read which webhooks fail', () => {
  it('does not begin an alert again that another instance has ended', async () => {
    await using alerts = await openEvaluations();
    const { clock, webhooks } = alerts;
    await alerts.createRule();
    const [frozen, other] = [alerts.startInstance(), alerts.startInstance()];
    webhooks.failing = [7];
    await other.evaluate();
    const { reached, wake } = frozen.freeze();
    const evaluation = frozen.evaluate();
    await reached;
    webhooks.failing = [];
    await other.evaluate();
    clock.pass(5 * MINUTE);
    await other.evaluate();
    wake();
    await evaluation;
    assert.deepEqual(await alerts.notices(), ['BEGAN', 'ENDED']);
  });

  it('does not begin an alert again that ended in the same moment because someone paused the webhook', async () => {
    await using alerts = await openEvaluations();
    const { webhooks } = alerts;
    await alerts.createRule();
    const [frozen, other] = [alerts.startInstance(), alerts.startInstance()];
    webhooks.failing = [7];
    await other.evaluate();
    const { reached, wake } = frozen.freeze();
    const evaluation = frozen.evaluate();
    await reached;
    webhooks.failing = [];
    webhooks.interventions.set(7, 'PAUSED');
    await other.evaluate();
    wake();
    await evaluation;
    assert.deepEqual(
      (await alerts.firings()).map(({ end_reason }) => end_reason),
      ['PAUSED'],
    );
  });

  it('does not begin an alert that began and ended meanwhile', async () => {
    await using alerts = await openEvaluations();
    const { webhooks } = alerts;
    await alerts.createRule();
    const [frozen, other] = [alerts.startInstance(), alerts.startInstance()];
    webhooks.failing = [7];
    const { reached, wake } = frozen.freeze();
    const evaluation = frozen.evaluate();
    await reached;
    await other.evaluate();
    webhooks.failing = [];
    webhooks.interventions.set(7, 'DELETED');
    await other.evaluate();
    wake();
    await evaluation;
    assert.deepEqual(
      (await alerts.firings()).map(({ end_reason }) => end_reason),
      ['DELETED'],
    );
  });

  it('does not clear an alert that began meanwhile', async () => {
    await using alerts = await openEvaluations();
    const { webhooks } = alerts;
    await alerts.createRule();
    const [frozen, other] = [alerts.startInstance(), alerts.startInstance()];
    webhooks.failing = [7];
    await other.evaluate();
    webhooks.failing = [];
    const { reached, wake } = frozen.freeze();
    const evaluation = frozen.evaluate();
    await reached;
    webhooks.failing = [7, 8];
    await other.evaluate();
    wake();
    await evaluation;
    const cleared = await alerts.database.reader.all(
      'select subject from alert_firings where cleared_at is not null',
    );
    assert.deepEqual(cleared, []);
  });

  it('does not begin an alert about what it read minutes ago', async () => {
    await using alerts = await openEvaluations();
    const { clock, webhooks } = alerts;
    await alerts.createRule();
    const frozen = alerts.startInstance();
    webhooks.failing = [7];
    const { reached, wake } = frozen.freeze();
    const evaluation = frozen.evaluate();
    await reached;
    webhooks.failing = [];
    clock.pass(2 * MINUTE);
    wake();
    await evaluation;
    assert.deepEqual(await alerts.firings(), []);
  });

  it('still evaluates the other rules, with what is true now', async () => {
    await using alerts = await openEvaluations();
    const { clock, webhooks } = alerts;
    await alerts.createRule({ name: 'First' });
    await alerts.createRule({ name: 'Second' });
    const frozen = alerts.startInstance();
    webhooks.failing = [7];
    const { reached, wake } = frozen.freeze();
    const evaluation = frozen.evaluate();
    await reached;
    webhooks.failing = [8];
    clock.pass(2 * MINUTE);
    wake();
    await evaluation;
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
