import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import {
  aiccPackage,
  cmi5Package,
  scorm12Files,
  scorm2004Package,
  xapiPackage,
  zipOf,
} from '../support/course-packages.ts';
import { MOMENT } from '../support/moment.ts';
import { Api, createClient, requestToken, startTestService, type TestService } from '../support/service.ts';
import { filesOf, importCourse, problemErrors, scormPackage, uploadForm } from './packages.ts';

const HOME = 1;

describe('courses', () => {
  let service: TestService;
  let api: Api;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
  });

  async function uploadVersion(courseId: number, packageBytes?: Uint8Array<ArrayBuffer>) {
    return await api.post(
      `/courses/${courseId}/versions`,
      uploadForm(packageBytes ?? (await scormPackage())),
    );
  }

  it('are imported from a package, their version 0 published', async () => {
    const folder = await api.create('/folders', { name: 'Safety' });
    const imported = await api.post(
      '/courses',
      uploadForm(await scormPackage('Fire safety'), { folder_id: String(folder.id) }),
    );
    assert.equal(imported.status, 201);
    const { id, created_dt, ...record } = imported.body;
    assert.equal(imported.headers.get('location'), `/courses/${id}`);
    assert.equal(imported.headers.get('etag'), '"1"');
    assert.match(created_dt, MOMENT);
    assert.deepEqual(record, {
      name: 'Fire safety',
      version_id: 0,
      published_version_id: 0,
      learning_standard: 'SCORM_12',
      location: 'Home > Safety',
      folder_id: folder.id,
      warnings: [],
      updated_dt: created_dt,
    });
  });

  it('are created in Home with the package’s title by default', async () => {
    const plain = await importCourse(service);
    assert.deepEqual([plain.name, plain.folder_id, plain.location], ['Fire safety', HOME, 'Home']);
    const named = await importCourse(service, { name: 'Brandschutz für alle' });
    assert.equal(named.name, 'Brandschutz für alle');
    const long = await api.create('/courses', uploadForm(await scormPackage('Long '.repeat(100))));
    assert.equal(long.name.length, 200);
    assert.match(long.name, /^Long Long .*…$/);
    assert.equal((await api.put(`/courses/${long.id}`, long)).status, 200);
  });

  for (const [standard, make] of [
    ['SCORM_2004_2ND_EDITION', () => scorm2004Package({ edition: '2nd' })],
    ['SCORM_2004_3RD_EDITION', () => scorm2004Package({ edition: '3rd' })],
    ['SCORM_2004_4TH_EDITION', () => scorm2004Package({ edition: '4th' })],
    ['AICC', () => aiccPackage()],
    ['CMI5', () => cmi5Package()],
    ['XAPI', () => xapiPackage()],
  ] as const) {
    it(`may follow ${standard}`, async () => {
      const course = await api.create('/courses', uploadForm(new Uint8Array(await make())));
      assert.equal(course.learning_standard, standard);
    });
  }

  it('keep the files of their package, and its warnings', async () => {
    const before = filesOf(service).content;
    const files = {
      'Course/imsmanifest.xml': String(scorm12Files({ title: 'Wrapped' })['imsmanifest.xml']),
      'Course/index.html': '<p>It works</p>',
    };
    const course = await api.create('/courses', uploadForm(new Uint8Array(await zipOf(files))));
    assert.equal(course.warnings.length, 1);
    assert.match(course.warnings[0], /in the folder "Course\/" of the zip/);

    const [key, ...others] = filesOf(service).content.filter((name) => !before.includes(name));
    assert.deepEqual(others, []);
    const page = path.join(service.settings.data_dir, 'content', key!, 'Course', 'index.html');
    assert.equal(await readFile(page, 'utf8'), '<p>It works</p>');
    assert.deepEqual(filesOf(service).tmp, []);

    const { versions } = (await api.get(`/courses/${course.id}`)).body;
    const byteCount = Object.values(files).reduce((sum, file) => sum + Buffer.byteLength(file), 0);
    assert.deepEqual(versions, [
      {
        version_id: 0,
        learning_standard: 'SCORM_12',
        title: 'Wrapped',
        published: true,
        warnings: course.warnings,
        file_count: 2,
        byte_count: byteCount,
        created_dt: course.created_dt,
      },
    ]);
  });

  it('get further versions, which are published later or never', async () => {
    const { id, name } = await importCourse(service, { name: 'Versioned' });
    const uploaded = await uploadVersion(id, new Uint8Array(await cmi5Package()));
    assert.equal(uploaded.status, 201);
    assert.equal(uploaded.headers.get('location'), `/courses/${id}`);
    assert.equal(uploaded.headers.get('etag'), '"2"');
    const { version_id, published_version_id, learning_standard } = uploaded.body;
    assert.deepEqual([version_id, published_version_id, learning_standard], [1, 0, 'CMI5']);
    assert.equal(uploaded.body.name, name);
    assert.equal((await uploadVersion(id)).body.version_id, 2);

    const published = await api.post(`/courses/${id}/versions/1/publish`);
    assert.equal(published.status, 200);
    assert.deepEqual([published.body.version_id, published.body.published_version_id], [2, 1]);
    const again = await api.post(`/courses/${id}/versions/1/publish`);
    assert.equal(again.status, 200);
    assert.deepEqual(again.body, published.body);
    assert.equal(again.headers.get('etag'), published.headers.get('etag'));
    assert.equal((await api.post(`/courses/${id}/versions/0/publish`)).body.published_version_id, 0);

    const { versions, ...record } = (await api.get(`/courses/${id}`)).body;
    assert.equal(record.published_version_id, 0);
    const shown = versions.map((version: Record<string, unknown>) => [
      version.version_id,
      version.learning_standard,
      version.published,
    ]);
    assert.deepEqual(shown, [
      [0, 'SCORM_12', true],
      [1, 'CMI5', false],
      [2, 'SCORM_12', false],
    ]);
    problemErrors(await api.post(`/courses/${id}/versions/3/publish`), 404);
    problemErrors(await api.post(`/courses/${id}/versions/-1/publish`), 404);
    problemErrors(await api.post('/courses/99999/versions/0/publish'), 404);
  });

  it('give different ids to versions that are uploaded at the same time', async () => {
    const { id } = await importCourse(service);
    const answers = await Promise.all(Array.from({ length: 6 }, () => uploadVersion(id)));
    assert.deepEqual(answers.map(({ body }) => body.version_id).sort(), [1, 2, 3, 4, 5, 6]);
    const { versions, version_id } = (await api.get(`/courses/${id}`)).body;
    assert.equal(versions.length, 7);
    assert.equal(version_id, 6);
  });

  it('are listed by id, page by page, without their versions', async () => {
    const first = await importCourse(service, { name: 'Listed 1' });
    const second = await importCourse(service, { name: 'Listed 2' });
    const cursor = Buffer.from(String(first.id - 1)).toString('base64url');
    const page = await api.get(`/courses?limit=1&cursor=${cursor}`);
    assert.equal(page.status, 200);
    assert.deepEqual(page.body.data, [first]);
    const next = await api.get(`/courses?limit=1&cursor=${page.body.next_cursor}`);
    assert.deepEqual(next.body, { data: [second], next_cursor: null });
    problemErrors(await api.get('/courses?limit=0'), 400);
  });

  it('are renamed and moved', async () => {
    const course = await importCourse(service, { name: 'Old name' });
    const folder = await api.create('/folders', { name: 'Archive' });
    const moved = await api.put(`/courses/${course.id}`, { name: 'New name', folder_id: folder.id });
    assert.equal(moved.status, 200);
    const { name, folder_id, location, version_id } = moved.body;
    assert.deepEqual([name, folder_id, location, version_id], ['New name', folder.id, 'Home > Archive', 0]);

    const read = await api.get(`/courses/${course.id}`);
    const sentBack = await api.put(`/courses/${course.id}`, read.body);
    assert.deepEqual(sentBack.body, moved.body);
    assert.equal(sentBack.headers.get('etag'), read.headers.get('etag'));
  });

  it('are not partly renamed or moved, nor to a missing folder', async () => {
    const { id } = await importCourse(service, { name: 'Steady' });
    const partly = await api.put(`/courses/${id}`, { name: 'Steady', file: 1 });
    assert.deepEqual(Object.keys(problemErrors(partly, 400)).sort(), ['/file', '/folder_id']);
    const nowhere = await api.put(`/courses/${id}`, { name: 'Steady', folder_id: 99_999 });
    assert.deepEqual(problemErrors(nowhere, 400), { '/folder_id': 'there is no folder 99999' });
    problemErrors(await api.put('/courses/99999', { name: 'x', folder_id: HOME }), 404);
  });

  it('are changed with If-Match only if nobody changed them since', async () => {
    const { id } = await importCourse(service);
    const stale = { 'if-match': '"8"' };
    problemErrors(await api.put(`/courses/${id}`, { name: 'x', folder_id: HOME }, stale), 412);
    problemErrors(await api.delete(`/courses/${id}`, stale), 412);
    problemErrors(await api.post(`/courses/${id}/versions/0/publish`, undefined, stale), 412);
    const upload = uploadForm(await scormPackage());
    problemErrors(await api.post(`/courses/${id}/versions`, upload, stale), 412);
    assert.equal((await api.get(`/courses/${id}`)).body.versions.length, 1);
    const current = { 'if-match': '"1"' };
    const uploads = await Promise.all([1, 2].map(() => api.post(`/courses/${id}/versions`, upload, current)));
    assert.deepEqual(
      uploads.map(({ status }) => status).sort(),
      [201, 412],
      'the second upload finds it changed',
    );
    problemErrors(await api.delete(`/courses/${id}`, current), 412);
    assert.equal((await api.delete(`/courses/${id}`, { 'if-match': '"2"' })).status, 204);
  });

  it('are deleted with all their versions and files', async () => {
    const before = filesOf(service);
    const { id } = await importCourse(service);
    await uploadVersion(id);
    assert.equal(filesOf(service).content.length, before.content.length + 2);
    const deleted = await api.delete(`/courses/${id}`);
    assert.equal(deleted.status, 204);
    assert.equal(deleted.body, '');
    assert.deepEqual(filesOf(service), before);
    problemErrors(await api.get(`/courses/${id}`), 404);
    problemErrors(await api.delete(`/courses/${id}`), 404);
    problemErrors(await uploadVersion(id), 404);
  });

  it('are complete or deleted if publishing, uploading and deleting are concurrent', async () => {
    for (let round = 0; round < 3; round++) {
      const before = filesOf(service);
      const { id } = await importCourse(service);
      await uploadVersion(id);
      const [published, uploaded, deleted] = await Promise.all([
        api.post(`/courses/${id}/versions/1/publish`),
        uploadVersion(id),
        api.delete(`/courses/${id}`),
      ]);
      assert.ok([200, 404].includes(published.status), JSON.stringify(published.body));
      assert.ok([201, 404].includes(uploaded.status), JSON.stringify(uploaded.body));
      assert.equal(deleted.status, 204);
      problemErrors(await api.get(`/courses/${id}`), 404);
      assert.deepEqual(filesOf(service), before);
    }
  });

  it('are never left in a folder that is deleted during their import', async () => {
    for (let round = 0; round < 5; round++) {
      const folder = await api.create('/folders', { name: 'Short-lived' });
      const [imported, deleted] = await Promise.all([
        api.post('/courses', uploadForm(await scormPackage(), { folder_id: String(folder.id) })),
        api.delete(`/folders/${folder.id}`),
      ]);
      if (deleted.status === 204) {
        assert.deepEqual(problemErrors(imported, 400), {
          '/folder_id': `there is no folder ${folder.id}`,
        });
      } else {
        problemErrors(deleted, 409);
        assert.equal(imported.status, 201);
      }
    }
    assert.deepEqual(filesOf(service).tmp, []);
  });

  it('are read with content:read and changed with content:write', async () => {
    const { id } = await importCourse(service);
    const client = await createClient(service.settings.data_dir, { scopes: ['content:read'] });
    const reader = new Api(
      service.url,
      await requestToken(service.url, client.clientId, client.clientSecret),
    );
    assert.equal((await reader.get(`/courses/${id}`)).status, 200);
    assert.equal((await reader.get('/courses')).status, 200);
    const form = uploadForm(await scormPackage());
    problemErrors(await reader.post('/courses', form), 403);
    problemErrors(await reader.post(`/courses/${id}/versions`, form), 403);
    problemErrors(await reader.post(`/courses/${id}/versions/0/publish`), 403);
    problemErrors(await reader.put(`/courses/${id}`, { name: 'x', folder_id: HOME }), 403);
    problemErrors(await reader.delete(`/courses/${id}`), 403);
    assert.deepEqual(filesOf(service).tmp, []);
  });
});
