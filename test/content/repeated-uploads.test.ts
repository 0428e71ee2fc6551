import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { type Answer, type Api, startTestService, type TestService } from '../support/service.ts';
import { filesOf, importCourse, problemErrors, scormPackage, uploadForm } from './packages.ts';

describe('course requests that are repeated with their Idempotency-Key', () => {
  let service: TestService;
  let api: Api;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });

  const key = (value: string) => ({ 'idempotency-key': value });
  const courseCount = async (): Promise<number> => (await api.get('/courses?limit=200')).body.data.length;

  function assertReplayed(repeated: Answer, first: Answer): void {
    assert.equal(repeated.status, first.status);
    assert.deepEqual(repeated.body, first.body);
    assert.equal(repeated.headers.get('idempotent-replayed'), 'true');
    for (const name of ['location', 'etag']) {
      assert.equal(repeated.headers.get(name), first.headers.get(name));
    }
  }

  it('import a course once, whatever the order of the parts', async () => {
    const [count, files] = [await courseCount(), filesOf(service).content.length];
    const bytes = await scormPackage();
    const first = await api.post('/courses', uploadForm(bytes, { name: 'Once', folder_id: '1' }), key('a'));
    assert.equal(first.status, 201);
    assert.equal(first.headers.get('idempotent-replayed'), null);
    const again = new FormData();
    again.set('folder_id', '1');
    again.set('name', 'Once');
    again.set('file', new Blob([bytes]), 'renamed.zip');
    assertReplayed(await api.post('/courses', again, key('a')), first);
    assert.equal(await courseCount(), count + 1);
    assert.equal(filesOf(service).content.length, files + 1);
    assert.deepEqual(filesOf(service).tmp, []);
  });

  it('import a course once even if they arrive at the same time', async () => {
    const [count, files] = [await courseCount(), filesOf(service).content.length];
    const bytes = await scormPackage();
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => api.post('/courses', uploadForm(bytes), key('b'))),
    );
    const first = answers.find(({ headers }) => headers.get('idempotent-replayed') === null);
    const repeated = answers.filter((answer) => answer !== first);
    assert.equal(repeated.length, 3);
    for (const answer of repeated) assertReplayed(answer, first!);
    assert.equal(await courseCount(), count + 1);
    assert.equal(filesOf(service).content.length, files + 1);
  });

  it('are rejected with another package, name or folder', async () => {
    const form = async (title: string, fields = {}) => uploadForm(await scormPackage(title), fields);
    assert.equal((await api.post('/courses', await form('First'), key('c'))).status, 201);
    const before = [await courseCount(), filesOf(service)];
    problemErrors(await api.post('/courses', await form('Second'), key('c')), 422);
    problemErrors(await api.post('/courses', await form('First', { name: 'x' }), key('c')), 422);
    problemErrors(await api.post('/courses', await form('First', { folder_id: '1' }), key('c')), 422);
    assert.deepEqual([await courseCount(), filesOf(service)], before);
  });

  it('may use the key of a request that failed', async () => {
    const nonsense = uploadForm(new TextEncoder().encode('no zip'));
    problemErrors(await api.post('/courses', nonsense, key('d')), 400);
    assert.equal((await api.post('/courses', uploadForm(await scormPackage()), key('d'))).status, 201);
  });

  it('upload a version once, and get the response even after the course was deleted', async () => {
    const { id } = await importCourse(service);
    const bytes = await scormPackage();
    const upload = () => api.post(`/courses/${id}/versions`, uploadForm(bytes), key('e'));
    const first = await upload();
    assert.equal(first.body.version_id, 1);
    assertReplayed(await upload(), first);
    assert.equal((await api.get(`/courses/${id}`)).body.versions.length, 2);
    await api.delete(`/courses/${id}`);
    const files = filesOf(service);
    assertReplayed(await upload(), first);
    assert.deepEqual(filesOf(service), files);
    const unknown = await api.post('/courses/99999/versions', uploadForm(bytes), key('f'));
    problemErrors(unknown, 404);
  });

  it('publish a version once', async () => {
    const { id } = await importCourse(service);
    await api.create(`/courses/${id}/versions`, uploadForm(await scormPackage()));
    const publish = (version: number, headers = {}) =>
      api.post(`/courses/${id}/versions/${version}/publish`, undefined, headers);
    const first = await publish(1, key('g'));
    assert.equal(first.body.published_version_id, 1);
    await publish(0);
    assertReplayed(await publish(1, key('g')), first);
    assert.equal((await api.get(`/courses/${id}`)).body.published_version_id, 0);
    problemErrors(await publish(0, key('g')), 422);
  });
});
