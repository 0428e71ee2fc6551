import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { readAssetsWithin } from '../../src/content/assets/assets.ts';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { createAlert } from '../alerts/alert-helpers.ts';
import { importCourse, scormPackage, uploadForm } from '../content/packages.ts';
import { accountsOf, createAccounts, createWebhook, settledDeliveries } from '../delivery/webhook-helpers.ts';
import { type Browser, createAdministrator, signedInBrowser } from '../support/administration.ts';
import { openDatabaseAt } from '../support/database.ts';
import { layRows, WITHOUT_INDEX_SCANS } from '../support/physical-order.ts';
import { databaseUrlOf, dropDatabaseOf, ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, type TestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

/** The service's clock does not move, so that many rows have the same times. */
const NOW = Date.now();
/** The folder that holds all others. */
const HOME = 1;
const QUEUED = ['queued 1', 'queued 2', 'queued 3'];
const DEAD = ['dead 1', 'dead 2', 'dead 3'];

/** The service's responses to GET requests, by path. */
type Answers = Record<string, unknown>;

describe('rows that PostgreSQL stores in another order', {
  skip: !ON_POSTGRES && 'SQLite keeps rows in the order of their keys',
}, () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let target: Target;
  let paths: string[];
  let deadWebhook: number;

  /** Starts the service on a database that by default reads every list without an index. */
  async function start(delivers: boolean): Promise<TestService> {
    const url = new URL((await databaseUrlOf(folder.path))!);
    url.searchParams.set('options', WITHOUT_INDEX_SCANS);
    return await startTestService({
      dataDir: folder.path,
      now: () => NOW,
      settings: { enable_queue_polling: delivers, database_url: url.href },
    });
  }

  before(async () => {
    folder = temporaryFolder();
    target = await startTarget();
    {
      await using service = await start(true);
      target.respondWith(answer(500));
      deadWebhook = await fill(service, target);
    }
    await using service = await start(false);
    await createAccounts(service.api, ...QUEUED);
    paths = await pathsOf(service, deadWebhook);
  });
  after(async () => {
    await target.close();
    await dropDatabaseOf(folder.path);
    folder[Symbol.dispose]();
  });

  test('are returned in the same order', async () => {
    await layRows(folder.path, 'asc');
    const ascending = await readAll();
    await layRows(folder.path, 'desc');
    const descending = await readAll();
    const different = Object.keys(ascending).filter(
      (path) => !isDeepStrictEqual(descending[path], ascending[path]),
    );
    assert.deepEqual(different, []);
    for (const [path, first] of Object.entries(descending)) {
      const [, list = '', limit] = /^([^?]+)\?limit=(\d+)$/.exec(path) ?? [];
      const whole = descending[list];
      if (limit === undefined || whole === undefined) continue;
      assert.deepEqual(dataOf(first), dataOf(whole).slice(0, Number(limit)), path);
    }
  });

  test('are skipped, delivered and redelivered in the order of their events', async () => {
    await layRows(folder.path, 'desc');
    const received = () => target.requests.filter(({ path }) => path === '/dead');
    {
      await using service = await start(false);
      const skipped = await service.api.post(`/webhooks/${deadWebhook}/line/skip`);
      assert.deepEqual([skipped.status, skipped.body.depth], [200, QUEUED.length - 1]);
    }
    target.requests.length = 0;
    target.respondWith(answer(200));
    await using service = await start(true);
    await target.waitFor(() => received().length === QUEUED.length - 1);
    const again = await service.api.post(`/webhooks/${deadWebhook}/deliveries/redeliver`);
    assert.equal(again.body.redelivered, DEAD.length + 1, JSON.stringify(again.body));
    await target.waitFor(() => received().length === QUEUED.length + DEAD.length);
    const [skipped, ...waiting] = QUEUED;
    assert.deepEqual(accountsOf(received()), [...waiting, ...DEAD, skipped]);
  });

  async function readAll(): Promise<Answers> {
    await using service = await start(false);
    const admin = await signedInBrowser(service.url);
    const answers: Answers = {};
    for (const path of paths) {
      const { status, body } = await admin.get(path);
      assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
      answers[path] = stable(path, body);
    }
    await using database = openDatabaseAt(service.settings);
    const clients = await new ClientService({ database, now: Date.now }).list();
    answers.within = await database.transaction((tx) => readAssetsWithin(tx, HOME));
    answers.clients = clients.filter(({ name }) => name !== 'tests');
    return answers;
  }
});

function dataOf(body: unknown): unknown[] {
  return (body as { data: unknown[] }).data;
}

