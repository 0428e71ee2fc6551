import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { newContentKey } from '../../../src/content/files/content-key.ts';
import { S3ContentStore } from '../../../src/content/files/s3-content-store.ts';
import { HOUR_MS } from '../../../src/time/units.ts';
import { runCommand } from '../../support/command-line-in-process.ts';
import { scorm12Files, zipOf } from '../../support/course-packages.ts';
import { TEST_TIMEOUT_MS } from '../../support/deadline.ts';
import { startS3 } from '../../support/s3.ts';
import { type Answer, startTestService, temporaryFolder, until } from '../../support/service.ts';
import { startTarget } from '../../support/target.ts';
import { filesOf, importCourse, problemErrors, scormPackage, uploadForm } from '../packages.ts';

// Runs on SQLite alone: storing files does not involve the database.

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

  it('do not delay the deletion of their course or a stop while S3 does not respond, and stay until it does', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    await using s3 = await startS3();
    await using service = await startTestService({
      settings: { content_store: `s3://${s3.bucket}`, content_store_endpoint: s3.endpoint },
    });
    const { id } = await importCourse(service);
    const form = uploadForm(await scormPackage());
    assert.equal((await service.api.post(`/courses/${id}/versions`, form)).status, 201);
    const failures = () =>
      service.logLines.filter(({ msg }) => /files of a deleted course/.test(String(msg))).length;
    s3.hold = () => new Promise(() => {});
    assert.equal((await service.api.delete(`/courses/${id}`)).status, 204);
    assert.equal(failures(), 0, 'the first version is still being removed');
    await service.stop();
    await until(() => failures() > 0, 'the stop ended its removal');
    s3.hold = async () => {};
    await using store = new S3ContentStore({ bucket: s3.bucket, prefix: '', endpoint: s3.endpoint });
    assert.equal((await Array.fromAsync(store.keys())).length, 2);
    assert.equal(failures(), 1, 'the other version was not attempted');
  });

  it('have paths that S3 accepts behind the prefix: a longer one is a fault of the package', async () => {
    await using s3 = await startS3();
    s3.refuse = (request) => {
      const [, key = ''] = /^PUT \/courses\/([^?]+)/.exec(request) ?? [];
      return Buffer.byteLength(decodeURIComponent(key)) > 1_024 ? 400 : null;
    };
    const prefix = 'p'.repeat(100);
    await using service = await startTestService({
      settings: { content_store: `s3://${s3.bucket}/${prefix}`, content_store_endpoint: s3.endpoint },
    });
    const upload = async (pathBytes: number): Promise<Answer> => {
      const folders = `${'f'.repeat(200)}/`.repeat(4);
      const name = folders + 'ä'.repeat(Math.floor((pathBytes - folders.length) / 2));
      const files = { ...scorm12Files(), [name.padEnd(name.length + (pathBytes % 2), 'x')]: 'x' };
      return await service.api.post('/courses', uploadForm(new Uint8Array(await zipOf(files))));
    };
    const longest = 1_024 - prefix.length - 1 - 36 - 1;
    assert.equal((await upload(longest)).status, 201);
    for (const bytes of [longest + 1, 1_024]) {
      const { status, body } = await upload(bytes);
      assert.deepEqual([status, body.type], [400, 'urn:coursewire:problem:invalid-package'], String(bytes));
      assert.match(body.detail, new RegExp(`more than ${longest} bytes`));
    }
  });

  it('prevent a start without S3, with an error that names the setting and the response of S3', async () => {
    await using s3 = await startS3();
    s3.refuse = () => 403;
    const start = startTestService({
      settings: { content_store: `s3://${s3.bucket}`, content_store_endpoint: s3.endpoint },
    });
    await assert.rejects(start, /the content_store s3:\/\/courses\/ cannot be reached: .+ \(status 403\)/);
  });
});

describe('the first start with a bucket', () => {
  const denied = (action: string) => ({
    status: 403,
    xml: `<Error><Code>AccessDenied</Code><Message>not authorized to perform ${action}</Message></Error>`,
  });

  it('fails with the reason of S3 if the bucket can be read but not written', async () => {
    await using s3 = await startS3();
    s3.refuse = (request) => (request.startsWith('PUT') ? denied('s3:PutObject') : null);
    await assert.rejects(
      startTestService({
        settings: { content_store: `s3://${s3.bucket}`, content_store_endpoint: s3.endpoint },
      }),
      /the content_store s3:\/\/courses\/ cannot be written: AccessDenied: .+ s3:PutObject \(status 403\).+docs\/operating.md/,
    );
  });

  it('fails with the reason of S3 if the bucket cannot be listed', async () => {
    await using s3 = await startS3();
    s3.refuse = (request) => (request.includes('list-type') ? denied('s3:ListBucket') : null);
    await assert.rejects(
      startTestService({
        settings: { content_store: `s3://${s3.bucket}`, content_store_endpoint: s3.endpoint },
      }),
      /the content_store s3:\/\/courses\/ cannot be read: AccessDenied: .+ s3:ListBucket \(status 403\)/,
    );
  });
});

