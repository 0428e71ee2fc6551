import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { MOMENT } from '../support/moment.ts';
import { Api, createClient, requestToken, startTestService, type TestService } from '../support/service.ts';
import { importCourse, problemErrors } from './packages.ts';

const HOME = 1;

describe('equivalents', () => {
  let service: TestService;
  let api: Api;
  let german: number;
  let english: number;
  let folder: number;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
    german = (await importCourse(service, { name: 'Brandschutz' })).id;
    english = (await importCourse(service, { name: 'Fire safety' })).id;
    folder = (await api.create('/folders', { name: 'Safety' })).id;
  });

  const both = () => [
    { course_id: german, language: 'de' },
    { course_id: english, language: 'en-GB' },
  ];

  it('are created from one course per language, and returned with the courses’ names and the folder’s path', async () => {
    const made = await api.post('/equivalents', { name: 'Fire', folder_id: folder, courses: both() });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('location'), `/equivalents/${made.body.id}`);
    assert.equal(made.headers.get('etag'), '"1"');
    const { id, created_dt, updated_dt, ...record } = made.body;
    assert.deepEqual(record, {
      name: 'Fire',
      folder_id: folder,
      location: 'Home > Safety',
      courses: [
        { course_id: german, language: 'de', name: 'Brandschutz' },
        { course_id: english, language: 'en-GB', name: 'Fire safety' },
      ],
    });
    assert.match(created_dt, MOMENT);
    assert.equal(updated_dt, created_dt);
    const read = await api.get(`/equivalents/${id}`);
    assert.equal(read.headers.get('etag'), '"1"');
    assert.deepEqual(read.body, made.body);
  });

  it('are created in Home by default, and may have one course for several languages', async () => {
    const courses = [
      { course_id: german, language: 'de-AT' },
      { course_id: german, language: 'de-CH' },
    ];
    const record = await api.create('/equivalents', { name: 'German', courses });
    assert.deepEqual([record.folder_id, record.location], [HOME, 'Home']);
    assert.deepEqual(
      record.courses.map(({ course_id, language }: { course_id: number; language: string }) => [
        course_id,
        language,
      ]),
      [
        [german, 'de-AT'],
        [german, 'de-CH'],
      ],
    );
  });

  it('keep languages in their canonical spelling, in which none repeats', async () => {
    const courses = [
      { course_id: german, language: 'ZH-hant-tw' },
      { course_id: english, language: 'iw' },
    ];
    const record = await api.create('/equivalents', { name: 'Spelled', courses });
    assert.deepEqual(
      record.courses.map(({ language }: { language: string }) => language),
      ['zh-Hant-TW', 'he'],
    );
    const repeated = [...both(), { course_id: german, language: 'EN-gb' }];
    assert.deepEqual(problemErrors(await api.post('/equivalents', { name: 'x', courses: repeated }), 400), {
      '/courses/2/language': 'must not repeat the language of /courses/1',
    });
  });

  it('are refused with every offending member named', async () => {
    const courses = [
      { course_id: 99_999, language: 'de' },
      { course_id: english, language: 'not a language' },
      { course_id: 88_888, language: 'DE' },
    ];
    const wrong = { name: 'x', folder_id: 77_777, courses };
    const expected = {
      '/courses/0/course_id': 'there is no course 99999',
      '/courses/1/language':
        'must be a language tag (BCP 47), such as de-CH; most grandfathered tags, and tags that begin with x-, are not accepted',
      '/courses/2/course_id': 'there is no course 88888',
      '/courses/2/language': 'must not repeat the language of /courses/0',
      '/folder_id': 'there is no folder 77777',
    };
    assert.deepEqual(problemErrors(await api.post('/equivalents', wrong), 400), expected);
    const { id } = await api.create('/equivalents', { name: 'x', courses: both() });
    assert.deepEqual(problemErrors(await api.put(`/equivalents/${id}`, wrong), 400), expected);

    const shapeless = { name: ' ', courses: [{ course_id: 'x', lang: 'de' }], course: 1 };
    assert.deepEqual(Object.keys(problemErrors(await api.post('/equivalents', shapeless), 400)).sort(), [
      '/course',
      '/courses/0/course_id',
      '/courses/0/lang',
      '/courses/0/language',
      '/name',
    ]);
    for (const none of [{ name: 'x' }, { name: 'x', courses: [] }]) {
      assert.deepEqual(Object.keys(problemErrors(await api.post('/equivalents', none), 400)), ['/courses']);
    }
    for (const id of ['99999', 'x', '0', '9007199254740993']) {
      problemErrors(await api.get(`/equivalents/${id}`), 404);
      problemErrors(await api.put(`/equivalents/${id}`, { name: 'x', courses: both() }), 404);
      problemErrors(await api.delete(`/equivalents/${id}`), 404);
    }
  });

  it('are listed by id with their courses, page by page', async () => {
    const ids: number[] = [];
    for (const name of ['Page 1', 'Page 2', 'Page 3']) {
      ids.push((await api.create('/equivalents', { name, courses: both() })).id);
    }
    const before = Buffer.from(String(ids[0]! - 1)).toString('base64url');
    const page = (await api.get(`/equivalents?limit=2&cursor=${before}`)).body;
    assert.deepEqual(
      page.data.map((each: { id: number; courses: unknown[] }) => [each.id, each.courses.length]),
      [
        [ids[0], 2],
        [ids[1], 2],
      ],
    );
    assert.deepEqual(page.data[0], (await api.get(`/equivalents/${ids[0]}`)).body);
    const next = (await api.get(`/equivalents?limit=2&cursor=${page.next_cursor}`)).body;
    assert.deepEqual([next.data[0].id, next.data.length, next.next_cursor], [ids[2], 1, null]);
  });

  it('are renamed, moved and given other courses by PUT, which replaces them completely', async () => {
    const made = await api.create('/equivalents', { name: 'Old', folder_id: folder, courses: both() });
    const courses = [{ course_id: english, language: 'fr' }, ...both().slice(0, 1)];
    const changed = await api.put(`/equivalents/${made.id}`, { name: 'New', courses });
    assert.equal(changed.status, 200);
    assert.equal(changed.headers.get('etag'), '"2"');
    assert.deepEqual([changed.body.name, changed.body.location], ['New', 'Home']);
    assert.deepEqual(
      changed.body.courses.map(({ language }: { language: string }) => language),
      ['fr', 'de'],
    );
    assert.deepEqual((await api.get(`/equivalents/${made.id}`)).body, changed.body);
  });

  it('are changed by the same courses in another order', async () => {
    const made = await api.create('/equivalents', { name: 'Ordered', courses: both() });
    const courses = both().toReversed();
    const reversed = await api.put(`/equivalents/${made.id}`, { name: 'Ordered', courses });
    assert.equal(reversed.headers.get('etag'), '"2"');
    const { body } = await api.get(`/equivalents/${made.id}`);
    assert.deepEqual(body.courses, made.courses.toReversed());
    assert.deepEqual(reversed.body, body);
  });

  it('do not change if the record is sent back as it was read', async () => {
    const made = await api.create('/equivalents', { name: 'Same', folder_id: folder, courses: both() });
    const same = await api.put(`/equivalents/${made.id}`, made);
    assert.equal(same.headers.get('etag'), '"1"');
    assert.deepEqual(same.body, made);
  });

  it('show the new names of their courses and folders', async () => {
    const { id: course } = await importCourse(service, { name: 'Before' });
    const { id: place } = await api.create('/folders', { name: 'Here' });
    const courses = [{ course_id: course, language: 'en' }];
    const { id } = await api.create('/equivalents', { name: 'Follows', folder_id: place, courses });
    await api.put(`/courses/${course}`, { name: 'After', folder_id: HOME });
    await api.put(`/folders/${place}`, { name: 'There' });
    const { body } = await api.get(`/equivalents/${id}`);
    assert.deepEqual([body.courses[0].name, body.location], ['After', 'Home > There']);
  });

  it('are changed and deleted with If-Match only if nobody changed them since', async () => {
    const { id } = await api.create('/equivalents', { name: 'Matched', courses: both() });
    const change = { name: 'Matched again', courses: both() };
    problemErrors(await api.put(`/equivalents/${id}`, change, { 'if-match': '"7"' }), 412);
    const changed = await api.put(`/equivalents/${id}`, change, { 'if-match': '"1"' });
    assert.equal(changed.headers.get('etag'), '"2"');
    problemErrors(await api.delete(`/equivalents/${id}`, { 'if-match': '"1"' }), 412);
    assert.equal((await api.delete(`/equivalents/${id}`, { 'if-match': '"2"' })).status, 204);
    problemErrors(await api.get(`/equivalents/${id}`), 404);
  });

  it('are created once for one Idempotency-Key', async () => {
    const body = { name: 'Once', courses: both() };
    const key = { 'idempotency-key': 'equivalent-once' };
    const first = await api.post('/equivalents', body, key);
    const second = await api.post('/equivalents', body, key);
    assert.deepEqual([second.status, second.body], [201, first.body]);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    problemErrors(await api.post('/equivalents', { ...body, name: 'Twice' }, key), 422);
  });

  it('keep their courses and folder from being deleted', async () => {
    const { id: course } = await importCourse(service, { name: 'Held' });
    const { id: place } = await api.create('/folders', { name: 'Occupied' });
    const ids: number[] = [];
    for (const language of ['en', 'fr']) {
      const courses = [
        { course_id: course, language },
        { course_id: course, language: `${language}-CA` },
      ];
      const made = await api.create('/equivalents', { name: language, folder_id: place, courses });
      ids.push(made.id);
    }
    const held = await api.delete(`/courses/${course}`);
    problemErrors(held, 409);
    assert.equal(held.body.detail, 'The course is in use by 2 equivalents');
    const occupied = await api.delete(`/folders/${place}`);
    problemErrors(occupied, 409);
    assert.equal(occupied.body.detail, 'The folder is not empty: it contains equivalents');
    for (const id of ids) assert.equal((await api.delete(`/equivalents/${id}`)).status, 204);
    assert.equal((await api.delete(`/courses/${course}`)).status, 204);
    assert.equal((await api.delete(`/folders/${place}`)).status, 204);
  });

  it('are not left with a deleted course or folder if that is deleted at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const { id: course } = await importCourse(service, { name: 'Contested' });
      const { id: place } = await api.create('/folders', { name: 'Contested' });
      const body = { name: 'Late', folder_id: place, courses: [{ course_id: course, language: 'en' }] };
      const calls = [
        () => api.delete(`/courses/${course}`),
        () => api.delete(`/folders/${place}`),
        () => api.post('/equivalents', body),
      ];
      const started = (round % 2 === 0 ? calls : calls.toReversed()).map((call) => call());
      const [deleted, removed, made] = await Promise.all(round % 2 === 0 ? started : started.toReversed());
      if (made?.status === 201) {
        assert.deepEqual([deleted?.status, removed?.status], [409, 409]);
        assert.equal((await api.get(`/equivalents/${made.body.id}`)).body.courses.length, 1);
      } else {
        assert.equal(made?.status, 400);
        assert.ok(deleted?.status === 204 || removed?.status === 204);
      }
    }
  });

  it('are read with content:read and changed with content:write', async () => {
    const { id } = await api.create('/equivalents', { name: 'Guarded', courses: both() });
    const client = await createClient(service.settings.data_dir, { scopes: ['content:read'] });
    const token = await requestToken(service.url, client.clientId, client.clientSecret);
    const reader = new Api(service.url, token);
    assert.equal((await reader.get('/equivalents')).status, 200);
    assert.equal((await reader.get(`/equivalents/${id}`)).status, 200);
    const body = { name: 'Mine', courses: both() };
    problemErrors(await reader.post('/equivalents', body), 403);
    problemErrors(await reader.put(`/equivalents/${id}`, body), 403);
    problemErrors(await reader.delete(`/equivalents/${id}`), 403);
  });

  it('have a name that reads back in a webhook’s focus', async () => {
    const { id } = await api.create('/equivalents', { name: 'Focused', courses: both() });
    const webhook = await api.create('/webhooks', {
      name: 'One equivalent',
      topic: 'ACCOUNT_CONTENT',
      target_url: 'http://127.0.0.1:9/',
      focus: [{ webhook_focus_type: 'EQUIVALENT', webhook_focus_id: id }],
    });
    assert.equal(webhook.focus[0].webhook_focus_name, 'Focused');
  });
});