/** Removes entries that each start of the service and each sign-in adds. */
function stable(path: string, body: Record<string, unknown>): unknown {
  const { data, ...rest } = body;
  if (path.startsWith('/ui/api/clients')) {
    return (data as { name: string }[]).filter(({ name }) => name !== 'tests');
  }
  if (path === '/ui/api/sessions') return (data as { id: number }[]).map(({ id }) => id).slice(-3);
  if (path === '/ui/api/administrators') return (data as { id: number }[]).map(({ id }) => id);
  return data === undefined ? body : { data, ...rest };
}

/**
 * Fills a service with several objects of every kind, many with the same name. Returns the webhook that has dead
 * letters.
 */
async function fill(service: TestService, target: Target): Promise<number> {
  const { api, settings } = service;
  const accounts: number[] = [];
  for (const name of ['b', 'a', 'b', 'a']) accounts.push((await api.create('/accounts', { name })).id);
  const [account = 0] = accounts;
  const folders: number[] = [];
  for (const name of ['y', 'x', 'z']) {
    const parent_id = folders.length === 2 ? folders[0] : 1;
    folders.push((await api.create('/folders', { name, parent_id })).id);
  }
  const courses: number[] = [];
  for (const folder of [1, folders[2], folders[2]]) {
    courses.push((await importCourse(service, { name: 'Same', folder_id: String(folder) })).id);
  }
  for (let version = 1; version <= 2; version++) {
    await api.create(`/courses/${courses[0]}/versions`, uploadForm(await scormPackage()));
  }
  const [first, second, third] = courses;
  const languages = [
    { course_id: third, language: 'de' },
    { course_id: first, language: 'en' },
    { course_id: second, language: 'fr' },
  ];
  const equivalents: number[] = [];
  const bundles: number[] = [];
  for (const turned of [languages, languages.toReversed(), languages, languages.toReversed()]) {
    const { id } = await api.create('/equivalents', { name: 'Same', folder_id: folders[2], courses: turned });
    equivalents.push(id);
    const contents = [
      { type: 'COURSE', id: second },
      { type: 'EQUIVALENT', id },
      { type: 'COURSE', id: first },
    ];
    bundles.push((await api.create('/bundles', { name: 'Same', folder_id: folders[2], contents })).id);
  }
  for (const holder of accounts) {
    const contents = [
      { type: 'BUNDLE', id: bundles[1] },
      { type: 'COURSE', id: first },
      { type: 'BUNDLE', id: bundles[0] },
      { type: 'EQUIVALENT', id: equivalents[0] },
    ];
    assert.ok((await api.post(`/accounts/${holder}/content`, { contents })).status < 300);
  }
  for (const learner_id of ['bob', 'ann', 'bob']) {
    await api.create('/registrations', { account_id: account, course_id: first, learner_id });
  }
  await fillAdministration(service, settings.data_dir);
  return await fillWebhooks(api, target, accounts);
}

async function fillAdministration(service: TestService, dataDir: string): Promise<void> {
  for (const email of ['ann@example.com', 'cyd@example.com', 'bob@example.com']) {
    await createAdministrator(dataDir, { email });
  }
  let admin: Browser | undefined;
  for (let session = 1; session <= 3; session++) admin = await signedInBrowser(service.url);
  for (let client = 1; client <= 3; client++) {
    const input = { name: 'Same', email: 'client@example.com', scopes: ['webhooks:read', 'content:read'] };
    assert.equal((await admin!.post('/ui/api/clients', input)).status, 201);
  }
}

async function fillWebhooks(api: Api, target: Target, accounts: readonly number[]): Promise<number> {
  const focus = [accounts[2], accounts[0], accounts[1]].map((id) => ({
    webhook_focus_type: 'ACCOUNT',
    webhook_focus_id: id,
  }));
  for (let count = 1; count <= 2; count++) await createWebhook(api, `${target.url}/focus`, { focus });
  const dead = await createWebhook(api, `${target.url}/dead`, { max_attempts: 1 });
  const retrying: number[] = [];
  for (let count = 1; count <= 2; count++) {
    retrying.push(await createWebhook(api, `${target.url}/retrying`, { max_attempts: 100 }));
    await createAlert(api, target.url, { condition: 'MESSAGE_DEAD_LETTERED' });
  }
  await createAccounts(api, ...DEAD);
  await settledDeliveries(api, dead, DEAD.length);
  for (const id of retrying) {
    for (let attempts = 1; attempts <= 3; attempts++) {
      const line = `/webhooks/${id}/line`;
      await until(async () => {
        const { head, state } = (await api.get(line)).body;
        return state === 'RETRYING' && head.attempts === attempts;
      }, `attempt ${attempts} failed`);
      if (attempts < 3) assert.equal((await api.post(`${line}/retry`)).status, 200);
    }
  }
  return dead;
}

