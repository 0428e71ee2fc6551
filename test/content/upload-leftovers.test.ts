import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { UploadFolders } from '../../src/content/courses/upload-folders.ts';
import { HOUR_MS } from '../../src/time/units.ts';
import { SILENT_LOGS } from '../support/logs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('with other instances, only uploads that are a day old count as leftovers', async ({ mock }) => {
  using folder = temporaryFolder();
  const log = SILENT_LOGS.for('CourseService');
  const now = Date.now();
  for (const [name, hours] of [
    ['upload-fresh', 23],
    ['upload-old', 25],
  ] as const) {
    const place = path.join(folder.path, name);
    mkdirSync(place);
    writeFileSync(path.join(place, 'package.zip'), 'x');
    utimesSync(place, (now - hours * HOUR_MS) / 1_000, (now - hours * HOUR_MS) / 1_000);
  }
  const uploads = new UploadFolders({ folder: folder.path, log });
  // The clock of the database, or of this machine, may differ from the one that dates the files.
  mock.method(Date, 'now', () => now + 1_000 * HOUR_MS);
  await uploads.removeLeftovers();
  assert.deepEqual(readdirSync(folder.path), ['upload-fresh']);
  await uploads.empty();
  assert.deepEqual(readdirSync(folder.path), []);
});
