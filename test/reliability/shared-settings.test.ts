import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { describe, it } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import type { Settings } from '../../src/settings/settings-table.ts';
import { HOUR_MS } from '../../src/time/units.ts';
import { createAccounts, createWebhook, lineOf } from '../delivery/webhook-helpers.ts';
import { createAdministrator, signedInBrowser } from '../support/administration.ts';
import { openDatabaseOf } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { openSharedInstallation, SHARED_SECRET } from '../support/shared-installation.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

const SHARED_DATABASE = { skip: ON_POSTGRES ? false : 'the embedded database has one instance' };

/** One database for any number of instances, each with its own data folder. */
async function startTogether(...each: Partial<Settings>[]) {
  const stack = new AsyncDisposableStack();
  const shared = stack.use(await openSharedInstallation());
  const start = async (settings: Partial<Settings>) =>
    stack.use(await startTestService(shared.instance(settings)));
  const services: TestService[] = [];
  for (const settings of each) services.push(await start(settings));
  await createAdministrator(shared.dataDir);
  return { dataDir: shared.dataDir, services, start, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

const warningsOf = ({ logLines }: TestService) =>
  logLines.filter((line) => line.class === 'Service' && line.level === 'warn' && line.setting !== undefined);

async function differencesOn(service: TestService) {
  const admin = await signedInBrowser(service.url);
  const { status, body } = await admin.get('/ui/api/health');
  assert.equal(status, 200, JSON.stringify(body));
  return body.setting_differences as {
    setting: string;
    value: unknown;
    other_value: unknown;
    other_host: string;
  }[];
}

/** Inserts the row that a killed instance leaves behind. */
async function insertKilled(database: Database, settings: object, seenAt: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(
      'insert into instances (instance, host_name, settings, seen_at) values (?, ?, ?, ?)',
      'killed',
      'elsewhere',
      JSON.stringify(settings),
      seenAt,
    );
    tx.signal('coursewire_instances');
  });
}

