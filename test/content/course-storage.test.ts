import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import type { Course } from '../../src/content/courses/course.ts';
import { newContentKey } from '../../src/content/files/content-key.ts';
import { DatabaseUnavailableError } from '../../src/database/database.ts';
import { ProblemError } from '../../src/problems/problem.ts';
import { breakTable, openDatabaseOf } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService, type TestService, temporaryFolder } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { type CourseParts, openCourseParts } from './course-helpers.ts';
import { filesOf, importCourse, problemErrors, scormPackage, uploadForm } from './packages.ts';

/** A folder as a crash leaves it: newer than the database of any test. */
const ORPHAN = newContentKey(Date.now() + 3_600_000);
const context = (signal = new AbortController().signal) => ({
  user: 'author@example.com',
  by: COMMAND_LINE,
  signal,
  commit: (record: () => Promise<Course>) => record(),
});
const BY = { by: COMMAND_LINE };
const INPUT = { name: null, folderId: null };

async function importInto(parts: CourseParts, folderId: number | null = null): Promise<Course> {
  const upload = await parts.receive(await scormPackage());
  return await parts.courses.import(upload, { name: null, folderId }, context());
}

const isProblem = (code: string) => (error: unknown) => error instanceof ProblemError && error.code === code;
/** The responses to an import that fails unexpectedly, and to one whose files cannot be stored for now. */
const FAILED = { status: 500, detail: 'The request failed. See the service log for the cause' };
const AWAY = { status: 503, detail: 'Course files are temporarily unavailable' };

it('a version is rejected if its course is renamed while the package is unpacked', async () => {
  await using parts = await openCourseParts();
  const { id, revision, folderId } = await importInto(parts);
  const upload = await parts.receive(await scormPackage());
  parts.store.beforePut = async () => {
    await parts.courses.update(id, { name: 'Renamed', folderId }, { by: COMMAND_LINE, expected: null });
  };
  const expected = new Set([revision]);
  await assert.rejects(
    parts.courses.uploadVersion(id, upload, { ...context(), expected }),
    isProblem('precondition-failed'),
  );
  const { name, versions } = await parts.courses.getWithVersions(id);
  assert.deepEqual([name, versions.length], ['Renamed', 1]);
  assert.equal(
    readdirSync(parts.folder.contentFolder).length,
    1,
    'the files of the refused version are gone',
  );
  assert.equal(parts.events.length, 1);
});

describe('an import that fails leaves no file, no course and no event', () => {
  /**
   * Breaks a part of a running service, then imports a course and uploads a version. Both must fail and leave nothing.
   */
  async function assertNothingLeft(
    breakIt: (service: TestService) => Promise<() => Promise<void>>,
    expected: { status: number; detail: string } = FAILED,
  ): Promise<void> {
    await using target = await startTarget();
    await using service = await startTestService();
    const { api } = service;
    const course = await importCourse(service);
    await api.create('/webhooks', { name: 'Courses', topic: 'COURSE', target_url: target.url });
    const content = filesOf(service).content;

    const repair = await breakIt(service);
    for (const to of ['/courses', `/courses/${course.id}/versions`]) {
      const answer = await api.post(to, uploadForm(await scormPackage()));
      problemErrors(answer, expected.status);
      assert.equal(answer.body.detail, expected.detail);
    }
    await repair();

    assert.deepEqual(filesOf(service), { content, tmp: [] });
    assert.deepEqual((await api.get('/courses')).body.data, [course]);
    assert.equal((await api.get(`/courses/${course.id}`)).body.versions.length, 1);
    const next = await importCourse(service, { name: 'Next' });
    const [first] = await target.waitFor(1);
    assert.equal(
      (first!.json as { resource: { content: { course: Course } } }).resource.content.course.id,
      next.id,
    );
  }

  it('while the content store rejects everything', async () => {
    await assertNothingLeft(
      async ({ settings }) => {
        const folder = path.join(settings.data_dir, 'content');
        await rename(folder, `${folder}-away`);
        writeFileSync(folder, 'not a folder');
        return async () => {
          await rm(folder);
          await rename(`${folder}-away`, folder);
        };
        // With PostgreSQL, a file in the folder names its installation. A folder without it is treated as a share that is not mounted.
      },
      ON_POSTGRES ? AWAY : FAILED,
    );
  });

  for (const table of ['course_versions', 'queue_messages']) {
    it(`when the database rejects rows of ${table}`, async () => {
      await assertNothingLeft(async ({ settings }) => {
        await using stack = new AsyncDisposableStack();
        const database = stack.use(await openDatabaseOf(settings.data_dir));
        stack.use(await breakTable(database, table, 'insert'));
        const broken = stack.move();
        return () => broken.disposeAsync();
      });
    });
  }

  it('when the disk is full, and says so', async () => {
    await using parts = await openCourseParts();
    parts.store.beforePut = () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }));
    await assert.rejects(importInto(parts), {
      code: 'unavailable',
      headers: { 'Retry-After': '30' },
    });
    await assertEmpty(parts);
  });

  it('when the uploader disconnects', async () => {
    await using parts = await openCourseParts();
    const gone = new AbortController();
    parts.store.beforePut = async () => gone.abort(new Error('gone'));
    const upload = await parts.receive(await scormPackage());
    const importing = parts.courses.import(upload, INPUT, context(gone.signal));
    await assert.rejects(importing, { message: 'gone' });
    await assertEmpty(parts);
  });

  it('when its folder is deleted in the meantime', async () => {
    await using parts = await openCourseParts();
    const folder = await parts.folders.create({ name: 'Short-lived', parentId: null }, BY);
    parts.store.beforePut = () => parts.folders.delete(folder.id, { by: COMMAND_LINE, expected: null });
    await assert.rejects(importInto(parts, folder.id), isProblem('invalid-request'));
    await assertEmpty(parts);
  });

  async function assertEmpty({ courses, store, events }: CourseParts): Promise<void> {
    assert.deepEqual((await courses.list({ limit: 10, after: null })).items, []);
    assert.deepEqual(await Array.fromAsync(store.keys()), []);
    assert.deepEqual(events, []);
  }
});

