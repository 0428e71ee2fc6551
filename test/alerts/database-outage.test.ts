import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Settings } from '../../src/settings/settings-table.ts';
import { startLosableDatabase } from '../support/losable-database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { until } from '../support/service.ts';
import { startMailServer } from '../support/smtp.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import {
  createAlert,
  createFailingWebhook,
  evaluated,
  firingsOf,
  MINUTE,
  SERVICE_ALERT,
  startAlertService,
  untilFiring,
} from './alert-helpers.ts';

describe('an alert about the database', {
  skip: !ON_POSTGRES && 'an embedded database does not stop responding',
}, () => {
  it('is sent even if the database is down, is recorded once it is back, and then ends', async () => {
    await using losable = await startLosable();
    const { receiver, proxy, api, clock, evaluate } = losable;
    const alert = await createAlert(api, receiver.url, SERVICE_ALERT);
    await createAlert(api, receiver.url, {
      ...SERVICE_ALERT,
      name: 'Quiet',
      quiet_hours: { from: '00:00', to: '12:00', time_zone: 'UTC' },
    });
    await evaluate();
    await losable.lose();
    await losable.untilNotified();
    const { summary } = receiver.requests[0]!.json as { summary: string };
    assert.match(summary, /^\[Coursewire\] The database on .+ has been failing since /);
    clock.pass(10 * MINUTE);
    proxy.restore();
    const firing = await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it is recorded');
    assert.deepEqual(
      firing.notices.map(({ kind, state }: Record<string, string>) => [kind, state]),
      [['BEGAN', 'SENT']],
    );
    clock.pass(5 * MINUTE);
    await losable.untilNotified();
    await receiver.waitFor(2);
    assert.match(
      (receiver.requests[1]!.json as { summary: string }).summary,
      /Ended: The database on .+ works again$/,
    );
    assert.equal(receiver.requests.length, 2, 'once each, and nothing in quiet hours');
  });

  it('continues, and sends nothing, if the database fails again within five minutes', async () => {
    await using losable = await startLosable();
    const { receiver, certain, proxy, api, clock, evaluate } = losable;
    const alert = await createAlert(api, receiver.url, SERVICE_ALERT);
    await evaluate();
    await losable.lose();
    await losable.untilNotified();
    proxy.restore();
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it is recorded');

    // A rule that is new has nothing to continue. It shows that the second outage lasted long enough.
    await createAlert(api, `${certain.url}/outage`, { ...SERVICE_ALERT, name: 'New' });
    await evaluate();
    await losable.lose();
    await until(() => {
      clock.pass(2_000);
      return certain.requests.some(({ path: to }) => to === '/outage');
    }, 'the outage was announced by the new rule');
    clock.pass(2 * MINUTE);
    proxy.restore();
    const firing = await untilFiring(
      api,
      alert,
      ({ relapses, cleared_dt }) => relapses === 1 && cleared_dt !== null,
      'the relapse is recorded',
    );
    assert.deepEqual([firing.state, receiver.requests.length], ['FIRING', 1]);
    clock.pass(5 * MINUTE);
    await losable.untilNotified();
    await receiver.waitFor(2);
    assert.equal((receiver.requests[1]!.json as { type: string }).type, 'alert.ended');
    assert.equal((await firingsOf(api, alert)).length, 1);
  });

  it('continues if the database fails again within five minutes, and for longer, in quiet hours', async () => {
    await using losable = await startLosable();
    const { receiver, certain, proxy, api, clock, evaluate } = losable;
    const alert = await createAlert(api, receiver.url, {
      ...SERVICE_ALERT,
      quiet_hours: { from: '12:00', to: '23:00', time_zone: 'UTC' },
    });
    await evaluate();
    await losable.lose();
    await losable.untilNotified();
    clock.pass(Date.parse('2030-01-01T11:59:00Z') - clock.now());
    proxy.restore();
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it is recorded');

    // A rule that is new has nothing to continue. It shows that the second outage lasted long enough.
    await createAlert(api, `${certain.url}/again`, { ...SERVICE_ALERT, name: 'New', minutes: 6 });
    await evaluate();
    clock.pass(MINUTE);
    await losable.lose();
    await until(() => {
      clock.pass(2_000);
      return certain.requests.some(({ path: to }) => to === '/again');
    }, 'the outage was announced by the new rule');
    proxy.restore();
    const firing = await untilFiring(
      api,
      alert,
      ({ relapses, cleared_dt, state }) => state === 'ENDED' || (relapses === 1 && cleared_dt !== null),
      'the alert continues or ends',
    );
    assert.deepEqual([firing.state, firing.relapses, receiver.requests.length], ['FIRING', 1, 1]);
  });

  it('is not retried over a channel that the rule has lost during the outage', async () => {
    await using mail = await startMailServer();
    await using losable = await startLosable(mail.settings);
    const { database, receiver, proxy, clock, evaluate } = losable;
    receiver.respondWith(answer(500));
    const rule = { ...SERVICE_ALERT, email_to: ['ops@example.com'] };
    const alert = await createAlert(losable.api, receiver.url, rule);
    await evaluate();
    await using other = await startAlertService(
      { ...database.settings, ...mail.settings, database_url: database.directUrl },
      clock,
    );
    await losable.lose();
    await losable.untilNotified();
    const changed = await other.api.put(`/alerts/${alert}`, { ...rule, target: null });
    assert.equal(changed.status, 200);
    proxy.restore();
    const firing = await untilFiring(other.api, alert, ({ notices }) => notices.length > 0, 'it is recorded');
    assert.deepEqual(
      firing.notices.map(({ channel, state }: Record<string, string>) => [channel, state]),
      [['EMAIL', 'SENT']],
    );
  });

  it('is not recorded, and so need not end, if its rule was disabled during the outage', async () => {
    await using losable = await startLosable();
    const { database, receiver, proxy, clock, evaluate } = losable;
    const disabled = await createAlert(losable.api, receiver.url, SERVICE_ALERT);
    const enabled = await createAlert(losable.api, receiver.url, { ...SERVICE_ALERT, name: 'Enabled' });
    await evaluate();
    await using other = await startAlertService(
      { ...database.settings, database_url: database.directUrl },
      clock,
    );
    await losable.lose();
    await losable.untilNotified();
    await receiver.waitFor(2);
    const target = { format: 'JSON', url: receiver.url };
    const changed = await other.api.put(`/alerts/${disabled}`, { ...SERVICE_ALERT, target, enabled: false });
    assert.equal(changed.status, 200);
    proxy.restore();
    await untilFiring(other.api, enabled, ({ notices }) => notices.length > 0, 'the other is recorded');
    assert.deepEqual(await firingsOf(other.api, disabled), []);
  });

  it('is sent again if the database still fails once another instance may have ended the alert', async () => {
    await using losable = await startLosable();
    const { database, receiver, proxy, clock, evaluate } = losable;
    const alert = await createAlert(losable.api, receiver.url, SERVICE_ALERT);
    await evaluate();
    await using other = await startAlertService(
      { ...database.settings, database_url: database.directUrl },
      clock,
    );
    const { api } = other;
    const types = () => receiver.requests.map(({ json }) => (json as { type: string }).type).sort();
    await losable.lose();
    await losable.untilNotified();
    assert.deepEqual(types(), ['alert.began']);
    proxy.restore();
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it is recorded');
    await losable.lose();
    await until(() => {
      clock.pass(2_000);
      return String(types()) === 'alert.began,alert.began,alert.ended';
    }, 'the end and the new begin were sent');
    proxy.restore();
    const second = await untilFiring(
      api,
      alert,
      ({ cleared_dt, notices }) => cleared_dt !== null && notices.length === 1,
      'the second outage is recorded',
    );
    assert.deepEqual(
      [second.state, second.notices[0].kind, second.notices[0].state],
      ['FIRING', 'BEGAN', 'SENT'],
    );
    assert.equal((await firingsOf(api, alert)).length, 2);
  });
});

