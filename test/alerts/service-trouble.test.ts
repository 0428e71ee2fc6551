import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  createAdministrator,
  INTEGRATOR_EMAIL,
  signedInBrowser,
  VIEWER_EMAIL,
} from '../support/administration.ts';
import { ManualClock } from '../support/clock.ts';
import { openDatabaseOf, runSql } from '../support/database.ts';
import { startNameServer, useOnly } from '../support/name-server.ts';
import { acceptOutcomes, refuseOutcomes } from '../support/refused-outcomes.ts';
import { startS3 } from '../support/s3.ts';
import { type Api, until } from '../support/service.ts';
import { mountSmallDisk } from '../support/small-disk.ts';
import { startTarget } from '../support/target.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import {
  createAlert,
  firingsOf,
  MINUTE,
  SERVICE_ALERT,
  startAlertService,
  untilFiring,
} from './alert-helpers.ts';

// Runs on SQLite in `npm test`: what fails is not the database. Troubles are stored in the tests of instance checks.

/** The response of a store whose credentials have expired. */
const EXPIRED = {
  status: 403,
  xml: '<Error><Code>ExpiredToken</Code><Message>Expired</Message></Error>',
};

const storeOn = ({ bucket, endpoint }: { bucket: string; endpoint: string }) => ({
  content_store: `s3://${bucket}`,
  content_store_endpoint: endpoint,
});

