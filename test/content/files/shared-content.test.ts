import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { newContentKey } from '../../../src/content/files/content-key.ts';
import { S3ContentStore } from '../../../src/content/files/s3-content-store.ts';
import { startS3 } from '../../support/s3.ts';
import { type Answer, startTestService, temporaryFolder, until } from '../../support/service.ts';
import { filesOf, importCourse, problemErrors, scormPackage, uploadForm } from '../packages.ts';

// Runs on SQLite alone: no database takes part in where files are.

const HOUR_MS = 3_600_000;

describe('course files on S3', () => {
  it('exist as long as their course, and nothing is left on the disk', async () => {
    await using s3 = await startS3();
    await using service = await startTestService({
      settings: { content_store: `s3://${s3.bucket}/courses`, content_store_endpoint: s3.endpoint },
    });
    await using store = new S3ContentStore({ bucket: s3.bucket, prefix: 'courses/', endpoint: s3.endpoint });
    const course = await importCourse(service);
    const [key = ''] = await Array.fromAsync(store.keys());
    for (const name of ['imsmanifest.xml', 'index.html']) {
      const file = await store.read(key, name);
      assert.ok(file !== null, name);
      file.stream.destroy();
    }
    assert.deepEqual(filesOf(service), { content: [], tmp: [] });
    assert.equal((await service.api.delete(`/courses/${course.id}`)).status, 204);
    assert.deepEqual(await Array.fromAsync(store.keys()), []);
  });

  it('cause 503 for uploads and a red readiness while S3 is unreachable, leave nothing behind, and recover', async () => {
    await using s3 = await startS3();
    await using service = await startTestService({
      settings: { content_store: `s3://${s3.bucket}`, content_store_endpoint: s3.endpoint },
    });
    const { api } = service;
    await importCourse(service);
    const upload = async (): Promise<Answer> => api.post('/courses', uploadForm(await scormPackage()));

    s3.refuse = () => 500;
    const refused = await upload();
    problemErrors(refused, 503);
    assert.equal(refused.headers.get('retry-after'), '10');
    assert.ok(!/s3|http:|500/i.test(JSON.stringify(refused.body)), 'says nothing of how it is set up');
    const ready = await api.get('/health/ready');
    const { database, content } = ready.body.checks;
    assert.deepEqual([ready.status, database, content], [503, 'ok', 'failed']);
    assert.equal((await api.get('/courses')).body.data.length, 1);

    s3.refuse = () => null;
    assert.equal((await upload()).status, 201);
    assert.equal((await api.get('/health/ready')).status, 200);
    assert.equal((await api.get('/courses')).body.data.length, 2);
    assert.deepEqual(filesOf(service).tmp, []);
  });

  it('prevent a start without S3, with an error that names the setting and the response of S3', async () => {
    await using s3 = await startS3();
    s3.refuse = () => 403;
    const start = startTestService({
      settings: { content_store: `s3://${s3.bucket}`, content_store_endpoint: s3.endpoint },
    });
    await assert.rejects(
      start,
      /the content_store s3:\/\/courses\/ cannot be reached: .+ \(it answered 403\)/,
    );
  });
});

describe('course files in a shared folder', () => {
  it('stay if another instance may still be importing them, and are removed if they are a day old and unused', async () => {
    using folder = temporaryFolder();
    const shared = path.join(folder.path, 'shared');
    const [fresh, old] = [Date.now() - 23 * HOUR_MS, Date.now() - 25 * HOUR_MS].map(newContentKey);
    for (const key of [fresh, old]) {
      mkdirSync(path.join(shared, key!), { recursive: true });
      writeFileSync(path.join(shared, key!, 'index.html'), 'x');
    }
    await using service = await startTestService({ settings: { content_store: shared } });
    await until(() => !existsSync(path.join(shared, old!)), 'the old one went');
    assert.ok(existsSync(path.join(shared, fresh!)));
    await importCourse(service);
    assert.equal(readdirSync(shared).length, 3, 'the fresh one, the course’s, and whose the folder is');
  });

  it('is found again after a restart, and by no other installation', async () => {
    using folder = temporaryFolder();
    const settings = { content_store: path.join(folder.path, 'shared') };
    const dataDir = path.join(folder.path, 'data');
    for (let start = 0; start < 2; start++) {
      await using _service = await startTestService({ dataDir, settings });
    }
    await assert.rejects(startTestService({ settings }), /belongs to another installation/);
  });

  it('a share that is not mounted is detected at startup, before anything is considered lost', async () => {
    using folder = temporaryFolder();
    const shared = path.join(folder.path, 'shared');
    const dataDir = path.join(folder.path, 'data');
    {
      await using service = await startTestService({ dataDir, settings: { content_store: shared } });
      await importCourse(service);
    }
    renameSync(shared, `${shared}-unmounted`);
    mkdirSync(shared);
    const start = startTestService({ dataDir, settings: { content_store: shared } });
    await assert.rejects(
      start,
      /does not hold the files of the courses in this database: is the share mounted/,
    );
    assert.deepEqual(readdirSync(shared), []);
  });

  it('uses the files of the data folder once they were moved there', async () => {
    using folder = temporaryFolder();
    const shared = path.join(folder.path, 'shared');
    const dataDir = path.join(folder.path, 'data');
    {
      await using service = await startTestService({ dataDir });
      await importCourse(service);
    }
    renameSync(path.join(dataDir, 'content'), shared);
    await using service = await startTestService({ dataDir, settings: { content_store: shared } });
    assert.equal((await service.api.get('/courses')).body.data.length, 1);
    assert.ok(readdirSync(shared).includes('coursewire-installation'));
  });
});
