import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { startTestService } from '../support/service.ts';
import { filesOf, uploadForm } from './packages.ts';

// Runs on SQLite in `npm test`: packages are read before anything is stored. The tests of courses import each standard on both.

/** Sample courses beside the repository. Most of them are real courses by others, which are not part of the project. */
const SAMPLES = path.resolve(import.meta.dirname, '../../../shared/packages');

describe('sample courses', { skip: !existsSync(SAMPLES) && 'there are no samples on this machine' }, () => {
  for (const [file, standard, name] of [
    ['third-party/scorm12-golf-basic-calls', 'SCORM_12', 'Golf Explained - Run-time Basic Calls'],
    [
      'third-party/scorm2004-3rd-golf-advanced-calls',
      'SCORM_2004_3RD_EDITION',
      'Golf Explained - Run-time Advanced Calls',
    ],
    ['third-party/cmi5-catapult-single-au-basic-framed', 'CMI5', 'Introduction to Geology - Framed Style'],
    ['own/own-aicc', 'AICC', 'Own AICC sample'],
    ['own/own-xapi', 'XAPI', 'Own Tin Can sample'],
  ] as const) {
    it(`${file} is imported`, async () => {
      await using service = await startTestService();
      const bytes = new Uint8Array(await readFile(path.join(SAMPLES, `${file}.zip`)));
      const course = await service.api.create('/courses', uploadForm(bytes));
      assert.deepEqual([course.learning_standard, course.name], [standard, name]);
      assert.equal(filesOf(service).content.length, 1);
    });
  }
});
