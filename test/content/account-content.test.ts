import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { eachPage } from '../support/each-page.ts';
import { MOMENT } from '../support/moment.ts';
import { Api, createClient, requestToken, startTestService, type TestService } from '../support/service.ts';
import { type AssetReference, ContentMaker } from './account-content-helpers.ts';
import { problemErrors } from './packages.ts';

const HOME = 1;

describe('the content of accounts', () => {
  let service: TestService;
  let api: Api;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
    make = new ContentMaker(service);
  });

  const contentOf = async (account: number): Promise<AssetReference[]> => {
    const { data } = (await api.get(`/accounts/${account}/content`)).body;
    return data.map(({ type, id }: AssetReference) => ({ type, id }));
  };

  it('is courses, equivalents, bundles and folders, listed with name, location and time', async () => {
    const account = await make.account('Northwind');
    const place = await make.folder('Safety');
    const course = await make.course('Course', place);
    const equivalent = await make.equivalent('Equivalent', [course], place);
    const bundle = await make.bundle('Bundle', [equivalent]);
    const folder = { type: 'FOLDER', id: place, name: 'Safety' };
    const added = [folder, course, bundle, equivalent];
    assert.deepEqual(await make.add(account, ...added), { added, unchanged: [] });

    const { status, body } = await api.get(`/accounts/${account}/content`);
    assert.equal(status, 200);
    const moment = body.data[0].added_dt;
    assert.match(moment, MOMENT);
    assert.deepEqual(body, {
      data: [
        { ...bundle, location: 'Home', added_dt: moment },
        { ...course, location: 'Home > Safety', added_dt: moment },
        { ...equivalent, location: 'Home > Safety', added_dt: moment },
        { ...folder, location: 'Home', added_dt: moment },
      ],
      next_cursor: null,
    });
  });

  it('may be Home, which is in no folder', async () => {
    const account = await make.account('Southridge');
    await make.add(account, { type: 'FOLDER', id: 1 });
    const { body } = await api.get(`/accounts/${account}/content`);
    assert.equal(body.data[0].location, '');
  });

  it('is listed by type and id, page by page, for each account', async () => {
    const account = await make.account('Paged');
    const other = await make.account('Other');
    const first = await make.course('First');
    const second = await make.course('Second');
    const bundle = await make.bundle('Bundle', [first]);
    const home = { type: 'FOLDER', id: HOME, name: 'Home' };
    await make.add(account, home, second, bundle, first);
    await make.add(other, second);
    const listed: unknown[] = [];
    for await (const { data } of eachPage((page) => api.get(page), `/accounts/${account}/content?limit=1`)) {
      assert.equal(data.length, 1);
      listed.push([data[0].type, data[0].id]);
    }
    assert.deepEqual(
      listed,
      [bundle, first, second, home].map(({ type, id }) => [type, id]),
    );
    assert.deepEqual(await contentOf(other), [{ type: 'COURSE', id: second.id }]);
    problemErrors(await api.get(`/accounts/${account}/content?cursor=x`), 400);
    problemErrors(await api.get(`/accounts/${account}/content?limit=0`), 400);
  });

  it('is unchanged if it is added again', async () => {
    const account = await make.account('Twice');
    const course = await make.course('Course');
    const other = await make.course('Other');
    await make.add(account, course);
    const before = (await api.get(`/accounts/${account}/content`)).body.data[0];
    assert.deepEqual(await make.add(account, other, course), { added: [other], unchanged: [course] });
    const after = (await api.get(`/accounts/${account}/content`)).body.data[0];
    assert.deepEqual(after, before);
  });

  it('can be added again after it was removed, and to other accounts', async () => {
    const account = await make.account('Again');
    const other = await make.account('Other');
    const course = await make.course('Course');
    await make.add(account, course);
    await make.add(other, course);
    await make.remove(account, course);
    assert.deepEqual(await contentOf(account), []);
    assert.deepEqual((await contentOf(other)).length, 1);
    assert.deepEqual(await make.add(account, course), { added: [course], unchanged: [] });
  });

  it('cannot be removed unless it was itself added', async () => {
    const account = await make.account('Removing');
    const course = await make.course('Course');
    const bundle = await make.bundle('Bundle', [course]);
    await make.add(account, bundle);
    const of = (asset: string) => `/accounts/${account}/content/${asset}`;
    const held = await api.delete(of(`COURSE/${course.id}`));
    problemErrors(held, 404);
    assert.equal(held.body.detail, `The course ${course.id} was not added to the account ${account}`);
    for (const asset of ['COURSE/99999', 'COURSE/x', 'course/1', 'ACCOUNT/1', `EQUIVALENT/${bundle.id}`]) {
      problemErrors(await api.delete(of(asset)), 404);
    }
    problemErrors(await api.delete(`/accounts/99999/content/BUNDLE/${bundle.id}`), 404);
    assert.deepEqual(await contentOf(account), [{ type: 'BUNDLE', id: bundle.id }]);
  });

  it('is rejected completely, and the error names every offending member', async () => {
    const account = await make.account('Refusing');
    const course = await make.course('Course');
    const post = (contents: unknown, more = {}) =>
      api.post(`/accounts/${account}/content`, { contents, ...more });
    const wrong = [
      { type: 'COURSE', id: course.id },
      { type: 'COURSE', id: 99_999 },
      { type: 'EQUIVALENT', id: 99_999 },
      { type: 'BUNDLE', id: 99_999 },
      { type: 'FOLDER', id: 99_999 },
      { type: 'COURSE', id: course.id },
    ];
    assert.deepEqual(problemErrors(await post(wrong), 400), {
      '/contents/1/id': 'there is no course 99999',
      '/contents/2/id': 'there is no equivalent 99999',
      '/contents/3/id': 'there is no bundle 99999',
      '/contents/4/id': 'there is no folder 99999',
      '/contents/5': 'repeats /contents/0',
    });
    const shapeless = [{ type: 'ACCOUNT', id: 1 }, { type: 'COURSE' }, { id: 1, kind: 'x' }];
    assert.deepEqual(Object.keys(problemErrors(await post(shapeless, { content: 1 }), 400)).sort(), [
      '/content',
      '/contents/0/type',
      '/contents/1/id',
      '/contents/2/kind',
      '/contents/2/type',
    ]);
    for (const none of [undefined, []]) {
      assert.deepEqual(Object.keys(problemErrors(await post(none), 400)), ['/contents']);
    }
    const many = Array.from({ length: 501 }, (_, index) => ({ type: 'COURSE', id: index + 1 }));
    assert.deepEqual(Object.keys(problemErrors(await post(many), 400)), ['/contents']);
    assert.deepEqual(await contentOf(account), []);
    problemErrors(await api.post('/accounts/99999/content', { contents: wrong.slice(0, 1) }), 404);
    problemErrors(await api.get('/accounts/99999/content'), 404);
  });

  it('can be added to another account as it was listed', async () => {
    const account = await make.account('From');
    const other = await make.account('To');
    await make.add(account, await make.course('Course'));
    const { data } = (await api.get(`/accounts/${account}/content`)).body;
    assert.equal((await api.post(`/accounts/${other}/content`, { contents: data })).status, 200);
    assert.deepEqual(await contentOf(other), await contentOf(account));
  });

  it('cannot be deleted while accounts have it', async () => {
    const accounts = [await make.account('One'), await make.account('Two')];
    const place = await make.folder('Empty');
    const course = await make.course('Course');
    const equivalent = await make.equivalent('Equivalent', [course]);
    const bundle = await make.bundle('Bundle', [course, equivalent]);
    const all = [bundle, equivalent, course, { type: 'FOLDER', id: place }];
    for (const account of accounts) await make.add(account, ...all);
    const paths = all.map(({ type, id }) => `/${type.toLowerCase()}s/${id}`);
    for (const [index, detail] of [
      'The bundle is in use by 2 accounts',
      'The equivalent is in use by 2 accounts, 1 bundle',
      'The course is in use by 2 accounts, 1 equivalent, 1 bundle',
      'The folder is in use by 2 accounts',
    ].entries()) {
      const refused = await api.delete(paths[index]!);
      problemErrors(refused, 409);
      assert.equal(refused.body.detail, detail);
    }
    for (const account of accounts) for (const asset of all) await make.remove(account, asset);
    for (const path of paths) assert.equal((await api.delete(path)).status, 204, path);
  });

  it('is removed with its account', async () => {
    const account = await make.account('Leaving');
    const course = await make.course('Course');
    await make.add(account, course, { type: 'FOLDER', id: HOME });
    assert.equal((await api.delete(`/accounts/${account}`)).status, 204);
    problemErrors(await api.get(`/accounts/${account}/content`), 404);
    assert.equal((await api.delete(`/courses/${course.id}`)).status, 204);
  });

  it('is never partly added or deleted, whatever happens at the same time', async () => {
    const account = await make.account('Contested');
    for (let round = 0; round < 6; round++) {
      const course = await make.course('Contested');
      const calls = [
        () => api.delete(`/courses/${course.id}`),
        () => api.post(`/accounts/${account}/content`, { contents: [{ type: 'COURSE', id: course.id }] }),
      ];
      const inOrder = round % 2 === 0;
      const answers = await Promise.all((inOrder ? calls : calls.toReversed()).map((call) => call()));
      const statuses = (inOrder ? answers : answers.toReversed()).map(({ status }) => status).join();
      assert.ok(['204,400', '409,200'].includes(statuses), statuses);
      const has = (await contentOf(account)).some(({ id }) => id === course.id);
      assert.equal(has, statuses === '409,200');
    }
  });

  it('leaves nothing behind if it is added while the account is deleted', async () => {
    const course = await make.course('Kept');
    for (let round = 0; round < 4; round++) {
      const account = await make.account('Vanishing');
      const [added, deleted] = await Promise.all([
        api.post(`/accounts/${account}/content`, { contents: [{ type: 'COURSE', id: course.id }] }),
        api.delete(`/accounts/${account}`),
      ]);
      assert.equal(deleted.status, 204);
      assert.ok(added.status === 200 || added.status === 404, String(added.status));
    }
    assert.equal((await api.delete(`/courses/${course.id}`)).status, 204);
  });

  it('is read with content:read and changed with content:write', async () => {
    const account = await make.account('Guarded');
    const course = await make.course('Course');
    await make.add(account, course);
    const client = await createClient(service.settings.data_dir, { scopes: ['content:read'] });
    const token = await requestToken(service.url, client.clientId, client.clientSecret);
    const reader = new Api(service.url, token);
    const path = `/accounts/${account}/content`;
    assert.equal((await reader.get(path)).status, 200);
    problemErrors(await reader.post(path, { contents: [{ type: 'COURSE', id: course.id }] }), 403);
    problemErrors(await reader.delete(`${path}/COURSE/${course.id}`), 403);
    problemErrors(await new Api(service.url, 'no token').get(path), 401);
  });
});