it('files are kept if the commit succeeded and only its response was lost', async () => {
  await using parts = await openCourseParts();
  const { database, courses, store } = parts;
  const upload = await parts.receive(await scormPackage());
  const transaction = database.transaction.bind(database);
  database.transaction = async (work) => {
    await transaction(work);
    throw new Error('the connection was lost');
  };
  await assert.rejects(courses.import(upload, INPUT, context()), { message: 'the connection was lost' });
  assert.equal((await courses.list({ limit: 10, after: null })).items.length, 1);
  assert.equal((await Array.fromAsync(store.keys())).length, 1);
});

it('files are kept if the server does not answer in time and commits later', {
  skip: !ON_POSTGRES && 'SQLite answers within the process',
}, async () => {
  await using parts = await openCourseParts();
  const { database, courses, store } = parts;
  const upload = await parts.receive(await scormPackage());
  const transaction = database.transaction.bind(database);
  let commitLater: () => Promise<unknown> = async () => {};
  database.transaction = async (work) => {
    commitLater = () => transaction(work);
    throw new DatabaseUnavailableError('the server does not answer');
  };
  await assert.rejects(courses.import(upload, INPUT, context()), { message: 'the server does not answer' });
  await commitLater();
  assert.equal((await courses.list({ limit: 10, after: null })).items.length, 1);
  assert.equal((await Array.fromAsync(store.keys())).length, 1);
});

