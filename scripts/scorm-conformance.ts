import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { uploadForm } from '../test/content/packages.ts';
import { give, register } from '../test/content/registration-helpers.ts';
import { type PackageFiles, zipOf } from '../test/support/course-packages.ts';
import { startTestService, type TestService } from '../test/support/service.ts';
import { launchChromium } from '../test/ui/support/chromium.ts';
import { coursePage } from './scorm-conformance/course-page.ts';
import { playCase, type RegisteredCourse } from './scorm-conformance/play-case.ts';
import { readProperties, readTestCase, type TestCase } from './scorm-conformance/test-case.ts';

/**
 * Plays ADL's test cases of SCORM 2004 4th edition in the player, in the browser of the UI tests. The path of their
 * checkout is an argument. Their pages need Java in the browser, so a substitute page makes the calls that the test
 * cases list.
 */

const USAGE = `Usage: node scripts/scorm-conformance.ts FOLDER [NAME]…

Plays the test cases of FOLDER, a checkout of https://github.com/adlnet/SCORM-2004-4ed-Test-Suite, and lists their
faults. NAME is a test case, such as CM-01, or the beginning of several.
`;
const COURSES = 'software_development/TestSuite/LMSRTE/Courses';
const WORDS = 'software_development/resources/org/adl/testsuite/rte/lms/util/resources/Commands.properties';
/** Two test cases use two courses each. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = { DDM: ['DDMa', 'DDMb'] };

const { positionals } = parseArgs({ allowPositionals: true });
const [folder, ...wanted] = positionals;
if (folder === undefined || !existsSync(path.join(folder, COURSES))) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = await run(path.resolve(folder));
}

/** Returns the exit status: 0 if every test case passed. */
async function run(suite: string): Promise<number> {
  const cases = readCases(suite);
  if (cases.length === 0) {
    process.stderr.write('Unknown test case.\n');
    return 2;
  }
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startTestService());
  const browser = stack.adopt(await launchChromium(), (opened) => opened.close());
  const { id: accountId } = await service.api.create('/accounts', { name: 'Learners' });
  const table = new Map<string, { passed: number; total: number }>();
  let failures = 0;
  for (const testCase of cases) {
    const group = testCase.name.replace(/-.*/, '');
    const row = table.get(group) ?? { passed: 0, total: 0 };
    table.set(group, row);
    row.total += 1;
    const faults = await importCourses(service, accountId, suite, testCase)
      .then((courses) => playCase(service, browser, testCase, courses))
      .catch((error: unknown) => [String(error).split('\n')[0] ?? '']);
    if (faults.length === 0) row.passed += 1;
    else failures += 1;
    for (const fault of faults) console.log(`failed  ${testCase.name}: ${fault}`);
  }
  console.log(['', 'group  passed  of'].join('\n'));
  for (const [group, { passed, total }] of table) {
    console.log(`${group.padEnd(5)}  ${String(passed).padStart(6)}  ${String(total).padStart(2)}`);
  }
  console.log(`${cases.length - failures} of ${cases.length} test cases passed`);
  return failures === 0 ? 0 : 1;
}

function readCases(suite: string): TestCase[] {
  const words = new Map(readProperties(path.join(suite, WORDS)));
  const cases = path.join(suite, COURSES, 'TestCases');
  return readdirSync(cases)
    .filter((file) => file.endsWith('.properties'))
    .map((file) => file.slice(0, -'.properties'.length))
    .filter((name) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)))
    .toSorted()
    .map((name) => readTestCase(path.join(cases, `${name}.properties`), name, words));
}

/** Imports the courses of a test case, each with a learner. */
async function importCourses(
  service: TestService,
  accountId: number,
  suite: string,
  { name }: TestCase,
): Promise<Map<string, RegisteredCourse>> {
  const courses = new Map<string, RegisteredCourse>();
  for (const each of PACKAGES[name] ?? [name]) {
    const manifest = readFileSync(
      path.join(suite, COURSES, `LMSTestPackage_${each}`, 'imsmanifest.xml'),
      'utf8',
    );
    const files: Record<string, string> = { 'imsmanifest.xml': manifest };
    for (const [, file = ''] of manifest.matchAll(/href\s*=\s*"([^"?#]+\.html?)"/g)) {
      const page = coursePage(path.basename(file));
      files[file] = page;
      files[`resources/${file}`] = page;
    }
    const form = uploadForm(new Uint8Array(await zipOf(files satisfies PackageFiles)));
    const { id: courseId } = await service.api.create('/courses', form);
    await give(service, accountId, 'COURSE', courseId);
    // Several test cases depend on the objectives that the previous one set for the same learner.
    const { registration_id: registrationId } = await register(
      service,
      { account_id: accountId, course_id: courseId },
      'learner@example.com',
    );
    const title = /<organization\b[\s\S]*?<title>\s*([^<]*?)\s*<\/title>/.exec(manifest)?.[1] ?? '';
    courses.set(each, { registrationId, title });
  }
  return courses;
}
