import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import { importCourse } from '../content/packages.ts';
import { sql } from '../content/registration-helpers.ts';
import { HOSTILE_MANIFESTS } from '../course-packages/hostile-manifests.ts';
import { aiccFiles, type PackageFiles } from '../support/course-packages.ts';
import { runSql } from '../support/database.ts';
import { dropDatabaseOf } from '../support/postgres.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';
import { startWatchedService, type WatchedService } from '../support/watched-service.ts';
import { assertStatus } from './attack.ts';

// Runs on SQLite in `npm test`: threads read the manifests. The tests of stored structures store the results on both.

const MAX_BUSY_MS = 100;
const MANY_FILES = 15_000;
/** More time than the courses may use in total on the thread that reads them. */
const ALL_READ_MS = 600_000;

/** Courses that an earlier release may have accepted, by their peculiarity. */
const HOSTILE_COURSES: Readonly<Record<string, () => PackageFiles>> = {
  'one text that is not a table': HOSTILE_MANIFESTS['an AICC table of 8 MB of quotes']!,
  'blocks that double': HOSTILE_MANIFESTS['a tree of AICC blocks that doubles with each']!,
  'a long namespace': HOSTILE_MANIFESTS['a namespace of a million characters for each of 20,000 elements']!,
  'fifty AICC tables, each of the maximum size': () => ({
    ...aiccFiles(),
    ...Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`a${n}.au`, '"a","b"\n'.repeat(MIB - 10)] as const),
    ),
  }),
  'thousands of files that look like manifests': () =>
    Object.fromEntries(Array.from({ length: MANY_FILES }, (_, n) => [`${n}.au`, 'x'] as const)),
  'no files at all': () => ({}),
};

describe('an upgrade of a service with hostile courses', () => {
  test('reads their manifests again while it serves everybody', async () => {
    await using stack = new AsyncDisposableStack();
    const { path: dataDir } = stack.use(temporaryFolder());
    stack.defer(() => dropDatabaseOf(dataDir));
    {
      await using service = await startWatchedService({}, { dataDir });
      for (const files of Object.values(HOSTILE_COURSES)) await importHostile(service, files());
      await importCourse(service);
      await sql(service, 'update course_versions set structure = null, structure_format = 0');
    }
    await using service = await startWatchedService({}, { dataDir });
    const unread = async () =>
      (await runSql(dataDir, 'select course_id from course_versions where structure_format = 0')).length;
    const busy = await service.busyDuring(() =>
      until(
        async () => {
          assertStatus(await service.api.get('/health/live'), 200);
          return (await unread()) === 0;
        },
        'all manifests are read',
        ALL_READ_MS,
      ),
    );
    assert.ok(busy <= MAX_BUSY_MS, `the event loop was busy for ${Math.round(busy)} ms`);
    const structures = await runSql<{ count: number }>(
      dataDir,
      'select count(*) as count from course_versions where structure is not null',
    );
    assert.ok(Number(structures[0]?.count) >= 1, 'the sound course is read');
  });
});

/** Imports a course, and puts the files of another one in its place. */
async function importHostile(service: WatchedService, files: PackageFiles): Promise<void> {
  const { id } = await importCourse(service);
  const { content_key: key } = await sql<{ content_key: string }>(
    service,
    'select content_key from course_versions where course_id = ?',
    id,
  );
  const folder = path.join(service.settings.data_dir, 'content', key);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, name), content);
}
