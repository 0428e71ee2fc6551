import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ManualClock } from '../support/clock.ts';
import { startLosableDatabase } from '../support/losable-database.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import {
  type AlertService,
  createAlert,
  createFailingWebhook,
  evaluated,
  firingsOf,
  MINUTE,
  retry,
  SERVICE_ALERT,
  startAlertService,
  untilFiring,
} from './alert-helpers.ts';

describe('an alert about the database', { skip: !ON_POSTGRES }, () => {
  it('is sent even if the database is down, is recorded once it is back, and then ends', async () => {
    await using receiver = await startTarget();
    await using certain = await startTarget({ respondWith: answer(500) });
    await using database = await startLosableDatabase();
    const { proxy } = database;
    await using alerts = await startAlertService(database.settings);
    const { api, clock } = alerts;
    const webhook = await createFailingWebhook(api, certain.url);
    clock.pass(MINUTE);
    const alert = await createAlert(api, receiver.url, SERVICE_ALERT);
    await createAlert(api, receiver.url, {
      ...SERVICE_ALERT,
      name: 'Quiet',
      quiet_hours: { from: '00:00', to: '12:00', time_zone: 'UTC' },
    });
    // During an outage, only rules that were read before it are known.
    await evaluated(api, { webhookId: webhook, url: certain.url });
    proxy.cut();
    await untilUnready(alerts);
    // The first failed check counts from then on.
    await until(() => {
      clock.pass(MINUTE);
      return receiver.requests.length > 0;
    }, 'the notice was sent');
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
    await receiver.waitFor(2);
    assert.match(
      (receiver.requests[1]!.json as { summary: string }).summary,
      /Ended: The database on .+ works again$/,
    );
    assert.equal(receiver.requests.length, 2, 'once each, and nothing in quiet hours');
  });

  it('continues, and sends nothing, if the database fails again within five minutes', async () => {
    await using receiver = await startTarget();
    await using certain = await startTarget({ respondWith: answer(500) });
    await using database = await startLosableDatabase();
    const { proxy } = database;
    await using alerts = await startAlertService(database.settings);
    const { api, clock } = alerts;
    const webhook = await createFailingWebhook(api, certain.url);
    clock.pass(MINUTE);
    const alert = await createAlert(api, receiver.url, SERVICE_ALERT);
    await evaluated(api, { webhookId: webhook, url: certain.url });
    proxy.cut();
    await untilUnready(alerts);
    await until(() => {
      clock.pass(MINUTE);
      return receiver.requests.length > 0;
    }, 'the notice was sent');
    proxy.restore();
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it is recorded');

    // A rule that is new has nothing to continue. It shows that the second outage lasted long enough.
    await createAlert(api, `${certain.url}/outage`, { ...SERVICE_ALERT, name: 'New' });
    await evaluated(api, { webhookId: webhook, url: certain.url });
    proxy.cut();
    await untilUnready(alerts);
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
    await receiver.waitFor(2);
    assert.equal((receiver.requests[1]!.json as { type: string }).type, 'alert.ended');
    assert.equal((await firingsOf(api, alert)).length, 1);
  });

  it('continues if the database fails again within five minutes, and for longer, in quiet hours', async () => {
    await using receiver = await startTarget();
    await using certain = await startTarget({ respondWith: answer(500) });
    await using database = await startLosableDatabase();
    const { proxy } = database;
    await using alerts = await startAlertService(database.settings);
    const { api, clock } = alerts;
    const webhook = await createFailingWebhook(api, certain.url);
    clock.pass(MINUTE);
    const alert = await createAlert(api, receiver.url, {
      ...SERVICE_ALERT,
      quiet_hours: { from: '12:00', to: '23:00', time_zone: 'UTC' },
    });
    await evaluated(api, { webhookId: webhook, url: certain.url });
    proxy.cut();
    await untilUnready(alerts);
    await until(() => {
      clock.pass(MINUTE);
      return receiver.requests.length > 0;
    }, 'the notice was sent');
    clock.pass(Date.parse('2030-01-01T11:59:00Z') - clock.now());
    proxy.restore();
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it is recorded');

    // A rule that is new has nothing to continue. It shows that the second outage lasted long enough.
    await createAlert(api, `${certain.url}/again`, { ...SERVICE_ALERT, name: 'New', minutes: 6 });
    await evaluated(api, { webhookId: webhook, url: certain.url });
    clock.pass(MINUTE);
    proxy.cut();
    await untilUnready(alerts);
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

  it('is sent again if the database still fails once another instance may have ended the alert', async () => {
    await using receiver = await startTarget();
    await using certain = await startTarget({ respondWith: answer(500) });
    await using database = await startLosableDatabase();
    const { proxy } = database;
    await using losing = await startAlertService(database.settings);
    const { clock } = losing;
    const webhook = await createFailingWebhook(losing.api, certain.url);
    clock.pass(MINUTE);
    const alert = await createAlert(losing.api, receiver.url, SERVICE_ALERT);
    await evaluated(losing.api, { webhookId: webhook, url: certain.url });
    await using other = await startAlertService(
      { ...database.settings, database_url: database.directUrl },
      clock,
    );
    const { api } = other;
    const typesAre = (wanted: readonly string[]) => () =>
      String(receiver.requests.map(({ json }) => (json as { type: string }).type).sort()) === String(wanted);
    proxy.cut();
    await untilUnready(losing);
    await until(() => {
      clock.pass(MINUTE);
      return typesAre(['alert.began'])();
    }, 'the notice was sent');
    proxy.restore();
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it is recorded');
    proxy.cut();
    await untilUnready(losing);
    await until(() => {
      clock.pass(2_000);
      return typesAre(['alert.began', 'alert.began', 'alert.ended'])();
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

describe('several instances', { skip: !ON_POSTGRES }, () => {
  it('send each notice once', async () => {
    await using receiver = await startTarget();
    await using target = await startTarget({ respondWith: answer(500) });
    await using database = await createPostgresDatabase();
    const settings = { database_url: database.url, webhooks_auth_secret: 's'.repeat(64) };
    const clock = new ManualClock();
    await using one = await startAlertService(settings, clock);
    await using _two = await startAlertService(settings, clock);
    await using _three = await startAlertService(settings, clock);
    const { api } = one;
    const alert = await createAlert(api, receiver.url);
    for (const name of ['A', 'B', 'C']) await createFailingWebhook(api, target.url, { name });
    clock.pass(5 * MINUTE);
    await receiver.waitFor(1);
    const webhooks = (await firingsOf(api, alert)).map(({ webhook_id }) => webhook_id);
    assert.equal(new Set(webhooks).size, 3);
    target.respondWith(answer(200));
    for (const id of webhooks) await retry(api, id);
    await until(
      async () => (await firingsOf(api, alert)).every(({ cleared_dt }) => cleared_dt !== null),
      'all work again',
    );
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
    await untilFiring(
      api,
      alert,
      ({ notices }) => notices.length === 2 && notices[1].state === 'SENT',
      'both were recorded',
    );
    const sent = receiver.requests.map(({ json }) => json as { type: string; total: number });
    const totals = sent.map(({ type, total }) => `${type} ${total}`);
    assert.deepEqual(totals, ['alert.began 3', 'alert.ended 3']);
  });
});

async function untilUnready({ service }: AlertService): Promise<void> {
  await until(async () => (await fetch(`${service.url}/health/ready`)).status === 503, 'it is noticed');
}
