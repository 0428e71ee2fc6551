import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importCourse, uploadForm } from '../content/packages.ts';
import { register } from '../content/registration-helpers.ts';
import { type PackageFiles, zipOf } from '../support/course-packages.ts';
import { readWhole } from '../support/each-page.ts';
import { type PlayerClient, startLaunch } from '../support/player-client.ts';
import { scorm2004Course } from '../support/player-courses.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, type TestService, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { startProxyTo, type TcpProxy } from '../support/tcp-proxy.ts';

const EVENTS = 50;
const WARM_UP = 5;
/** Enough for their product with the folders to exceed the limit. */
const ACCOUNTS = 24;
const FOLDERS = 12;
/** For regular work of the service, such as reading the clock. A slow machine does more of it. */
const REGULAR_WORK = 40;
const REQUESTS = 100;

/** One instance that publishes and one that delivers, each behind a proxy of its own. */
async function openInstances() {
  await using stack = new AsyncDisposableStack();
  const target = stack.use(await startTarget());
  const { url } = stack.use(await createPostgresDatabase());
  const start = async (polls: boolean): Promise<{ proxy: TcpProxy; service: TestService }> => {
    const { proxy, behind } = await startProxyTo(url);
    stack.use(proxy);
    const settings = {
      database_url: behind,
      webhooks_auth_secret: 's'.repeat(64),
      enable_queue_polling: polls,
    };
    return { proxy, service: stack.use(await startTestService({ settings })) };
  };
  const publisher = await start(false);
  const deliverer = await start(true);
  const opened = stack.move();
  return { target, publisher, deliverer, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** The usual number of round trips of a request. */
async function usualRoundTrips(proxy: TcpProxy, request: (n: number) => Promise<unknown>): Promise<number> {
  const trips: number[] = [];
  for (let n = 0; n < EVENTS; n++) trips.push(await roundTripsOf(proxy, () => request(n)));
  return trips.sort((a, b) => a - b)[EVENTS / 2]!;
}

async function publish(api: Api): Promise<void> {
  await api.create('/accounts', { name: 'account' });
}

/** The number of round trips to the server that the work takes. */
async function roundTripsOf(proxy: TcpProxy, work: () => Promise<unknown>): Promise<number> {
  const before = proxy.roundTrips;
  await work();
  return proxy.roundTrips - before;
}

/** Opens a unit of a new course as a learner. */
async function startUnit(service: TestService, course: PackageFiles): Promise<PlayerClient> {
  const { api } = service;
  const { id: account } = await api.create('/accounts', { name: 'A' });
  const { id } = await api.create('/courses', uploadForm(new Uint8Array(await zipOf(course))));
  const content = { account_ids: [account], contents: [{ type: 'COURSE', id }] };
  assert.equal((await api.post('/account-content/add', content)).status, 200);
  const { registration_id } = await register(service, { account_id: account, course_id: id });
  const client = await startLaunch(service, registration_id);
  await client.open();
  await client.openUnit('i1');
  return client;
}

describe('round trips to PostgreSQL', { skip: !ON_POSTGRES && 'SQLite is in the process' }, () => {
  it('are at most two for each delivery of a line, and six for each published event', async () => {
    await using instances = await openInstances();
    const { target, publisher, deliverer } = instances;
    const { api } = publisher.service;
    const webhook = { name: 'all', topic: 'ACCOUNT', target_url: target.url };
    const { id } = await api.create('/webhooks', webhook);
    for (let n = 0; n < WARM_UP; n++) await publish(api);
    await target.waitFor(WARM_UP);
    const isEmpty = async () => (await api.get(`/webhooks/${id}/line`)).body.state === 'EMPTY';
    await until(isEmpty, 'the first messages are settled');

    assert.equal((await api.put(`/webhooks/${id}`, { ...webhook, paused: true })).status, 200);
    const usual = await usualRoundTrips(publisher.proxy, () => publish(api));
    const delivered = await roundTripsOf(deliverer.proxy, async () => {
      assert.equal((await api.put(`/webhooks/${id}`, { ...webhook, paused: false })).status, 200);
      await target.waitFor(WARM_UP + EVENTS);
      await until(isEmpty, 'all messages are settled');
    });
    assert.ok(delivered <= 2 * EVENTS + REGULAR_WORK, `${delivered} for ${EVENTS} deliveries`);
    assert.ok(usual <= 6, `${usual} for an event`);
  });

  it('are five for an account that is activated, and eight for a new status of a registration', async () => {
    await using instances = await openInstances();
    const { proxy, service } = instances.publisher;
    const { api } = service;
    for (const topic of ['ACCOUNT', 'REGISTRATION'])
      await api.create('/webhooks', { name: topic, topic, target_url: instances.target.url });
    const { id: course } = await importCourse(service, {});
    const account = (await api.create('/accounts', { name: 'A' })).id;
    const content = { account_ids: [account], contents: [{ type: 'COURSE', id: course }] };
    assert.equal((await api.post('/account-content/add', content)).status, 200);
    const { registration_id: registration } = await register(service, {
      account_id: account,
      course_id: course,
    });
    const activated = await usualRoundTrips(proxy, async (n) => {
      const body = { name: 'A', enabled: n % 2 === 1 };
      assert.equal((await api.put(`/accounts/${account}`, body)).status, 200);
    });
    const changed = await usualRoundTrips(proxy, async (n) => {
      const body = { completion: 'Completed', success: 'PASS', score: n };
      assert.equal((await api.put(`/registrations/${registration}/status`, body)).status, 200);
    });
    assert.deepEqual({ activated, changed }, { activated: 5, changed: 8 });
  });

  it('grow with the accounts and with the folders of a change of content, not with their product', async () => {
    await using instances = await openInstances();
    const { proxy, service } = instances.publisher;
    const { api } = service;
    const { id: course } = await importCourse(service, {});
    const contents: { type: string; id: number }[] = [];
    for (let n = 0; n < FOLDERS; n++) {
      const { id } = await api.create('/folders', { name: `Folder ${n}` });
      await api.create('/bundles', { name: 'B', folder_id: id, contents: [{ type: 'COURSE', id: course }] });
      contents.push({ type: 'FOLDER', id });
    }
    const accounts: number[] = [];
    for (let n = 0; n < ACCOUNTS; n++) accounts.push((await api.create('/accounts', { name: 'A' })).id);
    for (const [act, subtopic] of [
      ['add', 'CONTENT_ADDED_TO_ACCOUNT'],
      ['remove', 'CONTENT_REMOVED_FROM_ACCOUNT'],
    ]) {
      const trips = await roundTripsOf(proxy, async () => {
        const body = { account_ids: accounts, contents };
        assert.equal((await api.post(`/account-content/${act}`, body)).status, 200);
      });
      const events = await readWhole((page) => api.get(page), `/events?limit=200&subtopic=${subtopic}`);
      assert.equal(events.length, ACCOUNTS * FOLDERS, 'each account has an event for each folder');
      assert.ok(trips <= 4 * ACCOUNTS + 10 * FOLDERS + REGULAR_WORK, `${trips} to ${act}`);
    }
  });

  it('are none for requests to the learning record store from unknown callers', async () => {
    await using instances = await openInstances();
    const { proxy, service } = instances.publisher;
    const trips = await roundTripsOf(proxy, async () => {
      for (let n = 0; n < REQUESTS; n++) {
        const response = await fetch(`${service.url}/xapi/statements`);
        assert.equal(response.status, 401);
        await response.arrayBuffer();
      }
    });
    assert.ok(trips <= REGULAR_WORK, `${trips} for ${REQUESTS} requests`);
  });

  it('are four for a save, and no more for one of a sequenced course without its shared data', async () => {
    await using instances = await openInstances();
    const { proxy, service } = instances.publisher;
    const map = '<imsss:mapInfo targetObjectiveID="shared"/>';
    const items =
      '<item identifier="i1" identifierref="r1"><title>1</title><imsss:sequencing><imsss:objectives>' +
      `<imsss:primaryObjective objectiveID="p">${map}</imsss:primaryObjective></imsss:objectives></imsss:sequencing></item>`;
    const tripsOf = async (course: PackageFiles) => {
      const client = await startUnit(service, course);
      return await usualRoundTrips(proxy, async (n) => {
        assert.equal((await client.commit('i1', { location: `${n}` })).status, 200);
      });
    };
    const plain = await tripsOf(scorm2004Course());
    const sequenced = await tripsOf(scorm2004Course({ items }));
    assert.deepEqual({ plain, sequenced }, { plain: 4, sequenced: 4 });
  });
});