describe('settings that instances of one database must share', SHARED_DATABASE, () => {
  it('are reported with both values, in the log and on the System page of both, if they differ', async () => {
    await using together = await startTogether(
      { message_queue_max_receives: 3, retry_max_delay: 60, enable_queue_polling: false },
      { enable_webhooks_service: false, retry_max_delay: 30 },
    );
    const [first, second] = together.services as [TestService, TestService];
    const expected = [
      ['enable_webhooks_service', true, false],
      ['message_queue_max_receives', 3, 1_000],
      ['retry_max_delay', 60, 30],
    ];
    await until(() => warningsOf(first).length === 3, 'the first instance warns');
    assert.deepEqual(
      warningsOf(first).map((line) => [line.setting, line.value, line.other_value]),
      expected,
    );
    assert.deepEqual(
      warningsOf(second).map((line) => [line.setting, line.other_value, line.value]),
      expected,
    );
    assert.match(
      warningsOf(first)[1]!.msg,
      /must share message_queue_max_receives: it is 3 here and 1000 on /,
    );
    assert.deepEqual(
      (await differencesOn(first)).map((each) => [each.setting, each.value, each.other_value]),
      expected,
    );
    assert.deepEqual(
      (await differencesOn(second)).map((each) => [each.setting, each.other_value, each.value]),
      expected,
    );
    const text = JSON.stringify([...first.logLines, await differencesOn(first)]);
    assert.ok(!text.includes(SHARED_SECRET) && !text.includes(first.settings.database_url ?? ''));
  });

  it('are reported if each instance keeps course files in its own data folder', async () => {
    await using together = await startTogether({ content_store: null }, { content_store: null });
    const [first, second] = together.services as [TestService, TestService];
    await until(() => warningsOf(first).length === 1, 'the first instance warns');
    const placeOf = ({ settings }: TestService) => `not set (${settings.data_dir}/content on ${hostname()})`;
    assert.deepEqual(
      (await differencesOn(second)).map((each) => [each.setting, each.value, each.other_value]),
      [['content_store', placeOf(second), placeOf(first)]],
    );
  });

  it('are not reported if only settings differ that may differ', async () => {
    await using together = await startTogether(
      { enable_queue_polling: false, log_level: 'debug', delivery_concurrency: 3 },
      { queue_polling_interval: 1, message_queue_name: 'unused.fifo' },
    );
    const { services } = together;
    for (const service of services) {
      assert.deepEqual(warningsOf(service), []);
      assert.deepEqual(await differencesOn(service), []);
    }
  });

  it('are no longer reported once the other instance has stopped or restarted with the same values', async () => {
    await using together = await startTogether({ delivery_timeout: 5 }, { delivery_timeout: 6 });
    const [first, second] = together.services as [TestService, TestService];
    await until(async () => (await differencesOn(first)).length === 1, 'the first instance knows');
    await second.stop();
    await until(async () => (await differencesOn(first)).length === 0, 'the difference is gone');
    assert.ok(first.logLines.some((line) => /^delivery_timeout no longer differs/.test(line.msg)));
    const third = await together.start({ delivery_timeout: 5 });
    assert.deepEqual([await differencesOn(third), await differencesOn(first)], [[], []]);
    assert.equal(warningsOf(first).length, 1);
  });

  it('are no longer reported some time after the other instance was killed', async () => {
    await using together = await startTogether({ delivery_timeout: 5 });
    const [first] = together.services as [TestService];
    await using database = await openDatabaseOf(together.dataDir);
    await insertKilled(database, { delivery_timeout: 7, of_another_release: true }, Date.now());
    await until(() => warningsOf(first).length === 1, 'the first instance warns');
    // It would be gone after half a minute.
    await database.transaction((tx) =>
      tx.run("update instances set seen_at = ? where instance = 'killed'", Date.now() - 25_000),
    );
    await until(async () => (await differencesOn(first)).length === 0, 'the difference is gone', 60_000);
    assert.deepEqual(await database.reader.all("select 1 from instances where instance = 'killed'"), []);
  });

  it('are not reported of an instance that was killed before the clock was set back', async () => {
    await using together = await startTogether({ delivery_timeout: 5 });
    const [first] = together.services as [TestService];
    await using database = await openDatabaseOf(together.dataDir);
    await insertKilled(database, { delivery_timeout: 7 }, Date.now() + HOUR_MS);
    const killed = () => database.reader.all("select 1 from instances where instance = 'killed'");
    await until(async () => (await killed()).length === 0, 'its row is removed');
    assert.deepEqual([warningsOf(first), await differencesOn(first)], [[], []]);
  });
});

describe('an instance that only serves the API', SHARED_DATABASE, () => {
  it('shows a line as the instance that delivers it, and as paused only while none delivers', async () => {
    await using target = await startTarget({ respondWith: answer(500) });
    const retries = { retry_initial_delay: 3_600, retry_max_delay: 3_600 };
    await using together = await startTogether({ ...retries, enable_queue_polling: false });
    const [serving] = together.services as [TestService];
    const id = await createWebhook(serving.api, target.url);
    await createAccounts(serving.api, 'a');
    assert.equal((await lineOf(serving.api, id)).state, 'PAUSED');

    const delivering = await together.start(retries);
    const line = await until(async () => {
      const shown = await lineOf(serving.api, id);
      return shown.state === 'RETRYING' && shown;
    }, 'the head failed');
    const admin = await signedInBrowser(serving.url);
    const { body: overview } = await admin.get(`/ui/api/webhooks/${id}`);
    const { body: dashboard } = await admin.get('/ui/api/dashboard');
    const { body: session } = await admin.get('/ui/api/session');
    assert.notEqual(line.head.next_attempt_dt, null);
    assert.deepEqual(
      [
        overview.next_attempt_dt,
        dashboard.delivery.blocked_lines[0].next_attempt_dt,
        session.service.delivers,
      ],
      [line.head.next_attempt_dt, line.head.next_attempt_dt, true],
    );

    await delivering.stop();
    await until(async () => (await lineOf(serving.api, id)).state === 'PAUSED', 'none delivers');
  });
});