describe('an alert about the service', () => {
  it('begins with its cause when a check has failed for its minutes, and ends five minutes after it works again', async () => {
    await using receiver = await startTarget();
    await using s3 = await startS3();
    await using alerts = await startAlertService(storeOn(s3));
    const { api, clock, service } = alerts;
    const alert = await createAlert(api, receiver.url, SERVICE_ALERT);
    s3.refuse = () => EXPIRED;
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

  it('ends without a word that it works if the instance that reported it was stopped or died', async () => {
    await using receiver = await startTarget();
    await using alerts = await startAlertService();
    const { api, clock, service } = alerts;
    const alert = await createAlert(api, receiver.url, SERVICE_ALERT);
    // The report of an instance on another machine, which is the last one.
    await runSql(
      service.settings.data_dir,
      `insert into alert_troubles (instance, name, host_name, since, reason, seen_at)
       values ('other', 'content', 'host-a', ?, 'ExpiredToken', ?) returning name`,
      clock.now() - 2 * MINUTE,
      clock.now(),
    );
    await receiver.waitFor(1);
    clock.pass(2 * MINUTE + 1);
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it is silent');
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
    const { summary, firings } = receiver.requests[1]!.json as {
      summary: string;
      firings: { end_reason: string }[];
    };
    assert.equal(
      summary,
      '[Coursewire] Ended: The storage of courses on host-a is no longer reported as failing: ' +
        'its instance was stopped or cannot report',
    );
    assert.equal(firings[0]!.end_reason, 'NO_LONGER_REPORTED');
    assert.equal((await firingsOf(api, alert))[0].end_reason, 'NO_LONGER_REPORTED');
    const stored = await runSql<{ end_reason: string }>(
      service.settings.data_dir,
      'select end_reason from alert_firings',
    );
    assert.equal(stored[0]!.end_reason, 'RESOLVED', 'earlier releases know no other reason');
  });

  it('ends because it works again if it does after a restart on the same machine', async () => {
    using folder = temporaryFolder();
    await using receiver = await startTarget();
    await using s3 = await startS3();
    const clock = new ManualClock();
    const started = () => startAlertService(storeOn(s3), clock, folder.path);
    let alert: number;
    {
      await using alerts = await started();
      alert = await createAlert(alerts.api, receiver.url, SERVICE_ALERT);
      s3.refuse = () => EXPIRED;
      await untilTrouble(folder.path, 1);
      clock.pass(2 * MINUTE);
      await untilFiring(alerts.api, alert, ({ notices }) => notices[0]?.state === 'SENT', 'it was sent');
    }
    s3.refuse = () => null;
    await using alerts = await started();
    clock.pass(2 * MINUTE + 1);
    await untilFiring(alerts.api, alert, ({ cleared_dt }) => cleared_dt !== null, 'it works');
    clock.pass(5 * MINUTE);
    await receiver.waitFor(2);
    const { summary } = receiver.requests[1]!.json as { summary: string };
    assert.match(summary, /Ended: The storage of courses on .+ works again$/);
  });

  it('says only in its notice, and to admins who have signed in, where and why something fails', async () => {
    await using receiver = await startTarget();
    await using s3 = await startS3();
    await using alerts = await startAlertService(storeOn(s3));
    const { api, clock, service } = alerts;
    const { data_dir } = service.settings;
    const alert = await createAlert(api, receiver.url, SERVICE_ALERT);
    s3.refuse = () => EXPIRED;
    await untilTrouble(data_dir, 1);
    clock.pass(2 * MINUTE);
    await receiver.waitFor(1);
    const { name, reason } = (receiver.requests[0]!.json as { firings: Record<string, string>[] })
      .firings[0]!;
    assert.match(`${name}: ${reason}`, /^The storage of courses on .+: ExpiredToken: Expired/);
    await createAdministrator(data_dir);
    await createAdministrator(data_dir, { email: VIEWER_EMAIL, role: 'viewer' });
    await createAdministrator(data_dir, { email: INTEGRATOR_EMAIL, role: 'integrator' });
    const seenBy = async (reader: { get: Api['get'] }) => {
      const { body } = await reader.get(`/alert-firings?alert_id=${alert}`);
      return body.data.map((firing: Record<string, unknown>) => [firing.name, firing.reason]);
    };
    assert.deepEqual(await seenBy(await signedInBrowser(service.url)), [[name, reason]]);
    for (const reader of [
      api,
      await signedInBrowser(service.url, VIEWER_EMAIL),
      await signedInBrowser(service.url, INTEGRATOR_EMAIL),
    ])
      assert.deepEqual(await seenBy(reader), [['The storage of courses', null]]);
  });

  it('begins when the disk of the course files is nearly full', async (t) => {
    const disk = await mountSmallDisk(16);
    if (typeof disk === 'string') return t.skip(disk);
    await using _mounted = disk;
    await using receiver = await startTarget();
    await using alerts = await startAlertService({ content_store: disk.folder });
    await createAlert(alerts.api, receiver.url, SERVICE_ALERT);
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
    const alert = await createAlert(api, receiver.url, SERVICE_ALERT);
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

describe('name servers that refuse all lookups', () => {
  it('begin an alert and show on the System page, but leave the instance ready', async () => {
    await using receiver = await startTarget();
    await using target = await startTarget();
    let isRefusing = true;
    await using names = await startNameServer(() => (isRefusing ? 'refused' : ['127.0.0.1']));
    using _only = useOnly(names);
    await using alerts = await startAlertService();
    const { api, clock, service } = alerts;
    const { data_dir } = service.settings;
    const alert = await createAlert(api, receiver.url, SERVICE_ALERT);
    const target_url = `http://crm.test:${target.port}/`;
    await api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url });
    await api.create('/accounts', { name: 'Acme' });
    await untilTrouble(data_dir, 1);
    await createAdministrator(data_dir);
    const admin = await signedInBrowser(service.url);
    const troubleShown = async () => (await admin.get('/ui/api/health')).body.connection_trouble;
    assert.deepEqual(await troubleShown(), {
      since_dt: '2030-01-01T00:00:00.000Z',
      reason: 'the name servers refuse or fail all lookups',
      webhooks: 1,
    });
    clock.pass(2 * MINUTE);
    await receiver.waitFor(1);
    const { summary } = receiver.requests[0]!.json as { summary: string };
    assert.match(
      summary,
      /^\[Coursewire\] Delivery on .+ has been failing since 1 Jan 2030, 00:00 UTC: this machine is unable to connect to targets: the name servers refuse or fail all lookups$/,
    );
    const ready = await api.get('/health/ready');
    assert.deepEqual([ready.status, Object.hasOwn(ready.body.checks, 'delivery')], [200, false]);
    isRefusing = false;
    clock.pass(MINUTE);
    await target.waitFor(1);
    await until(async () => (await troubleShown()) === null, 'the System page does not show it any more');
    await untilFiring(api, alert, ({ cleared_dt }) => cleared_dt !== null, 'messages are sent again');
  });
});

async function untilTrouble(dataDir: string, count: number): Promise<void> {
  await until(
    async () => (await runSql(dataDir, 'select name from alert_troubles')).length === count,
    `${count} checks are reported`,
  );
}
