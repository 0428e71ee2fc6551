import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { orphanCleaner } from '../../src/content/courses/orphan-cleaner.ts';
import { UploadFolders } from '../../src/content/courses/upload-folders.ts';
import { ProblemError } from '../../src/problems/problem.ts';
import { HOUR_MS } from '../../src/time/units.ts';
import { SILENT_LOGS } from '../support/logs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Makes the folders of two uploads that crashed: one 23 hours ago, one 25 hours ago. */
function plantUploads(folder: string, now: number): void {
  for (const [name, hours] of [
    ['upload-fresh', 23],
    ['upload-old', 25],
  ] as const) {
    const place = path.join(folder, name);
    mkdirSync(place);
    writeFileSync(path.join(place, 'package.zip'), 'x');
    utimesSync(place, (now - hours * HOUR_MS) / 1_000, (now - hours * HOUR_MS) / 1_000);
  }
}

it('with other instances, only uploads that are a day old count as leftovers', async ({ mock }) => {
  using folder = temporaryFolder();
  const log = SILENT_LOGS.for('CourseService');
  const now = Date.now();
  plantUploads(folder.path, now);
  const uploads = new UploadFolders({ folder: folder.path, log });
  // The clock of the database, or of this machine, may differ from the one that dates the files.
  mock.method(Date, 'now', () => now + 1_000 * HOUR_MS);
  await uploads.removeLeftovers();
  assert.deepEqual(readdirSync(folder.path), ['upload-fresh']);
  await uploads.empty();
  assert.deepEqual(readdirSync(folder.path), []);
});

it('leftovers of uploads are removed in each round of the clean-up, even while another instance has its turn', async () => {
  using folder = temporaryFolder();
  const log = SILENT_LOGS.for('CourseService');
  plantUploads(folder.path, Date.now());
  const round = Promise.withResolvers<void>();
  await using cleaner = orphanCleaner({
    intake: { removeOldOrphans: () => assert.fail('another instance does this') },
    uploads: new UploadFolders({ folder: folder.path, log }),
    leases: {
      run: async () => {
        round.resolve();
        return false;
      },
    },
    log,
    random: () => 0,
  });
  cleaner.start();
  await round.promise;
  assert.deepEqual(readdirSync(folder.path), ['upload-fresh']);
});

it('uploads are limited for all callers together, and each that ends makes room for another', async () => {
  using folder = temporaryFolder();
  const uploads = new UploadFolders({ folder: folder.path, log: SILENT_LOGS.for('CourseService') });
  const open = [];
  for (let n = 0; n < 64; n += 1) open.push(await uploads.open(`caller ${n % 8}`));
  await assert.rejects(uploads.open('another'), (error) => {
    assert.ok(error instanceof ProblemError, String(error));
    assert.deepEqual([error.code, error.headers], ['unavailable', { 'Retry-After': '30' }]);
    return true;
  });
  await open.pop()![Symbol.asyncDispose]();
  open.push(await uploads.open('another'));
  for (const upload of open) await upload[Symbol.asyncDispose]();
  assert.deepEqual(readdirSync(folder.path), []);
});
