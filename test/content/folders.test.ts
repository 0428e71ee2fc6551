import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { MOMENT } from '../support/moment.ts';
import {
  Api,
  createClient,
  requestToken,
  startTestService,
  type TestService,
  temporaryFolder,
} from '../support/service.ts';
import { importCourse, problemErrors } from './packages.ts';

const HOME = 1;

describe('folders', () => {
  let service: TestService;
  let api: Api;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });

  /** Folders one within the other, below Home; their ids. */
  async function nested(...names: string[]): Promise<number[]> {
    const ids: number[] = [];
    for (const name of names) {
      const folder = await api.create('/folders', { name, parent_id: ids.at(-1) ?? HOME });
      ids.push(folder.id);
    }
    return ids;
  }

  /** The path of a folder, its own name included. */
  const pathOf = async (id: number): Promise<string> => {
    const { location, name } = (await api.get(`/folders/${id}`)).body;
    return location === '' ? name : `${location} > ${name}`;
  };

  it('begin with the root, Home', async () => {
    const { status, headers, body } = await api.get(`/folders/${HOME}`);
    assert.equal(status, 200);
    assert.equal(headers.get('etag'), '"1"');
    const { created_dt, updated_dt, ...record } = body;
    assert.deepEqual(record, { id: HOME, name: 'Home', parent_id: null, location: '' });
    assert.match(created_dt, MOMENT);
    assert.equal(updated_dt, created_dt);
  });

  it('are created in Home, or in the given folder', async () => {
    const made = await api.post('/folders', { name: 'Safety' });
    assert.equal(made.status, 201);
    assert.equal(made.headers.get('location'), `/folders/${made.body.id}`);
    assert.equal(made.headers.get('etag'), '"1"');
    assert.equal(made.body.parent_id, HOME);
    assert.equal(made.body.location, 'Home', 'the path of the parent folder');

    const within = await api.create('/folders', { name: '2026', parent_id: made.body.id });
    assert.equal(within.parent_id, made.body.id);
    assert.equal(within.location, 'Home > Safety');
    assert.deepEqual((await api.get(`/folders/${within.id}`)).body, within);
  });

  it('are listed by id, page by page', async () => {
    const [first, second, third] = await nested('Page 1', 'Page 2', 'Page 3');
    const before = Buffer.from(String(first! - 1)).toString('base64url');
    const page = await api.get(`/folders?limit=2&cursor=${before}`);
    assert.deepEqual(
      page.body.data.map((folder: { id: number; location: string }) => [folder.id, folder.location]),
      [
        [first, 'Home'],
        [second, 'Home > Page 1'],
      ],
    );
    const next = await api.get(`/folders?limit=2&cursor=${page.body.next_cursor}`);
    assert.equal(next.body.data[0].id, third);
    assert.equal(next.body.next_cursor, null);
  });

  it('keep their contents when they are renamed or moved', async () => {
    const [top, middle, bottom] = await nested('Top', 'Middle', 'Bottom');
    const [other] = await nested('Other');
    const course = await importCourse(service, { folder_id: String(bottom) });
    assert.equal(course.location, 'Home > Top > Middle > Bottom');

    const renamed = await api.put(`/folders/${top}`, { name: 'Peak', parent_id: HOME });
    assert.equal(renamed.status, 200);
    assert.equal(renamed.body.location, 'Home');
    assert.equal((await api.get(`/folders/${middle}`)).body.location, 'Home > Peak');
    assert.equal(await pathOf(bottom!), 'Home > Peak > Middle > Bottom');

    const moved = await api.put(`/folders/${middle}`, { name: 'Middle', parent_id: other });
    assert.equal(moved.body.parent_id, other);
    assert.equal(await pathOf(bottom!), 'Home > Other > Middle > Bottom');
    const { location } = (await api.get(`/courses/${course.id}`)).body;
    assert.equal(location, 'Home > Other > Middle > Bottom');
  });

  it('move to Home if PUT omits their parent or sets it to null', async () => {
    const [, first] = await nested('Outer', 'Inner 1');
    assert.equal((await api.put(`/folders/${first}`, { name: 'Inner 1' })).body.location, 'Home');
    const [, second] = await nested('Outer', 'Inner 2');
    const answer = await api.put(`/folders/${second}`, { name: 'Inner 2', parent_id: null });
    assert.equal(answer.body.location, 'Home');
  });

  it('do not change when the record is sent back as it was read', async () => {
    const [, id] = await nested('Holder', 'Held');
    const read = await api.get(`/folders/${id}`);
    const sentBack = await api.put(`/folders/${id}`, read.body);
    assert.equal(sentBack.status, 200);
    assert.deepEqual(sentBack.body, read.body);
    assert.equal(sentBack.headers.get('etag'), read.headers.get('etag'));
    const home = (await api.get(`/folders/${HOME}`)).body;
    assert.deepEqual((await api.put(`/folders/${HOME}`, home)).body, home);
  });

  it('are never moved into themselves or their contents', async () => {
    const [outer, inner, innermost] = await nested('Outer', 'Inner', 'Innermost');
    for (const parent of [outer, inner, innermost]) {
      const answer = await api.put(`/folders/${outer}`, { name: 'Outer', parent_id: parent });
      assert.deepEqual(problemErrors(answer, 409), {
        '/parent_id': 'must not be the folder itself or one of its subfolders',
      });
    }
    assert.equal(await pathOf(innermost!), 'Home > Outer > Inner > Innermost');
  });

  it('form no cycle when two are moved into each other at once', async () => {
    for (let round = 0; round < 5; round++) {
      const [left] = await nested('Left');
      const [right] = await nested('Right');
      const answers = await Promise.all([
        api.put(`/folders/${left}`, { name: 'Left', parent_id: right }),
        api.put(`/folders/${right}`, { name: 'Right', parent_id: left }),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
      assert.deepEqual(
        new Set([await pathOf(left!), await pathOf(right!)]),
        answers[0].status === 200
          ? new Set(['Home > Right > Left', 'Home > Right'])
          : new Set(['Home > Left > Right', 'Home > Left']),
      );
    }
  });

  it('are deleted only when they are empty', async () => {
    const [outer, inner] = await nested('Full', 'Fuller');
    const course = await importCourse(service, { folder_id: String(inner) });
    const full = await api.delete(`/folders/${outer}`);
    problemErrors(full, 409);
    assert.match(full.body.detail, /contains folders/);
    const fuller = await api.delete(`/folders/${inner}`);
    problemErrors(fuller, 409);
    assert.match(fuller.body.detail, /contains courses/);

    assert.equal((await api.delete(`/courses/${course.id}`)).status, 204);
    assert.equal((await api.delete(`/folders/${inner}`)).status, 204);
    problemErrors(await api.get(`/folders/${inner}`), 404);
    problemErrors(await api.delete(`/folders/${inner}`), 404);
    assert.equal((await api.delete(`/folders/${outer}`)).status, 204);
  });

  it('include Home, which cannot be changed, moved or deleted', async () => {
    const [elsewhere] = await nested('Elsewhere');
    problemErrors(await api.put(`/folders/${HOME}`, { name: 'House' }), 409);
    problemErrors(await api.put(`/folders/${HOME}`, { name: 'Home', parent_id: elsewhere }), 409);
    problemErrors(await api.put(`/folders/${HOME}`, { name: 'Home', parent_id: HOME }), 409);
    problemErrors(await api.delete(`/folders/${HOME}`), 409);
    assert.equal(await pathOf(HOME), 'Home');
  });

  it('nest at most 50 levels deep, whether created or moved there', async () => {
    const ids = await nested(...Array.from({ length: 50 }, (_, index) => `L${index + 1}`));
    const deepest = ids.at(-1)!;
    assert.equal((await pathOf(deepest)).split(' > ').length, 51);
    const beyond = await api.post('/folders', { name: 'L51', parent_id: deepest });
    assert.deepEqual(problemErrors(beyond, 409), {
      '/parent_id': 'would nest folders more than 50 levels deep',
    });
    assert.match(beyond.body.detail, /^The folder cannot be there: its parent would nest folders /);

    const [pair] = await nested('Two', 'Levels');
    const move = (parent: number) => api.put(`/folders/${pair}`, { name: 'Two', parent_id: parent });
    problemErrors(await move(ids[48]!), 409);
    assert.equal((await move(ids[47]!)).status, 200);
  });

  it('are created once when the request is repeated with its Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'a-folder' };
    const first = await api.post('/folders', { name: 'Once' }, key);
    const again = await api.post('/folders', { name: 'Once' }, key);
    assert.equal(again.status, 201);
    assert.deepEqual(again.body, first.body);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('location'), first.headers.get('location'));
    problemErrors(await api.post('/folders', { name: 'Twice' }, key), 422);
  });

  it('are changed and deleted with If-Match only if nobody changed them since', async () => {
    const [id] = await nested('Matched');
    const change = { name: 'Matched again' };
    problemErrors(await api.put(`/folders/${id}`, change, { 'if-match': '"7"' }), 412);
    const changed = await api.put(`/folders/${id}`, change, { 'if-match': '"1"' });
    assert.equal(changed.headers.get('etag'), '"2"');
    problemErrors(await api.delete(`/folders/${id}`, { 'if-match': '"1"' }), 412);
    assert.equal((await api.delete(`/folders/${id}`, { 'if-match': '"2"' })).status, 204);
  });

  it('are refused with every offending member named', async () => {
    const errors = problemErrors(await api.post('/folders', { name: 5, parent_id: 'x', parent: 1 }), 400);
    assert.deepEqual(Object.keys(errors).sort(), ['/name', '/parent', '/parent_id']);
    assert.deepEqual(problemErrors(await api.post('/folders', { name: 'x', parent_id: 99_999 }), 400), {
      '/parent_id': 'there is no folder 99999',
    });
    const [id] = await nested('Placed');
    assert.deepEqual(problemErrors(await api.put(`/folders/${id}`, { name: 'x', parent_id: 99_999 }), 400), {
      '/parent_id': 'there is no folder 99999',
    });
    for (const name of ['', ' ', 'a\nb', 'a\u0000b', 'x'.repeat(201)]) {
      assert.deepEqual(Object.keys(problemErrors(await api.post('/folders', { name }), 400)), ['/name']);
    }
    problemErrors(await api.get('/folders/99999'), 404);
    problemErrors(await api.put('/folders/x', { name: 'x' }), 404);
  });

  it('are read with content:read and changed with content:write', async () => {
    const client = await createClient(service.settings.data_dir, { scopes: ['content:read'] });
    const reader = new Api(
      service.url,
      await requestToken(service.url, client.clientId, client.clientSecret),
    );
    assert.equal((await reader.get('/folders')).status, 200);
    problemErrors(await reader.post('/folders', { name: 'Mine' }), 403);
    problemErrors(await reader.put(`/folders/${HOME}`, { name: 'Mine' }), 403);
    problemErrors(await reader.delete(`/folders/${HOME}`), 403);
    problemErrors(await new Api(service.url, 'no token').get('/folders'), 401);
  });

  it('do not send the service into an endless loop if the database contains a cycle', async () => {
    const [outer, inner] = await nested('Head', 'Tail');
    const move = (parent: number) =>
      runSql(service.settings.data_dir, 'update folders set parent_id = ? where id = ?', parent, outer!);
    await move(inner!);
    assert.equal((await api.get(`/folders/${outer}`)).status, 200);
    const [other] = await nested('Other');
    assert.ok((await api.put(`/folders/${outer}`, { name: 'Head', parent_id: other })).status < 500);
    await move(HOME);
    assert.equal(await pathOf(inner!), 'Home > Head > Tail');
  });

  it('have a name that reads back in a webhook’s focus', async () => {
    const [id] = await nested('Focused');
    const webhook = await api.create('/webhooks', {
      name: 'In a folder',
      topic: 'ACCOUNT_CONTENT',
      target_url: 'http://127.0.0.1:9/',
      focus: [{ webhook_focus_type: 'FOLDER', webhook_focus_id: id }],
    });
    assert.deepEqual(webhook.focus, [
      { webhook_focus_type: 'FOLDER', webhook_focus_id: id, webhook_focus_name: 'Focused' },
    ]);
  });
});

it('Home is created once, and later starts leave the tree alone', async () => {
  using folder = temporaryFolder();
  let made: number;
  {
    await using first = await startTestService({ dataDir: folder.path });
    made = (await first.api.create('/folders', { name: 'Kept' })).id;
  }
  await using second = await startTestService({ dataDir: folder.path });
  const { data } = (await second.api.get('/folders')).body;
  assert.deepEqual(
    data.map(({ id, location }: { id: number; location: string }) => [id, location]),
    [
      [HOME, ''],
      [made, 'Home'],
    ],
  );
});
