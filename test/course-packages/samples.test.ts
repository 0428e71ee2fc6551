import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import type { LearningStandard } from '../../src/course-packages/learning-standard.ts';
import type { PackageErrorCode } from '../../src/course-packages/package-error.ts';
import { extractPackage, inspectPackage } from '../../src/course-packages/read-package.ts';

/** A folder of course packages beside the repository; real courses by others, which the project does not hold. */
const SAMPLES = resolve(import.meta.dirname, '../../../shared/packages');

const COURSES: [file: string, standard: LearningStandard, title: string, launch: string, warning?: RegExp][] =
  [
    [
      'third-party/scorm12-golf-basic-calls',
      'SCORM_12',
      'Golf Explained - Run-time Basic Calls',
      'shared/launchpage.html',
    ],
    [
      'third-party/scorm2004-3rd-golf-advanced-calls',
      'SCORM_2004_3RD_EDITION',
      'Golf Explained - Run-time Advanced Calls',
      'shared/launchpage.html',
    ],
    [
      'third-party/cmi5-catapult-single-au-basic-framed',
      'CMI5',
      'Introduction to Geology - Framed Style',
      'index.html',
    ],
    ['own/own-scorm12', 'SCORM_12', 'Own SCORM 1.2 sample', 'index.html'],
    [
      'own/own-scorm12-in-subfolder',
      'SCORM_12',
      'Own SCORM in a subfolder',
      'My Course/index.html',
      /in the folder "My Course\/"/,
    ],
    ['own/own-scorm2004-2nd', 'SCORM_2004_2ND_EDITION', 'Own SCORM 2004 2nd sample', 'index.html'],
    ['own/own-scorm2004-3rd', 'SCORM_2004_3RD_EDITION', 'Own SCORM 2004 3rd sample', 'index.html'],
    ['own/own-scorm2004-4th', 'SCORM_2004_4TH_EDITION', 'Own SCORM 2004 4th sample', 'index.html'],
    ['own/own-aicc', 'AICC', 'Own AICC sample', 'index.html?mode=web'],
    ['own/own-cmi5', 'CMI5', 'Own cmi5 sample', 'au/index.html?m=1'],
    ['own/own-xapi', 'XAPI', 'Own Tin Can sample', 'index.html'],
  ];

const BROKEN: [file: string, code: PackageErrorCode, seenBy: 'inspecting' | 'extracting'][] = [
  ['aicc-no-au', 'AICC_FILE_MISSING', 'inspecting'],
  ['billion-laughs-manifest', 'XML_DOCTYPE', 'inspecting'],
  ['bomb-200mb', 'ZIP_RATIO_TOO_HIGH', 'inspecting'],
  ['bomb-200mb', 'ZIP_RATIO_TOO_HIGH', 'extracting'],
  ['bomb-lying-size', 'FILE_SIZE_WRONG', 'extracting'],
  ['malformed-manifest', 'XML_MALFORMED', 'inspecting'],
  ['missing-launch-file', 'LAUNCH_FILE_MISSING', 'inspecting'],
  ['no-manifest', 'MANIFEST_MISSING', 'inspecting'],
  ['not-a-zip', 'ZIP_UNREADABLE', 'inspecting'],
  ['truncated', 'ZIP_UNREADABLE', 'inspecting'],
  ['xxe-manifest', 'XML_DOCTYPE', 'inspecting'],
  ['zipslip-dotdot', 'ZIP_NAME_INVALID', 'inspecting'],
  ['zipslip-dotdot', 'ZIP_NAME_INVALID', 'extracting'],
];

async function temporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'coursewire-sample-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const skip = existsSync(SAMPLES) ? false : `no sample packages in ${SAMPLES}`;

describe('sample courses', { skip }, () => {
  for (const [file, standard, title, launch, warning] of COURSES) {
    it(`${file} is ${standard}, and its launch file is extracted`, async () => {
      await using folder = await temporaryFolder();
      const zip = join(SAMPLES, `${file}.zip`);
      const description = await inspectPackage(zip);
      assert.equal(description.learningStandard, standard);
      assert.equal(description.title, title);
      if (warning === undefined) assert.deepEqual(description.warnings, []);
      else assert.match(description.warnings.join(), warning);

      const target = description.units[0]?.launch;
      assert.ok(target?.kind === 'file');
      assert.equal(target.file + target.query, launch);
      const course = join(folder.path, 'course');
      await extractPackage(zip, course);
      assert.ok(existsSync(join(course, target.file)));
    });
  }

  it('name-cp437-noflag is accepted, and its name reads as it was written', async () => {
    await using folder = await temporaryFolder();
    const zip = join(SAMPLES, 'broken/name-cp437-noflag.zip');
    assert.equal((await inspectPackage(zip)).learningStandard, 'SCORM_12');
    const course = join(folder.path, 'course');
    await extractPackage(zip, course);
    assert.ok(await readFile(join(course, 'café-file123.txt')));
  });
});

describe('broken samples', { skip }, () => {
  for (const [file, code, seenBy] of BROKEN) {
    it(`${file} is rejected when ${seenBy}: ${code}`, async () => {
      await using folder = await temporaryFolder();
      const zip = join(SAMPLES, 'broken', `${file}.zip`);
      const course = join(folder.path, 'course');
      const work = seenBy === 'inspecting' ? inspectPackage(zip) : extractPackage(zip, course);
      await assert.rejects(work, { name: 'PackageError', code });
      assert.ok(!existsSync(course));
    });
  }
});