/** A service that can lose its database, with a webhook that has been in error for a minute. */
async function startLosable(settings: Partial<Settings> = {}) {
  await using stack = new AsyncDisposableStack();
  const receiver = stack.use(await startTarget());
  const certain = stack.use(await startTarget({ respondWith: answer(500) }));
  const database = stack.use(await startLosableDatabase());
  const { proxy } = database;
  const { service, api, clock } = stack.use(await startAlertService({ ...database.settings, ...settings }));
  const webhookId = await createFailingWebhook(api, certain.url);
  clock.pass(MINUTE);
  const parts = stack.move();
  return {
    database,
    proxy,
    api,
    clock,
    /** The target of the rules of the test. */
    receiver,
    /** The target of the webhook in error, and of rules that show that others were evaluated. */
    certain,
    /** Waits until all rules have been read: during an outage, only those are known. */
    evaluate: () => evaluated(api, { webhookId, url: certain.url }),
    /** Cuts the connections to the database, and waits until the service has noticed it. */
    lose: async () => {
      proxy.cut();
      await until(async () => (await fetch(`${service.url}/health/ready`)).status === 503, 'it is noticed');
    },
    /** Lets minutes pass until the receiver has a notice. The outage begins with the first failed check. */
    untilNotified: () =>
      until(() => {
        clock.pass(MINUTE);
        return receiver.requests.length > 0;
      }, 'the notice was sent'),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
