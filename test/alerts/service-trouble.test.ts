import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InstanceChecks } from '../../src/alerts/firings/instance-checks.ts';
import { failureOf, sharedChecks } from '../../src/observability/readiness.ts';
import { createAdministrator, signedInBrowser } from '../support/administration.ts';
import { ManualClock } from '../support/clock.ts';
import { openDatabaseOf, openTestDatabase, runSql } from '../support/database.ts';
import { startLosableDatabase } from '../support/losable-database.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { acceptOutcomes, refuseOutcomes } from '../support/refused-outcomes.ts';
import { startS3 } from '../support/s3.ts';
import { until } from '../support/service.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
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
  startAlertService,
  untilFiring,
} from './alert-helpers.ts';

const SERVICE = { name: 'Service', condition: 'SERVICE_IN_TROUBLE', minutes: 2 };

describe('an alert about the service', () => {
  it('begins with its cause when a check has failed for its minutes, and ends five minutes after it works again', async () => {
    await using receiver = await startTarget();
    await using s3 = await startS3();
    await using alerts = await startAlertService({
      content_store: `s3://${s3.bucket}`,
      content_store_endpoint: s3.endpoint,
    });
    const { api, clock, service } = alerts;
    const alert = await createAlert(api, receiver.url, SERVICE);
    s3.refuse = () => ({
      status: 403,
      xml: '<Error><Code>ExpiredToken</Code><Message>Expired</Message></Error>',
    });
    await untilTrouble(service.settings.data_dir, 1);
    assert.deepEqual(await firingsOf(api, alert), [], 'not before its minutes');
    clock.pass(2 * MINUTE);
    await receiver.waitFor(1);
    const { summary, link, firings } = receiver.requests[0]!.json as {
      summary: string;
      link: string;
      firings: { subject: string; webhook_id: null }[];
    };
    assert.match(
      summary,
      /^\[Coursewire\] The storage of courses on .+ has been failing since 1 Jan 2030, 00:00 UTC: ExpiredToken: Expired \(status 403\)/,
    );
    assert.equal(link, `${service.url}/ui/administration/system`);
    assert.match(firings[0]!.subject, /^content:/);
    s3.refuse = () => null;
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it works again');
    await untilTrouble(service.settings.data_dir, 0);
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
    assert.match(
      (receiver.requests[1]!.json as { summary: string }).summary,
      /Ended: The storage of courses on .+ works again$/,
    );
  });

  it('begins when the disk of the course files is nearly full', async (t) => {
    const disk = await mountSmallDisk(16);
    if (typeof disk === 'string') return t.skip(disk);
    await using _mounted = disk;
    await using receiver = await startTarget();
    await using alerts = await startAlertService({ content_store: disk.folder });
    await createAlert(alerts.api, receiver.url, SERVICE);
    disk.fill();
    await untilTrouble(alerts.service.settings.data_dir, 1);
    alerts.clock.pass(2 * MINUTE);
    await receiver.waitFor(1);
    const { summary } = receiver.requests[0]!.json as { summary: string };
    assert.match(summary, /^\[Coursewire\] A disk on .+: only 0 MiB of 16 MiB are free on the disk of /);
    assert.ok(summary.includes(disk.folder), summary);
  });
});

