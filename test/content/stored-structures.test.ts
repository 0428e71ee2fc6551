import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { readPlayableVersion } from '../../src/content/courses/playable-version.ts';
import {
  StructureReader,
  type StructureReaderDependencies,
} from '../../src/content/courses/structure-reader.ts';
import { packageError } from '../../src/course-packages/package-error.ts';
import { TaskLeases } from '../../src/housekeeping/task-leases.ts';
import { aiccFiles, scorm12Package, scorm2004Package, zipOf } from '../support/course-packages.ts';
import { recordedLogs, SILENT_LOGS } from '../support/logs.ts';
import { until } from '../support/until.ts';
import { type CourseParts, openCourseParts } from './course-helpers.ts';

const never = new AbortController().signal;

async function importEach(parts: CourseParts, packages: readonly Buffer[]): Promise<number[]> {
  const ids: number[] = [];
  for (const bytes of packages) {
    const course = await parts.courses.import(
      await parts.receive(bytes),
      { name: null, folderId: null },
      { user: 'someone', by: COMMAND_LINE, signal: never, commit: (record) => record() },
    );
    ids.push(course.id);
  }
  return ids;
}

/** Makes all versions look as an earlier release left them. */
async function forgetStructures({ database }: CourseParts): Promise<void> {
  await database.transaction((tx) =>
    tx.run('update course_versions set structure = null, structure_format = 0'),
  );
}

function startReader(
  { database, store, manifests }: CourseParts,
  logs = SILENT_LOGS,
  options: Partial<StructureReaderDependencies> = {},
): StructureReader {
  const reader = new StructureReader({
    database,
    store,
    leases: new TaskLeases({ database, now: Date.now }),
    manifests,
    log: logs.for('CourseService'),
    ...options,
  });
  reader.start();
  return reader;
}

/** Reads manifests, the first `failures` times not in time. */
function busyManifests({ manifests }: CourseParts, failures: number) {
  const busy = {
    reads: 0,
    read: async (...request: Parameters<typeof manifests.read>) => {
      busy.reads += 1;
      if (busy.reads <= failures) throw packageError('MANIFEST_TOO_SLOW', { seconds: 20 });
      return await manifests.read(...request);
    },
  };
  return busy;
}

function unread({ database }: CourseParts): Promise<unknown[]> {
  return database.reader.all('select course_id from course_versions where structure_format = 0');
}

async function structureOf({ database }: CourseParts, courseId: number) {
  return (await readPlayableVersion(database.reader, courseId, 0))!.structure;
}

