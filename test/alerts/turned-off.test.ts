import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createWebhook } from '../delivery/webhook-helpers.ts';
import { ManualClock } from '../support/clock.ts';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  createAlert,
  createFailingWebhook,
  evaluated,
  firingsOf,
  HOUR,
  MINUTE,
  startAlertService,
  untilFiring,
} from './alert-helpers.ts';

// Runs on SQLite in `npm test`: a setting turns the work off in the process. The tests of sending store rules, alerts and notices on both.

describe('enable_alerts: false', () => {
  it('begins no alert and sends no notice, neither new ones nor those that waited, but sends tests', async () => {
    using folder = temporaryFolder();
    await using receiver = await startTarget({ respondWith: answer(503) });
    await using target = await startTarget({ respondWith: answer(500) });
    const clock = new ManualClock();
    const started = (enable_alerts: boolean) => startAlertService({ enable_alerts }, clock, folder.path);
    let waiting: number;
    {
      await using alerts = await started(true);
      waiting = await createAlert(alerts.api, receiver.url);
      await createFailingWebhook(alerts.api, target.url);
      clock.pass(5 * MINUTE);
      await receiver.waitFor(1);
      const isTried = ({ notices }: { notices: { attempts: number }[] }) => notices[0]?.attempts === 1;
      await untilFiring(alerts.api, waiting, isTried, 'the notice waits for its retry');
    }
    receiver.respondWith(answer(204));
    clock.pass(HOUR);
    await using alerts = await started(false);
    const { api, service } = alerts;
    const unseen = await createAlert(api, receiver.url);
    // Until then, rules would have been evaluated many times.
    await createFailingWebhook(api, target.url);
    assert.equal((await api.post(`/alerts/${waiting}/test`)).body.results[0].sent, true);
    assert.deepEqual(await firingsOf(api, unseen), []);
    assert.deepEqual(
      receiver.requests.slice(1).map(({ json }) => (json as { type: string }).type),
      ['alert.test'],
    );
    assert.match(
      service.logLines.map(({ msg }) => msg).join('\n'),
      /enable_alerts is false: this instance evaluates no alert rules and sends no notices/,
    );
  });

  it('hides no dead letter for good: it is reported once alerts are on again, and counts for an hour', async () => {
    await using found = await startAfterDeadLetter({});
    const { api, clock, alert, receiver, certain } = found;
    await receiver.waitFor(1);
    const { summary } = receiver.requests[0]!.json as { summary: string };
    assert.match(summary, /Webhook "Lossy" has had new dead letters since 1 Jan 2030, 00:00 UTC/);
    clock.pass(HOUR - 1);
    await evaluated(api, certain);
    assert.equal((await firingsOf(api, alert))[0].cleared_dt, null);
    clock.pass(1);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'an hour passed');
  });

  it('hides no dead letter for good, even if alerts are on again in quiet hours', async () => {
    const quiet_hours = { from: '01:30', to: '06:00', time_zone: 'UTC' };
    await using found = await startAfterDeadLetter({ quiet_hours });
    const { api, clock, alert, receiver, certain } = found;
    await untilFiring(api, alert, ({ state }) => state === 'FIRING', 'it was found at two');
    await evaluated(api, certain);
    assert.equal(receiver.requests.length, 0);
    clock.pass(4.5 * HOUR);
    await receiver.waitFor(1);
    assert.equal((receiver.requests[0]!.json as { type: string }).type, 'alert.began');
  });
});

/** A service with alerts. Two hours ago, when it had none, a message was dead-lettered. */
async function startAfterDeadLetter(changes: Record<string, unknown>) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const receiver = stack.use(await startTarget());
  const target = stack.use(await startTarget({ respondWith: answer(500) }));
  const clock = new ManualClock();
  const started = (enable_alerts: boolean) => startAlertService({ enable_alerts }, clock, folder.path);
  const before = await started(false);
  await using _stopped = before;
  const alert = await createAlert(before.api, receiver.url, {
    condition: 'MESSAGE_DEAD_LETTERED',
    ...changes,
  });
  const lossy = await createWebhook(before.api, target.url, { name: 'Lossy', max_attempts: 1 });
  const webhookId = await createFailingWebhook(before.api, target.url, { name: 'Failing' });
  await until(async () => {
    const { body } = await before.api.get(`/webhooks/${lossy}/deliveries?status=DEAD_LETTERED`);
    return body.data.length > 0;
  }, 'it is dead-lettered');
  await before.service.stop();
  clock.pass(2 * HOUR);
  const { api } = stack.use(await started(true));
  const parts = stack.move();
  return {
    api,
    clock,
    alert,
    receiver,
    /** A webhook with a message that waits, for {@link evaluated}. */
    certain: { webhookId, url: target.url },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
