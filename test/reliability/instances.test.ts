import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { scormPackage, uploadForm } from '../content/packages.ts';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer, type Behaviour } from '../support/target-behaviours.ts';
import { Instances } from './instances.ts';

const INSTANCES = 3;

/** `npm run prove` kills, freezes and restarts them under load (`test/proofs/instances.ts`). */
describe('three instances on one database', { skip: !ON_POSTGRES && 'needs PostgreSQL' }, () => {
  test('accept tokens and launch links of each other, and serve the same course files', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    await using instances = await Instances.start(t, INSTANCES);
    const [first, second, third] = [instances.apiOf(0), instances.apiOf(1), instances.apiOf(2)];
    const course = await first.create('/courses', uploadForm(await scormPackage()));
    const account = await second.create('/accounts', { name: 'Acme' });
    const given = await third.post(`/accounts/${account.id}/content`, {
      contents: [{ type: 'COURSE', id: course.id }],
    });
    assert.equal(given.status, 200, JSON.stringify(given.body));
    const registration = await first.create('/registrations', {
      account_id: account.id,
      course_id: course.id,
      learner_id: 'learner',
    });
    const launched = await second.post(`/registrations/${registration.registration_id}/launch`);
    const link = new URL(launched.body.launch_url);
    for (let n = 0; n < INSTANCES; n++) {
      const page = await fetch(instances.urlOf(n) + link.pathname + link.search);
      assert.equal(page.status, 200, `instance ${n}`);
      await page.body?.cancel();
    }
  });

  test('deliver at once the messages that any of them creates, without waiting for the next poll', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    await using target = await startTarget();
    // Polling alone would take longer than this test waits.
    await using instances = await Instances.start(t, 2, { queue_polling_interval: 600 });
    await instances.apiOf(0).create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: target.url });
    for (let n = 1; n <= 5; n++) {
      await instances.apiOf(n % 2).create('/accounts', { name: `a${n}` });
      await target.waitFor(n);
    }
  });

  test('are not affected by one that is frozen for longer than its lease', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    await using target = await startTarget();
    await using instances = await Instances.start(t, 2, {
      delivery_timeout: 60,
      queue_polling_interval: 0.5,
    });
    const api = instances.apiOf(1);
    // The other instance is stopped in the meantime, so that it is certain which one receives the first message.
    const stopped = instances.processOf(1).pid;
    const { id } = await api.create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: target.url });
    const { promise: held, resolve: hold } = Promise.withResolvers<Parameters<Behaviour>[0]>();
    target.respondWith(hold);
    process.kill(stopped, 'SIGSTOP');
    await instances.apiOf(0).create('/accounts', { name: 'first' });
    const first = await held;
    target.respondWith(answer(200));
    process.kill(instances.processOf(0).pid, 'SIGSTOP');
    process.kill(stopped, 'SIGCONT');
    await instances.endLeases();
    await api.create('/accounts', { name: 'second' });
    await target.waitFor(3);
    process.kill(instances.processOf(0).pid, 'SIGCONT');
    // The first instance now gets a response for a message that another one has settled.
    answer(500)(first);
    await instances.apiOf(0).create('/accounts', { name: 'third' });
    await target.waitFor(4);
    await until(async () => (await api.get(`/webhooks/${id}/line`)).body.state === 'EMPTY', 'all is settled');
    const names = target.requests.map(({ text }) => JSON.parse(text).resource.account.name);
    assert.deepEqual(names, ['first', 'first', 'second', 'third']);
    const { body: statistics } = await api.get(`/webhooks/${id}/statistics`);
    assert.deepEqual([statistics.success_count, statistics.error_count], [3, 0]);
  });

  test('keep working after a later release’s migration that removes nothing', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    await using target = await startTarget();
    await using instances = await Instances.start(t, 2);
    const change = async (n: number) => {
      for (const instance of [0, 1]) await instances.apiOf(instance).create('/accounts', { name: `a${n}` });
    };
    const { id } = await instances
      .apiOf(0)
      .create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: target.url });
    await change(1);
    await target.waitFor(2);
    await instances.runSql('alter table webhooks add column later text');
    await instances.runSql('alter table accounts add column later bigint not null default 7');
    await instances.runSql('alter table deliveries add column later text');
    await instances.runSql(
      "insert into migrations (number, name, breaking, applied_at) values (9999, 'later', 0, 0)",
    );
    for (let n = 2; n <= 4; n++) await change(n);
    await target.waitFor(8);
    assert.equal((await instances.apiOf(1).get(`/webhooks/${id}`)).status, 200);
    await instances.kill(0);
    await instances.startAgain(0);
    await change(5);
    await target.waitFor(10);
  });
});