describe('courses that an earlier release imported', () => {
  it('can be played, unit by unit, before their manifests are read again', async () => {
    await using parts = await openCourseParts();
    const [id = 0] = await importEach(parts, [await scorm2004Package()]);
    await forgetStructures(parts);
    const { items, scorm2004 } = await structureOf(parts, id);
    assert.deepEqual(
      items.map((item) => [item.id, item.title, item.isUnit, item.scorm2004]),
      [['i1', 'Lesson 1', true, null]],
    );
    assert.equal(scorm2004, null);
  });

  it('have the same structure after a start as after an import', async () => {
    await using parts = await openCourseParts();
    const wrapped = Object.fromEntries(
      Object.entries(aiccFiles()).map(([name, content]) => [`My course/${name}`, content]),
    );
    const ids = await importEach(parts, [
      await scorm2004Package(),
      await scorm12Package(),
      await zipOf(wrapped),
    ]);
    const before = await Promise.all(ids.map((id) => structureOf(parts, id)));
    await forgetStructures(parts);
    await using _reader = startReader(parts);
    await until(async () => (await unread(parts)).length === 0, 'all are read');
    assert.deepEqual(await Promise.all(ids.map((id) => structureOf(parts, id))), before);
  });

  it('do not prevent the reading of others if their own manifest is damaged', async () => {
    await using parts = await openCourseParts();
    const [damaged = 0, sound = 0] = await importEach(parts, [
      await scorm2004Package(),
      await scorm2004Package(),
    ]);
    const { contentKey } = (await readPlayableVersion(parts.database.reader, damaged, 0))!;
    writeFileSync(path.join(parts.store.path(contentKey), 'imsmanifest.xml'), '<manifest');
    await forgetStructures(parts);
    const { logs, lines } = recordedLogs();
    await using _reader = startReader(parts, logs);
    await until(async () => (await unread(parts)).length === 0, 'all are read');
    assert.equal((await structureOf(parts, damaged)).scorm2004, null);
    assert.notEqual((await structureOf(parts, sound)).scorm2004, null);
    assert.ok(lines.some(({ msg }) => msg.includes('the manifest of an existing course could not be read')));
  });

  it('do not prevent the reading of others if their own files cannot be read, and are tried again', async () => {
    await using parts = await openCourseParts();
    const [unreadable = 0, sound = 0] = await importEach(parts, [
      await scorm2004Package(),
      await scorm2004Package(),
    ]);
    const { contentKey } = (await readPlayableVersion(parts.database.reader, unreadable, 0))!;
    await forgetStructures(parts);
    const files = parts.store.files.bind(parts.store);
    parts.store.files = (key: string) => {
      if (key === contentKey) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
      return files(key);
    };
    const { logs, lines } = recordedLogs();
    {
      await using _reader = startReader(parts, logs);
      await until(async () => (await unread(parts)).length === 1, 'the sound one is read');
      await until(() => lines.some(({ msg }) => msg.includes('will be retried')), 'the log says so');
    }
    assert.notEqual((await structureOf(parts, sound)).scorm2004, null);
    parts.store.files = files;
    await using _next = startReader(parts);
    await until(async () => (await unread(parts)).length === 0, 'all are read');
    assert.notEqual((await structureOf(parts, unreadable)).scorm2004, null);
  });

  it('are tried again later if the machine was too busy to read them in time', async () => {
    await using parts = await openCourseParts();
    const [id = 0] = await importEach(parts, [await scorm2004Package()]);
    await forgetStructures(parts);
    const manifests = busyManifests(parts, 2);
    await using _reader = startReader(parts, SILENT_LOGS, { manifests, roundPauseMs: 1 });
    await until(async () => (await unread(parts)).length === 0, 'it is read');
    assert.equal(manifests.reads, 3);
    assert.notEqual((await structureOf(parts, id)).scorm2004, null);
  });

  it('are tried only once in an hour if they take too long, however often others are tried', async () => {
    await using parts = await openCourseParts();
    const [slow = 0, unreadable = 0] = await importEach(parts, [
      await scorm2004Package(),
      await scorm12Package(),
    ]);
    await forgetStructures(parts);
    const { contentKey } = (await readPlayableVersion(parts.database.reader, unreadable, 0))!;
    const files = parts.store.files.bind(parts.store);
    let tries = 0;
    parts.store.files = (key: string) => {
      if (key !== contentKey) return files(key);
      tries += 1;
      throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
    };
    const manifests = busyManifests(parts, Number.POSITIVE_INFINITY);
    const { logs, lines } = recordedLogs();
    await using _reader = startReader(parts, logs, { manifests, retryPauseMs: 1 });
    await until(() => tries >= 3, 'the other one was tried several times');
    assert.equal(manifests.reads, 1);
    assert.equal((await unread(parts)).length, 2);
    assert.equal(lines.find(({ msg }) => msg.includes('took too long'))?.course, slow);
  });

  it('keep the structure that an earlier release stored if their manifest can no longer be read', async () => {
    await using parts = await openCourseParts();
    const [id = 0] = await importEach(parts, [await scorm2004Package()]);
    const before = await structureOf(parts, id);
    const { contentKey } = (await readPlayableVersion(parts.database.reader, id, 0))!;
    writeFileSync(path.join(parts.store.path(contentKey), 'imsmanifest.xml'), '<manifest');
    await parts.database.transaction((tx) => tx.run('update course_versions set structure_format = 0'));
    await using _reader = startReader(parts);
    await until(async () => (await unread(parts)).length === 0, 'it was looked at');
    assert.deepEqual(await structureOf(parts, id), before);
  });

  it('are tried again if their files are missing, since a share may not be mounted', async () => {
    await using parts = await openCourseParts();
    const [id = 0] = await importEach(parts, [await scorm2004Package()]);
    const { contentKey } = (await readPlayableVersion(parts.database.reader, id, 0))!;
    await forgetStructures(parts);
    const place = parts.store.path(contentKey);
    renameSync(place, `${place}-elsewhere`);
    const { logs, lines } = recordedLogs();
    {
      await using _reader = startReader(parts, logs);
      await until(() => lines.some(({ msg }) => msg.includes('will be retried')), 'the log says so');
    }
    assert.equal((await unread(parts)).length, 1);
    renameSync(`${place}-elsewhere`, place);
    await using _next = startReader(parts);
    await until(async () => (await unread(parts)).length === 0, 'it is read');
    assert.notEqual((await structureOf(parts, id)).scorm2004, null);
  });

  it('are read by the next process if one was stopped halfway', async () => {
    await using parts = await openCourseParts();
    await importEach(parts, [await scorm12Package(), await scorm12Package(), await scorm12Package()]);
    await forgetStructures(parts);
    const files = parts.store.files.bind(parts.store);
    const second = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    let listed = 0;
    parts.store.files = async function* (key: string) {
      listed += 1;
      if (listed === 2) {
        second.resolve();
        await release.promise;
      }
      yield* files(key);
    };
    const first = startReader(parts);
    await second.promise;
    const stopped = first[Symbol.asyncDispose]();
    release.resolve();
    await stopped;
    assert.equal((await unread(parts)).length, 2);
    await using _next = startReader(parts);
    await until(async () => (await unread(parts)).length === 0, 'all are read');
    assert.equal(listed, 4);
  });
});
