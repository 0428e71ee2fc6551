import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { openDatabaseOf } from '../support/database.ts';
import { readWhole } from '../support/each-page.ts';
import { MOMENT } from '../support/moment.ts';
import { beginTransaction, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { Api, createClient, requestToken, startTestService, type TestService } from '../support/service.ts';
import type { Target } from '../support/target.ts';
import { targetOfEachTest } from '../support/target-of-each-test.ts';
import {
  type AssetReference,
  assertMessages,
  ContentMaker,
  type NamedAsset,
} from './account-content-helpers.ts';
import { problemErrors } from './packages.ts';

const HOME = 1;
const reference = ({ type, id }: AssetReference) => ({ type, id });

describe('content of many accounts', () => {
  let service: TestService;
  let api: Api;
  let make: ContentMaker;
  let target: Target;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { max_assets_per_call: 12 } }));
    api = service.api;
    make = new ContentMaker(service);
  });
  targetOfEachTest(
    () => api,
    (started) => {
      target = started;
    },
  );

  const change = (act: 'add' | 'remove', accounts: readonly number[], contents: readonly AssetReference[]) =>
    api.post(`/account-content/${act}`, { account_ids: accounts, contents: contents.map(reference) });
  const contentOf = async (account: number) =>
    (await api.get(`/accounts/${account}/content`)).body.data.map(reference);
  const accountsWith = async ({ type, id }: AssetReference, query = '') =>
    await api.get(`/content/${type}/${id}/accounts${query}`);
  const createWebhook = () =>
    api.create('/webhooks', { name: 'Content', topic: 'ACCOUNT_CONTENT', target_url: target.url });
  const resource = (id: number, name: string) => ({ id, name, enabled: true });

  it('is added with the messages of an addition to each account, in the order of the request', async () => {
    const place = await make.folder('Safety');
    const inHome = await make.course('In Home');
    const inPlace = await make.course('In Safety', place);
    const b = await make.account('B');
    const a = await make.account('A');
    await make.add(b, inHome);
    const webhook = await createWebhook();

    const answer = await change('add', [a, b], [inHome, inPlace]);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body, {
      data: [
        { account_id: a, account_name: 'A', changed: [inHome, inPlace], unchanged: [] },
        { account_id: b, account_name: 'B', changed: [inPlace], unchanged: [inHome] },
      ],
    });
    await target.waitFor((requests) => requests.length >= 3);
    const version = { version_id: 0, learning_standard: 'SCORM_12' };
    const home = {
      course: { id: inHome.id, name: inHome.name, ...version, location: 'Home' },
      folder: { id: HOME, name: 'Home', location: '', contents: [inHome] },
    };
    const safety = {
      course: { id: inPlace.id, name: inPlace.name, ...version, location: 'Home > Safety' },
      folder: { id: place, name: 'Safety', location: 'Home', contents: [inPlace] },
    };
    const subtopic = 'CONTENT_ADDED_TO_ACCOUNT';
    assertMessages(target, webhook, [
      { subtopic, account: resource(a, 'A'), content: home },
      { subtopic, account: resource(a, 'A'), content: safety },
      { subtopic, account: resource(b, 'B'), content: safety },
    ]);
  });

  it('is removed where an account has it directly, with one message for each account and folder', async () => {
    const [first, second] = [await make.course('First'), await make.course('Second')];
    const accounts = [await make.account('One'), await make.account('Two'), await make.account('Three')];
    const [one = 0, two = 0, three = 0] = accounts;
    await change('add', [one, two], [first, second]);
    await make.remove(two, second);
    const webhook = await createWebhook();

    const { status, body } = await change('remove', [three, two, one], [second, first]);
    assert.equal(status, 200);
    assert.deepEqual(
      body.data.map(({ account_id, changed, unchanged }: Record<string, unknown>) => [
        account_id,
        changed,
        unchanged,
      ]),
      [
        [three, [], [second, first]],
        [two, [first], [second]],
        [one, [second, first], []],
      ],
    );
    for (const account of accounts) assert.deepEqual(await contentOf(account), []);
    await target.waitFor((requests) => requests.length >= 2);
    const course = {
      id: first.id,
      name: 'First',
      version_id: 0,
      learning_standard: 'SCORM_12',
      location: 'Home',
    };
    const folder = (contents: NamedAsset[]) => ({
      folder: { id: HOME, name: 'Home', location: '', contents },
    });
    const subtopic = 'CONTENT_REMOVED_FROM_ACCOUNT';
    assertMessages(target, webhook, [
      { subtopic, account: resource(two, 'Two'), content: { course, ...folder([first]) } },
      { subtopic, account: resource(one, 'One'), content: folder([second, first]) },
    ]);
  });

  it('changes nothing and triggers nothing when it is repeated, with a key or without', async () => {
    const accounts = [await make.account('Once'), await make.account('Twice')];
    const course = await make.course('Course');
    const webhook = await createWebhook();
    const body = { account_ids: accounts, contents: [reference(course)] };
    const headers = { 'idempotency-key': 'both-once' };
    const first = await api.post('/account-content/add', body, headers);
    assert.deepEqual(
      await api.post('/account-content/add', body, headers).then((answer) => answer.body),
      first.body,
    );
    const again = (await change('add', accounts, [course])).body.data;
    assert.deepEqual(
      again.map(({ changed, unchanged }: Record<string, unknown>) => [changed, unchanged]),
      accounts.map(() => [[], [course]]),
    );
    await change('remove', accounts, [course]);
    await target.waitFor((requests) => requests.length >= 4);
    const subtopics = target.requests.map(({ json }) => (json as { subtopic: string }).subtopic);
    assert.deepEqual(subtopics, [
      ...Array(2).fill('CONTENT_ADDED_TO_ACCOUNT'),
      ...Array(2).fill('CONTENT_REMOVED_FROM_ACCOUNT'),
    ]);
    assert.equal(webhook.name, 'Content');
  });

  it('is refused as a whole, with every offending member named', async () => {
    const account = await make.account('Refusing');
    const course = await make.course('Course');
    const contents = [course, { type: 'BUNDLE', id: 99_999 }, course];
    const expected = {
      '/account_ids/1': 'there is no account 99999',
      '/account_ids/2': 'repeats /account_ids/0',
      '/contents/1/id': 'there is no bundle 99999',
      '/contents/2': 'repeats /contents/0',
    };
    for (const act of ['add', 'remove'] as const) {
      assert.deepEqual(problemErrors(await change(act, [account, 99_999, account], contents), 400), expected);
      assert.deepEqual(Object.keys(problemErrors(await change(act, [], []), 400)), [
        '/account_ids',
        '/contents',
      ]);
      const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
      const courses = ids(11).map((id) => ({ type: 'COURSE', id }));
      assert.deepEqual(problemErrors(await change(act, ids(500), courses), 400), {
        '/account_ids':
          'times the number of contents must be at most 5000, but 500 × 11 = 5500: split the request',
      });
      assert.deepEqual(Object.keys(problemErrors(await change(act, ids(501), [course]), 400)), [
        '/account_ids',
      ]);
    }
    assert.deepEqual(await contentOf(account), []);
  });

  it('is refused with the first hundred errors and the number of all, whether the schema or the service finds them', async () => {
    const course = await make.course('Course');
    const unknown = Array.from({ length: 301 }, (_, at) => 900_000 + at);
    const detail = 'There are at least 301 errors; the first 100 are listed';
    for (const act of ['add', 'remove'] as const) {
      for (const body of [
        { account_ids: unknown, contents: [reference(course)] },
        { account_ids: unknown.map(String), contents: [reference(course)] },
        { account_ids: [unknown[0], ...unknown.slice(1).map(String)], contents: [reference(course)] },
      ]) {
        const answer = await api.post(`/account-content/${act}`, body);
        assert.equal(Object.keys(problemErrors(answer, 400)).length, 100);
        assert.equal(answer.body.detail, detail);
      }
    }
  });

  it('is limited over all accounts together, including the contents of folders', async () => {
    const place = await make.folder('Four');
    for (const name of ['1', '2', '3', '4']) await make.course(name, place);
    const accounts = [];
    for (const name of ['a', 'b', 'c', 'd']) accounts.push(await make.account(name));
    const folder = { type: 'FOLDER', id: place };
    const refused = await change('add', accounts, [folder]);
    assert.equal(refused.status, 409);
    assert.match(
      refused.body.detail,
      /more than 12 courses, equivalents and bundles \(max_assets_per_call\)/,
    );
    for (const account of accounts) assert.deepEqual(await contentOf(account), []);
    assert.equal((await change('add', accounts.slice(0, 3), [folder])).status, 200);
    assert.deepEqual(await contentOf(accounts[2] ?? 0), [folder]);
  });

  it('of a folder that has grown beyond the limit is still removed, from one account at a time', async () => {
    const place = await make.folder('Grown');
    const course = await make.course('In it', place);
    const accounts = [await make.account('g'), await make.account('h')];
    const folder = { type: 'FOLDER', id: place };
    assert.equal((await change('add', accounts, [folder])).status, 200);
    for (let at = 0; at < 12; at += 1) await make.equivalent(`Also ${at}`, [course], place);
    assert.equal((await change('remove', accounts, [folder])).status, 409);
    for (const account of accounts) {
      assert.equal((await change('remove', [account], [folder])).status, 200);
      assert.deepEqual(await contentOf(account), []);
    }
  });

  it('keeps its messages in order when one of the accounts is changed at the same time', async () => {
    const accounts = [];
    for (const name of ['p', 'q', 'r']) accounts.push(await make.account(name));
    const [one, two] = [await make.course('One'), await make.course('Two')];
    const answers = await Promise.all([
      change('add', accounts, [one, two]),
      change('add', accounts.toReversed(), [two, one]),
      ...accounts.map((account) => api.post(`/accounts/${account}/content`, { contents: [reference(two)] })),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 200),
    );
    for (const account of accounts) assert.deepEqual(await contentOf(account), [one, two].map(reference));
  });

  const skip = !ON_POSTGRES && 'SQLite runs one transaction after the other';
  it('does not delay learners of these accounts while it is being changed', { skip }, async () => {
    const course = await make.course('Learned');
    const accounts = [await make.account('Learning'), await make.account('Also learning')];
    await change('add', accounts, [course]);
    const body = { account_id: accounts[0], course_id: course.id, learner_id: 'ada' };
    const { registration_id: id } = await api.create('/registrations', body);
    const [blocked, other] = [await make.course('Blocked'), await make.course('Other')];
    await using database = await openDatabaseOf(service.settings.data_dir);
    const blocking = await beginTransaction(database);
    await blocking.tx.all('select id from courses where id = ? for update', blocked.id);
    const changing = change('add', accounts, [other, blocked]);
    try {
      await untilOneWaits(database);
      const status = { completion: 'Completed', success: 'PASS', duration: 1 };
      assert.equal((await api.put(`/registrations/${id}/status`, status)).status, 200);
      assert.equal((await api.post(`/registrations/${id}/launch`)).status, 200);
    } finally {
      await blocking.commit();
    }
    assert.equal((await changing).status, 200);
  });

  it('is listed for a course: each account with the asset that was added to it and the path to the course', async () => {
    const outermost = await make.folder('Outermost');
    const outer = await make.folder('Outer', outermost);
    const inner = await make.folder('Inner', outer);
    const elsewhere = await make.folder('Elsewhere');
    const course = await make.course('Course', inner);
    const equivalent = await make.equivalent('Equivalent', [course], elsewhere);
    const bundle = await make.bundle('Bundle', [equivalent]);
    const unrelated = await make.course('Unrelated', elsewhere);
    const named = (id: number, name: string) => ({ type: 'FOLDER', id, name });

    const direct = await make.account('Direct');
    const several = await make.account('Several');
    const bundled = await make.account('Bundled');
    const none = await make.account('None');
    await make.add(direct, course);
    await make.add(several, course, equivalent, { type: 'FOLDER', id: outermost });
    await make.add(bundled, bundle, { type: 'FOLDER', id: elsewhere });
    await make.add(none, unrelated);
    await api.put(`/accounts/${bundled}`, { name: 'Bundled', enabled: false });

    const { status, body } = await accountsWith(course);
    assert.equal(status, 200);
    const added = body.data[0].through[0].added_dt;
    assert.match(added, MOMENT);
    const shown = body.data.map(
      (account: { account_id: number; enabled: boolean; through: Record<string, unknown>[] }) => [
        account.account_id,
        account.enabled,
        account.through.map(({ added_dt: _time, ...way }) => way),
      ],
    );
    assert.deepEqual(shown, [
      [direct, true, [{ ...course, path: [] }]],
      [
        several,
        true,
        [
          { ...course, path: [] },
          { ...equivalent, path: [] },
          { ...named(outermost, 'Outermost'), path: [named(outer, 'Outer'), named(inner, 'Inner')] },
        ],
      ],
      [
        bundled,
        false,
        [
          { ...bundle, path: [equivalent] },
          { ...named(elsewhere, 'Elsewhere'), path: [equivalent] },
        ],
      ],
    ]);
    assert.equal(body.data[0].account_name, 'Direct');
    assert.equal(body.next_cursor, null);
    assert.deepEqual(await readWhole((page) => accountsWith(course, page), '?limit=1'), body.data);

    const ofBundle = (await accountsWith(bundle)).body.data;
    assert.deepEqual(
      ofBundle.map((account: { account_id: number }) => account.account_id),
      [bundled],
    );
    const ofFolder = (await accountsWith({ type: 'FOLDER', id: inner })).body.data;
    assert.deepEqual(ofFolder[0].through.map(reference), [{ type: 'FOLDER', id: outermost }]);
    assert.deepEqual((await accountsWith({ type: 'FOLDER', id: await make.folder('Unused') })).body.data, []);
  });

  it('lists exactly the accounts whose learners can be registered for the course', async () => {
    const place = await make.folder('Somewhere');
    const course = await make.course('Registrable', place);
    const bundle = await make.bundle('Bundle', [course]);
    const accounts = [];
    for (const asset of [course, bundle, { type: 'FOLDER', id: place }, await make.course('Other')]) {
      const account = await make.account('Registering');
      await make.add(account, asset);
      accounts.push(account);
    }
    const registered = [];
    for (const account_id of accounts) {
      const body = { account_id, course_id: course.id, learner_id: 'ada' };
      if ((await api.post('/registrations', body)).status === 201) registered.push(account_id);
    }
    const { data } = (await accountsWith(course)).body;
    assert.deepEqual(
      data.map((account: { account_id: number }) => account.account_id),
      registered,
    );
    assert.equal(registered.length, 3);
  });

  it('is listed page by page, and an invalid request is rejected with every error', async () => {
    const course = await make.course('Popular');
    const accounts = await make.accounts('x', 'y', 'z');
    await change('add', accounts, [course]);
    const listed = await readWhole((page) => accountsWith(course, page), '?limit=1');
    assert.deepEqual(
      listed.map(({ account_id }) => account_id),
      accounts,
    );
    problemErrors(await accountsWith(course, '?limit=0'), 400);
    problemErrors(await accountsWith(course, '?cursor=x'), 400);
    problemErrors(await accountsWith({ type: 'COURSE', id: 99_999 }), 404);
    problemErrors(await api.get('/content/ACCOUNT/1/accounts'), 404);
    problemErrors(await api.get('/content/COURSE/x/accounts'), 404);
  });

  it('is read with content:read and changed with content:write', async () => {
    const client = await createClient(service.settings.data_dir, { scopes: ['content:read'] });
    const reader = new Api(
      service.url,
      await requestToken(service.url, client.clientId, client.clientSecret),
    );
    const course = await make.course('Guarded');
    const body = { account_ids: [await make.account('Guarded')], contents: [reference(course)] };
    assert.equal((await reader.get(`/content/COURSE/${course.id}/accounts`)).status, 200);
    for (const act of ['add', 'remove'])
      problemErrors(await reader.post(`/account-content/${act}`, body), 403);
  });
});