describe('the remains of a crash', () => {
  // With several instances, new files may belong to another one.
  it('are removed at the next startup, and nothing else is', { skip: ON_POSTGRES }, async () => {
    using folder = temporaryFolder();
    const at = (...names: string[]) => path.join(folder.path, ...names);
    let kept: string[];
    {
      await using service = await startTestService({ dataDir: folder.path });
      await importCourse(service);
      kept = filesOf(service).content;
    }
    mkdirSync(at('content', ORPHAN, 'deep', 'down'), { recursive: true });
    writeFileSync(at('content', ORPHAN, 'deep', 'down', 'index.html'), 'x');
    mkdirSync(at('content', 'lost+found'));
    mkdirSync(at('tmp', 'upload-abc', 'content'), { recursive: true });
    mkdirSync(at('tmp', 'time-abc'));
    writeFileSync(at('tmp', 'upload-abc', 'package.zip'), 'x');
    writeFileSync(at('tmp', 'stray'), 'x');

    await using service = await startTestService({ dataDir: folder.path });
    assert.deepEqual(filesOf(service), { content: [...kept, 'lost+found'].sort(), tmp: ['stray'] });
    const manifest = await readFile(at('content', kept[0]!, 'imsmanifest.xml'), 'utf8');
    assert.match(manifest, /Fire safety/);
  });

  it('are kept if they are older than the database, since they may be the courses of a lost one', {
    skip: ON_POSTGRES,
  }, async () => {
    using folder = temporaryFolder();
    let lost: string[];
    {
      await using service = await startTestService({ dataDir: folder.path });
      await importCourse(service);
      lost = filesOf(service).content;
    }
    for (const file of ['coursewire.db', 'coursewire.db-wal', 'coursewire.db-shm'])
      rmSync(path.join(folder.path, file), { force: true });

    let all: string[];
    {
      await using service = await startTestService({ dataDir: folder.path });
      assert.deepEqual(filesOf(service).content, lost);
      await importCourse(service);
      all = filesOf(service).content;
      assert.equal(all.length, 2);
    }
    const leftover = newContentKey(Date.now());
    for (const removed of [[1], []]) {
      if (removed.length > 0) mkdirSync(path.join(folder.path, 'content', leftover));
      await using service = await startTestService({ dataDir: folder.path });
      assert.deepEqual(filesOf(service).content, all);
      const kept = service.logLines.filter(({ msg }) => /older than the database/.test(`${msg}`));
      assert.deepEqual(
        kept.map(({ level, keys }) => [level, keys]),
        [['warn', 1]],
      );
      const gone = service.logLines.filter(({ msg }) => msg === 'files without a course were removed');
      assert.deepEqual(
        gone.map(({ keys }) => keys),
        removed,
      );
    }
  });

  it('are distinguished from an import in progress', async () => {
    await using parts = await openCourseParts();
    const { database, intake, store } = parts;
    mkdirSync(store.path(ORPHAN));
    const transaction = database.transaction.bind(database);
    let removed = 0;
    database.transaction = async (work) => {
      removed = await intake.removeOrphans();
      return await transaction(work);
    };
    await importInto(parts);
    assert.equal(removed, 1);
    assert.equal(existsSync(store.path(ORPHAN)), false);
    const [key] = await Array.fromAsync(store.keys());
    assert.deepEqual(readdirSync(store.path(key!)).sort(), ['imsmanifest.xml', 'index.html']);
    assert.equal(await intake.removeOrphans(), 0);
  });

  it('do not prevent a start if they cannot be removed', async () => {
    await using parts = await openCourseParts();
    const { intake, logged, store } = parts;
    mkdirSync(store.path(ORPHAN));
    store.beforeRemove = () => Promise.reject(new Error('denied'));
    assert.equal(await intake.removeOrphans(), 0);
    assert.deepEqual(
      logged.map(({ msg }) => msg),
      ['files without a course could not be removed'],
    );
  });
});

describe('deleting a course', () => {
  it('succeeds even if its files cannot be removed, which is repeated later', async () => {
    await using parts = await openCourseParts();
    const { courses, intake, logged, store } = parts;
    const { id } = await importInto(parts);
    store.beforeRemove = () => Promise.reject(new Error('denied'));
    await courses.delete(id, { by: COMMAND_LINE, expected: null });
    await assert.rejects(courses.get(id), isProblem('not-found'));
    assert.deepEqual(
      logged.map(({ msg }) => msg),
      ['the files of a deleted course could not be removed; they will be removed later'],
    );
    store.beforeRemove = async () => {};
    assert.equal(await intake.removeOrphans(), 1);
    assert.deepEqual(await Array.fromAsync(store.keys()), []);
  });

  it('is rejected while something contains it', async () => {
    const held = new Set<number>();
    const holders = [
      async () => null,
      async (_tx: unknown, id: number) => (held.has(id) ? 'the account 12' : null),
    ];
    await using parts = await openCourseParts({ holders });
    const { id } = await importInto(parts);
    held.add(id);
    await assert.rejects(parts.courses.delete(id, { by: COMMAND_LINE, expected: null }), {
      code: 'conflict',
      message: 'The course is in use by the account 12',
    });
    assert.equal((await Array.fromAsync(parts.store.keys())).length, 1);
    held.delete(id);
    await parts.courses.delete(id, { by: COMMAND_LINE, expected: null });
    assert.deepEqual(await Array.fromAsync(parts.store.keys()), []);
  });
});

it('an event of a course names the course and its folders, up to the root', async () => {
  await using parts = await openCourseParts();
  const outer = await parts.folders.create({ name: 'Outer', parentId: null }, BY);
  const inner = await parts.folders.create({ name: 'Inner', parentId: outer.id }, BY);
  const { id } = await importInto(parts, inner.id);
  const upload = await parts.receive(await scormPackage());
  await parts.courses.uploadVersion(id, upload, { ...context(), expected: null });
  await parts.courses.publishVersion(id, 1, { user: 'author@example.com', ...BY, expected: null });
  assert.deepEqual(
    parts.events.map(({ subtopic }) => subtopic),
    ['COURSE_IMPORTED', 'COURSE_VERSION_UPLOADED', 'COURSE_VERSION_PUBLISHED'],
  );
  for (const event of parts.events) {
    assert.equal(event.accountId, null);
    assert.equal(event.user, 'author@example.com');
    assert.deepEqual(event.content, [
      { type: 'COURSE', id },
      { type: 'FOLDER', id: inner.id },
      { type: 'FOLDER', id: outer.id },
      { type: 'FOLDER', id: 1 },
    ]);
  }
});