describe('a shared folder of course files', () => {
  it('keeps files that another instance may still be importing, and loses those that are a day old and unused', async () => {
    using folder = temporaryFolder();
    const shared = path.join(folder.path, 'shared');
    const dataDir = path.join(folder.path, 'data');
    {
      await using _service = await startTestService({ dataDir, settings: { content_store: shared } });
    }
    // An instance looks for unused files again six hours after another one did. The database is older than both.
    const later = Date.now() + 30 * HOUR_MS;
    const [fresh, old] = [later - 23 * HOUR_MS, later - 25 * HOUR_MS].map(newContentKey);
    for (const key of [fresh, old]) writeCourseFile(shared, key!);
    await using service = await startTestService({
      dataDir,
      settings: { content_store: shared },
      now: () => later,
    });
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

  it('is detected as not mounted at startup, before anything is considered lost', async () => {
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

  it('is detected as not mounted even if its mount point was claimed before there was a course', async () => {
    using folder = temporaryFolder();
    const shared = path.join(folder.path, 'shared');
    const dataDir = path.join(folder.path, 'data');
    const start = () => startTestService({ dataDir, settings: { content_store: shared } });
    {
      await using _service = await start();
    }
    cpSync(shared, `${shared}-place`, { recursive: true });
    {
      await using service = await start();
      await importCourse(service);
    }
    renameSync(shared, `${shared}-unmounted`);
    renameSync(`${shared}-place`, shared);
    await assert.rejects(start(), /does not hold the files of the courses in this database/);
  });

  it('is not mistaken for an unmounted one if only the newest versions are missing in a restored copy', async () => {
    using folder = temporaryFolder();
    const shared = path.join(folder.path, 'shared');
    const dataDir = path.join(folder.path, 'data');
    let before: string[];
    let first: number;
    {
      await using service = await startTestService({ dataDir, settings: { content_store: shared } });
      first = (await importCourse(service)).id;
      before = readdirSync(shared);
      const { id } = await importCourse(service);
      for (let version = 1; version < 20; version++) {
        const form = uploadForm(await scormPackage());
        assert.equal((await service.api.post(`/courses/${id}/versions`, form)).status, 201);
      }
    }
    const newest = readdirSync(shared).filter((name) => !before.includes(name));
    assert.equal(newest.length, 20);
    for (const name of newest) rmSync(path.join(shared, name), { recursive: true });
    await using service = await startTestService({ dataDir, settings: { content_store: shared } });
    const line = service.logLines.find(({ msg }) =>
      String(msg).includes('lacks the files of the newest versions'),
    );
    assert.equal(line?.level, 'warn');
    const { body } = await service.api.post(`/courses/${first}/versions/0/preview`);
    const page = await fetch(body.preview_url.replace(/player\/$/, 'content/index.html'));
    assert.equal(page.status, 200, 'the first course opens');
  });

  it('serves the files of the data folder once they were moved there', async () => {
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

  it('is reported as incomplete at its first use, as after a copy that was interrupted', async () => {
    using folder = temporaryFolder();
    const shared = path.join(folder.path, 'shared');
    const dataDir = path.join(folder.path, 'data');
    const content = path.join(dataDir, 'content');
    let first: string[];
    {
      await using service = await startTestService({ dataDir });
      await importCourse(service);
      first = readdirSync(content);
      await importCourse(service);
    }
    cpSync(content, shared, { recursive: true });
    rmSync(path.join(shared, 'coursewire-installation'), { force: true });
    for (const name of first) rmSync(path.join(shared, name), { recursive: true, force: true });
    await using service = await startTestService({ dataDir, settings: { content_store: shared } });
    const line = service.logLines.find(({ msg }) => String(msg).includes('copy them there from the former'));
    assert.match(String(line?.msg), /lacks the files of 1 of 2 versions of courses/);
    assert.equal(line?.level, 'warn');
  });

  it('is named as the possible cause if the service is started without it, and the data folder has no files', async () => {
    using folder = temporaryFolder();
    const shared = path.join(folder.path, 'shared');
    const dataDir = path.join(folder.path, 'data');
    {
      await using service = await startTestService({ dataDir, settings: { content_store: shared } });
      await importCourse(service);
    }
    await using service = await startTestService({ dataDir });
    const line = service.logLines.find(({ msg }) => String(msg).includes('set content_store if it was set'));
    assert.equal(line?.level, 'warn');
    assert.equal(line?.folder, path.join(dataDir, 'content'));
  });

  it('prevents a start with a database without courses if it has files and no owner yet', async () => {
    using folder = temporaryFolder();
    const shared = path.join(folder.path, 'shared');
    const old = newContentKey(Date.now() - 25 * HOUR_MS);
    writeCourseFile(shared, old);
    await assert.rejects(
      startTestService({ settings: { content_store: shared } }),
      /the content_store .*shared has course files, but this database has no course: .*database_url/,
    );
    assert.deepEqual(readdirSync(shared), [old], 'neither claimed nor emptied');
  });
});

describe('the course files in the data folder of a PostgreSQL service', () => {
  /** Makes the folder of a service that has a course, and whose files belong to `installation`. */
  async function startedBy(
    dataDir: string,
    installationOf: (own: string) => string,
  ): Promise<{ files: string[]; upload: string }> {
    let own: string;
    {
      await using service = await startTestService({ dataDir, settings: { enable_queue_polling: false } });
      await importCourse(service);
      own = (await runCommand(['installation'], { data_dir: dataDir })).out.trim();
    }
    const content = path.join(dataDir, 'content');
    writeFileSync(path.join(content, 'coursewire-installation'), `${installationOf(own)}\n`);
    // Imported since, by the service that the folder belongs to.
    writeCourseFile(content, newContentKey(Date.now()));
    const upload = path.join(dataDir, 'tmp', 'upload');
    mkdirSync(upload);
    return { files: readdirSync(content).sort(), upload };
  }

  it('stay if a service is started on the folder without database_url, with a database of another installation', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const { files, upload } = await startedBy(dataDir, () => randomUUID());
    await assert.rejects(
      startTestService({ dataDir }),
      /the course files in .*content belong to another installation.*set database_url/,
    );
    assert.deepEqual(readdirSync(path.join(dataDir, 'content')).sort(), files);
    assert.ok(existsSync(upload), 'uploads in progress stay too');
  });

  it('are removed, and the embedded database is kept, once the operator has decided so after trying PostgreSQL', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    await startedBy(dataDir, () => randomUUID());
    await assert.rejects(
      startTestService({ dataDir }),
      /to keep the database in data_dir.* delete the file coursewire-installation/,
    );
    const content = path.join(dataDir, 'content');
    rmSync(path.join(content, 'coursewire-installation'));
    await using service = await startTestService({ dataDir });
    assert.equal((await service.api.get('/courses')).body.data.length, 1);
    assert.equal(readdirSync(content).length, 1, 'only its course is left');
  });

  it('stay if a service is started on the database from before the move, until the operator has moved back', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const { files } = await startedBy(dataDir, (own) => own);
    const content = path.join(dataDir, 'content');
    await assert.rejects(
      startTestService({ dataDir }),
      /set database_url or content_store.* delete the file coursewire-installation/,
    );
    assert.deepEqual(readdirSync(content).sort(), files);
    rmSync(path.join(content, 'coursewire-installation'));
    await using service = await startTestService({ dataDir });
    assert.equal((await service.api.get('/courses')).body.data.length, 1);
    assert.equal(readdirSync(content).length, 1, 'what no course has is removed again');
  });

  it('send no message of the database from before the move', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    const dataDir = path.join(folder.path, 'data');
    {
      await using service = await startTestService({ dataDir, settings: { enable_queue_polling: false } });
      const { api } = service;
      await api.create('/webhooks', { name: 'Accounts', topic: 'ACCOUNT', target_url: target.url });
      await api.create('/accounts', { name: 'Waiting' });
    }
    await startedBy(dataDir, (own) => own);
    await assert.rejects(startTestService({ dataDir }), /set database_url/);
    assert.equal(target.requests.length, 0);
  });
});

function writeCourseFile(store: string, key: string): void {
  mkdirSync(path.join(store, key), { recursive: true });
  writeFileSync(path.join(store, key, 'index.html'), 'x');
}