describe('an outcome that the database refuses', () => {
  it('begins an alert that names its webhook and message, but leaves the instance ready', async () => {
    await using receiver = await startTarget();
    await using target = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock, service } = alerts;
    const { data_dir } = service.settings;
    const alert = await createAlert(api, receiver.url, SERVICE);
    await using database = await openDatabaseOf(data_dir);
    await refuseOutcomes(database, 'deliveries', 'new.webhook_id = 1');
    await api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url: target.url });
    await api.create('/accounts', { name: 'Acme' });
    await target.waitFor(1);
    const messageId = String(target.requests[0]!.headers['webhook-id']);
    await until(() => service.logLines.some(({ msg }) => /refuses the outcome/.test(msg)), 'it is refused');
    clock.pass(MINUTE);
    await untilTrouble(data_dir, 1);
    clock.pass(2 * MINUTE);
    await receiver.waitFor(1);
    const { summary } = receiver.requests[0]!.json as { summary: string };
    assert.match(summary, /^\[Coursewire\] The message queue on .+ has been failing since /);
    assert.ok(summary.includes(`refuses the outcome of message ${messageId} of webhook 1`), summary);
    const ready = await api.get('/health/ready');
    assert.deepEqual([ready.status, ready.body.checks.queue], [200, 'ok']);
    await createAdministrator(data_dir);
    const health = await (await signedInBrowser(service.url)).get('/ui/api/health?settings=false');
    assert.equal(health.body.checks.queue, 'failed');
    await acceptOutcomes(database, 'deliveries');
    clock.pass(MINUTE);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it is stored');
    assert.equal(target.requests.length, 1);
  });
});

describe('the checks of an instance', () => {
  const fails = { disk: () => Promise.reject(new Error('it is full')) };
  const about = { instance: 'one', hostName: 'host-a' };

  it('are known to all instances until the next round, however rarely rules are evaluated', async () => {
    await using opened = await openTestDatabase();
    const clock = new ManualClock();
    const pauseMs = 10 * MINUTE;
    const parts = { database: opened.database, queueObstacle: () => null, now: clock.now, pauseMs };
    const failing = new InstanceChecks({ ...parts, checks: fails, about });
    const other = new InstanceChecks({ ...parts, checks: {}, about: { ...about, instance: 'two' } });
    const known = async () => (await other.ofAllInstances()).map(({ name, reason }) => [name, reason]);
    await failing.run(true);
    await failing.report();
    clock.pass(pauseMs);
    assert.deepEqual(await known(), [['disk', 'it is full']]);
    await failing.run(true);
    await failing.report();
    clock.pass(3 * pauseMs);
    assert.deepEqual(await known(), [['disk', 'it is full']], 'the report was repeated');
    clock.pass(1);
    assert.deepEqual(await known(), [], 'the instance has stopped');
  });

  it('are not started again while they hang, neither for alerts nor for readiness', async () => {
    await using opened = await openTestDatabase();
    const hanging = Promise.withResolvers<void>();
    let starts = 0;
    const checks = sharedChecks({
      content: () => {
        starts += 1;
        return hanging.promise;
      },
    });
    const { now } = new ManualClock();
    const parts = { database: opened.database, queueObstacle: () => null, now, pauseMs: MINUTE };
    const instance = new InstanceChecks({ ...parts, checks, about });
    const results = await Promise.all([instance.run(true), instance.run(true), failureOf(checks.content!)]);
    assert.equal(results[2]?.message, 'no response within 3 s');
    await instance.report();
    const [trouble] = await instance.ofAllInstances();
    assert.deepEqual([trouble?.name, trouble?.reason, starts], ['content', 'no response within 3 s', 1]);
    hanging.resolve();
    await instance.run(true);
    await instance.report();
    assert.deepEqual(await instance.ofAllInstances(), []);
    assert.equal(await failureOf(checks.content!), null);
    assert.ok(starts > 1, 'a check that ended is started again');
  });
});

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
    const alert = await createAlert(api, receiver.url, SERVICE);
    await createAlert(api, receiver.url, {
      ...SERVICE,
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
    const alert = await createAlert(api, receiver.url, SERVICE);
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
    await createAlert(api, `${certain.url}/outage`, { ...SERVICE, name: 'New' });
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
      ...SERVICE,
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
    await createAlert(api, `${certain.url}/again`, { ...SERVICE, name: 'New', minutes: 6 });
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
    const alert = await createAlert(losing.api, receiver.url, SERVICE);
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

async function untilTrouble(dataDir: string, count: number): Promise<void> {
  await until(
    async () => (await runSql(dataDir, 'select name from alert_troubles')).length === count,
    `${count} checks are reported`,
  );
}