/** Every path whose response contains an ordered list. */
async function pathsOf({ api }: TestService, deadWebhook: number): Promise<string[]> {
  const idsOf = async (list: string): Promise<number[]> =>
    (await api.get(`/${list}`)).body.data.map(({ id }: { id: number }) => id);
  const lists = ['accounts', 'folders', 'courses', 'equivalents', 'bundles', 'registrations', 'webhooks'];
  const plain = [...lists, 'events'].flatMap((list) => [`/${list}`, `/${list}?limit=1`, `/${list}?limit=2`]);
  const records: string[] = [];
  for (const list of lists.filter((each) => each !== 'registrations')) {
    for (const id of await idsOf(list)) records.push(`/${list}/${id}`);
  }
  // Each start signs in, which is an entry of another type.
  records.push('/audit-log?object_type=WEBHOOK', '/audit-log?object_type=WEBHOOK&limit=2');
  for (const id of await idsOf('events')) {
    records.push(`/events/${id}`, `/events/${id}/webhooks`, `/events/${id}/webhooks?limit=2`);
  }
  for (const id of await idsOf('accounts')) {
    records.push(`/events?account_id=${id}&subtopic=CONTENT_ADDED_TO_ACCOUNT`);
    records.push(`/accounts/${id}/content`, `/accounts/${id}/content?limit=2`);
    records.push(`/ui/api/accounts/${id}/contents`, `/ui/api/addable-content?account_id=${id}`);
    records.push(
      '/ui/api/addable-accounts',
      '/ui/api/addable-accounts?content_type=FOLDER&content_id=1&limit=2',
    );
    records.push(
      `/ui/api/addable-content?account_id=${id}&limit=3`,
      `/ui/api/addable-content?account_id=${id}&search=am&limit=3`,
    );
  }
  for (const id of await idsOf('webhooks')) {
    records.push(`/webhooks/${id}/line`, `/webhooks/${id}/deliveries`, `/webhooks/${id}/deliveries?limit=1`);
    records.push(`/ui/api/webhooks/${id}`);
    for (const delivery of (await api.get(`/webhooks/${id}/deliveries`)).body.data) {
      records.push(`/webhooks/${id}/deliveries/${delivery.id}`);
    }
  }
  for (const list of ['courses', 'equivalents', 'bundles', 'folders']) {
    const type = list.slice(0, -1).toUpperCase();
    for (const id of await idsOf(list)) {
      records.push(`/content/${type}/${id}/accounts`, `/content/${type}/${id}/accounts?limit=2`);
    }
  }
  for (const type of ['course', 'equivalent']) {
    for (const id of await idsOf(`${type}s`)) records.push(`/ui/api/usage/${type.toUpperCase()}/${id}`);
  }
  const sorted: Record<string, readonly string[]> = {
    accounts: ['name', 'created'],
    courses: ['name', 'created'],
    equivalents: ['name', 'created'],
    bundles: ['name', 'created'],
    registrations: ['created', 'updated'],
    clients: ['name', 'email', 'last_used', 'created'],
    webhooks: ['name', 'created', 'last_activity', 'success_count', 'error_count', 'depth'],
  };
  const ui = Object.entries(sorted).flatMap(([list, sorts]) =>
    sorts.flatMap((sort) =>
      ['asc', 'desc'].flatMap((direction) => [
        `/ui/api/${list}?sort=${sort}&direction=${direction}`,
        ...(list === 'clients'
          ? []
          : [`/ui/api/${list}?sort=${sort}&direction=${direction}&limit=1&offset=1`]),
      ]),
    ),
  );
  return [
    ...plain,
    ...records,
    ...ui,
    '/alerts',
    '/alerts?limit=1',
    '/alert-firings',
    '/alert-firings?limit=1',
    '/ui/api/administrators',
    '/ui/api/sessions',
    '/ui/api/folders',
    '/ui/api/dashboard',
    '/ui/api/search/assets',
    '/ui/api/search/assets?limit=2',
    '/ui/api/search/assets?search=am&limit=3',
    '/ui/api/dead-letters',
    '/ui/api/dead-letters?limit=1&offset=1',
    `/ui/api/dead-letters?webhook_id=${deadWebhook}&limit=2`,
    '/ui/api/dead-letters?search=acc&limit=2',
  ];
}
