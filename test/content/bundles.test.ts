import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { MOMENT } from '../support/moment.ts';
import { Api, createClient, requestToken, startTestService, type TestService } from '../support/service.ts';
import { importCourse, problemErrors } from './packages.ts';

const HOME = 1;

describe('bundles', () => {
  let service: TestService;
  let api: Api;
  let course: number;
  let equivalent: number;
  let folder: number;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
    course = (await importCourse(service, { name: 'First aid' })).id;
    equivalent = await createEquivalent('Fire', course);
    folder = (await api.create('/folders', { name: 'Safety' })).id;
  });

  async function createEquivalent(name: string, courseId: number): Promise<number> {
    const courses = [{ course_id: courseId, language: 'en' }];
    return (await api.create('/equivalents', { name, courses })).id;
  }

  const both = () => [
    { type: 'EQUIVALENT', id: equivalent },
    { type: 'COURSE', id: course },
  ];

  it('are created from courses and equivalents, and returned with their names and the folder’s path', async () => {
    const made = await api.post('/bundles', { name: 'Week', folder_id: folder, contents: both() });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('location'), `/bundles/${made.body.id}`);
    assert.equal(made.headers.get('etag'), '"1"');
    const { id, created_dt, updated_dt, ...record } = made.body;
    assert.deepEqual(record, {
      name: 'Week',
      folder_id: folder,
      location: 'Home > Safety',
      contents: [
        { type: 'EQUIVALENT', id: equivalent, name: 'Fire' },
        { type: 'COURSE', id: course, name: 'First aid' },
      ],
    });
    assert.match(created_dt, MOMENT);
    assert.equal(updated_dt, created_dt);
    const read = await api.get(`/bundles/${id}`);
    assert.equal(read.headers.get('etag'), '"1"');
    assert.deepEqual(read.body, made.body);
  });

  it('are created in Home by default, and distinguish a course from an equivalent with the same id', async () => {
    const record = await api.create('/bundles', { name: 'Plain', contents: both() });
    assert.deepEqual([record.folder_id, record.location], [HOME, 'Home']);
    assert.equal(course, equivalent, 'the ids are the same, so that this test shows something');
    assert.deepEqual(
      record.contents.map(({ name }: { name: string }) => name),
      ['Fire', 'First aid'],
    );
  });

  it('are refused with every offending member named', async () => {
    const contents = [
      { type: 'COURSE', id: course },
      { type: 'COURSE', id: 99_999 },
      { type: 'COURSE', id: course },
      { type: 'EQUIVALENT', id: 88_888 },
      { type: 'COURSE', id: 99_999 },
    ];
    const wrong = { name: 'x', folder_id: 77_777, contents };
    const expected = {
      '/contents/1/id': 'there is no course 99999',
      '/contents/2': 'repeats /contents/0',
      '/contents/3/id': 'there is no equivalent 88888',
      '/contents/4': 'repeats /contents/1',
      '/folder_id': 'there is no folder 77777',
    };
    assert.deepEqual(problemErrors(await api.post('/bundles', wrong), 400), expected);
    const { id } = await api.create('/bundles', { name: 'x', contents: both() });
    assert.deepEqual(problemErrors(await api.put(`/bundles/${id}`, wrong), 400), expected);

    const shapeless = { name: 5, contents: [{ type: 'BUNDLE', id: 1 }, { kind: 'COURSE' }], content: 1 };
    assert.deepEqual(Object.keys(problemErrors(await api.post('/bundles', shapeless), 400)).sort(), [
      '/content',
      '/contents/0/type',
      '/contents/1/id',
      '/contents/1/kind',
      '/contents/1/type',
      '/name',
    ]);
    for (const none of [{ name: 'x' }, { name: 'x', contents: [] }]) {
      assert.deepEqual(Object.keys(problemErrors(await api.post('/bundles', none), 400)), ['/contents']);
    }
    for (const id of ['99999', 'x', '0']) {
      problemErrors(await api.get(`/bundles/${id}`), 404);
      problemErrors(await api.put(`/bundles/${id}`, { name: 'x', contents: both() }), 404);
      problemErrors(await api.delete(`/bundles/${id}`), 404);
    }
  });

  it('are listed by id with their contents, page by page', async () => {
    const ids: number[] = [];
    for (const name of ['Page 1', 'Page 2', 'Page 3']) {
      ids.push((await api.create('/bundles', { name, contents: both() })).id);
    }
    const before = Buffer.from(String(ids[0]! - 1)).toString('base64url');
    const page = (await api.get(`/bundles?limit=2&cursor=${before}`)).body;
    assert.deepEqual(
      page.data.map((each: { id: number; contents: unknown[] }) => [each.id, each.contents.length]),
      [
        [ids[0], 2],
        [ids[1], 2],
      ],
    );
    assert.deepEqual(page.data[0], (await api.get(`/bundles/${ids[0]}`)).body);
    const next = (await api.get(`/bundles?limit=2&cursor=${page.next_cursor}`)).body;
    assert.deepEqual([next.data[0].id, next.data.length, next.next_cursor], [ids[2], 1, null]);
  });

  it('are renamed, moved and given other contents by PUT, which replaces them completely', async () => {
    const made = await api.create('/bundles', { name: 'Old', folder_id: folder, contents: both() });
    const changed = await api.put(`/bundles/${made.id}`, { name: 'New', contents: both().toReversed() });
    assert.equal(changed.status, 200);
    assert.equal(changed.headers.get('etag'), '"2"');
    assert.deepEqual([changed.body.name, changed.body.location], ['New', 'Home']);
    assert.deepEqual(
      changed.body.contents.map(({ type }: { type: string }) => type),
      ['COURSE', 'EQUIVALENT'],
    );
    assert.deepEqual((await api.get(`/bundles/${made.id}`)).body, changed.body);
    const same = await api.put(`/bundles/${made.id}`, changed.body);
    assert.equal(same.headers.get('etag'), '"2"');
    assert.deepEqual(same.body, changed.body);
  });

  it('are changed by the same contents in another order', async () => {
    const made = await api.create('/bundles', { name: 'Ordered', contents: both() });
    const contents = both().toReversed();
    const reversed = await api.put(`/bundles/${made.id}`, { name: 'Ordered', contents });
    assert.equal(reversed.headers.get('etag'), '"2"');
    const { body } = await api.get(`/bundles/${made.id}`);
    assert.deepEqual(body.contents, made.contents.toReversed());
    assert.deepEqual(reversed.body, body);
  });

  it('are changed and deleted with If-Match only if nobody changed them since', async () => {
    const { id } = await api.create('/bundles', { name: 'Matched', contents: both() });
    const change = { name: 'Matched again', contents: both() };
    problemErrors(await api.put(`/bundles/${id}`, change, { 'if-match': '"7"' }), 412);
    const changed = await api.put(`/bundles/${id}`, change, { 'if-match': '"1"' });
    assert.equal(changed.headers.get('etag'), '"2"');
    problemErrors(await api.delete(`/bundles/${id}`, { 'if-match': '"1"' }), 412);
    assert.equal((await api.delete(`/bundles/${id}`, { 'if-match': '"2"' })).status, 204);
    problemErrors(await api.get(`/bundles/${id}`), 404);
  });

  it('are created once for one Idempotency-Key', async () => {
    const body = { name: 'Once', contents: both() };
    const key = { 'idempotency-key': 'bundle-once' };
    const first = await api.post('/bundles', body, key);
    const second = await api.post('/bundles', body, key);
    assert.deepEqual([second.status, second.body], [201, first.body]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
  });

  it('keep their contents and folder from being deleted', async () => {
    const { id: held } = await importCourse(service, { name: 'Held' });
    const { id: other } = await importCourse(service, { name: 'Other' });
    const heldEquivalent = await createEquivalent('Held', other);
    const { id: place } = await api.create('/folders', { name: 'Occupied' });
    const contents = [
      { type: 'COURSE', id: held },
      { type: 'EQUIVALENT', id: heldEquivalent },
    ];
    const ids: number[] = [];
    for (const name of ['One', 'Two']) {
      ids.push((await api.create('/bundles', { name, folder_id: place, contents })).id);
    }
    for (const [path, detail] of [
      [`/courses/${held}`, 'The course is in use by 2 bundles'],
      [`/equivalents/${heldEquivalent}`, 'The equivalent is in use by 2 bundles'],
      [`/folders/${place}`, 'The folder is not empty: it contains bundles'],
    ] as const) {
      const refused = await api.delete(path);
      problemErrors(refused, 409);
      assert.equal(refused.body.detail, detail);
    }
    assert.equal((await api.delete(`/bundles/${ids[0]}`)).status, 204);
    await api.put(`/bundles/${ids[1]}`, { name: 'Two', contents: both() });
    for (const path of [`/courses/${held}`, `/equivalents/${heldEquivalent}`, `/folders/${place}`]) {
      assert.equal((await api.delete(path)).status, 204);
    }
  });

  it('are not left with deleted contents if these are deleted at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const contested = await createEquivalent('Contested', course);
      const body = { name: 'Late', contents: [{ type: 'EQUIVALENT', id: contested }] };
      const remove = () => api.delete(`/equivalents/${contested}`);
      const make = () => api.post('/bundles', body);
      const [deleted, made] =
        round % 2 === 0
          ? await Promise.all([remove(), make()])
          : (await Promise.all([make(), remove()])).toReversed();
      const statuses = [deleted?.status, made?.status];
      assert.ok(
        [
          [204, 400],
          [409, 201],
        ].some((allowed) => allowed.join() === statuses.join()),
        statuses.join(),
      );
    }
  });

  it('are read with content:read and changed with content:write', async () => {
    const { id } = await api.create('/bundles', { name: 'Guarded', contents: both() });
    const client = await createClient(service.settings.data_dir, { scopes: ['content:read'] });
    const token = await requestToken(service.url, client.clientId, client.clientSecret);
    const reader = new Api(service.url, token);
    assert.equal((await reader.get('/bundles')).status, 200);
    assert.equal((await reader.get(`/bundles/${id}`)).status, 200);
    const body = { name: 'Mine', contents: both() };
    problemErrors(await reader.post('/bundles', body), 403);
    problemErrors(await reader.put(`/bundles/${id}`, body), 403);
    problemErrors(await reader.delete(`/bundles/${id}`), 403);
  });

  it('have a name that reads back in a webhook’s focus', async () => {
    const { id } = await api.create('/bundles', { name: 'Focused', contents: both() });
    const webhook = await api.create('/webhooks', {
      name: 'One bundle',
      topic: 'ACCOUNT_CONTENT',
      target_url: 'http://127.0.0.1:9/',
      focus: [{ webhook_focus_type: 'BUNDLE', webhook_focus_id: id }],
    });
    assert.equal(webhook.focus[0].webhook_focus_name, 'Focused');
  });
});
