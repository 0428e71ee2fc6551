import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { uploadForm } from '../test/content/packages.ts';
import { give, register } from '../test/content/registration-parts.ts';
import { startTestService, type TestService } from '../test/support/service.ts';
import { launchChromium } from '../test/ui/support/chromium.ts';
import { newLearner } from '../test/ui/support/learner.ts';
import { playOn } from './play-packages/robot.ts';

/**
 * Plays course packages of others in the player, in the browser of the UI's tests, with a robot for a learner: it takes a
 * few steps, exits, comes back and plays to the end. The packages are in a folder that is named to this script.
 */

const USAGE = `Usage: node scripts/play-packages.ts FOLDER [NAME]…

Plays each package of FOLDER (.zip) and says what was recorded. NAME is what file names begin with. Fails if a package cannot
be imported or opened, or if nothing that it reports is recorded.
`;
const FIRST_STEPS = 6;
const ALL_STEPS = 200;

/** What a registration says. */
interface Recorded {
  completion: string;
  success: string;
  score: number | null;
  duration: number;
}

const { positionals } = parseArgs({ allowPositionals: true });
const [folder, ...wanted] = positionals;
const files = folder === undefined || !existsSync(folder) ? [] : packagesOf(folder, wanted);
if (folder === undefined || files.length === 0) {
  process.stderr.write(USAGE);
  process.exitCode = 2;
} else {
  process.exitCode = await run(folder, files);
}

function packagesOf(from: string, names: readonly string[]): string[] {
  const isWanted = (file: string) => names.length === 0 || names.some((name) => file.startsWith(name));
  return globSync('*.zip', { cwd: from }).filter(isWanted).toSorted();
}

/** Answers the exit status: 0 when each package was played and something was recorded of it. */
async function run(from: string, names: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startTestService());
  const browser = stack.adopt(await launchChromium(), (opened) => opened.close());
  const { id: accountId } = await service.api.create('/accounts', { name: 'Learners' });
  let played = 0;
  for (const name of names) {
    try {
      const lines = await play(service, browser, { accountId, file: path.join(from, name) });
      played += 1;
      process.stdout.write(`${name}\n${lines.map((line) => `  ${line}\n`).join('')}`);
    } catch (error) {
      process.stdout.write(`${name}\n  FAILED: ${error instanceof Error ? error.message : error}\n`);
    }
  }
  process.stdout.write(`${played} of ${names.length} packages were played\n`);
  return played === names.length ? 0 : 1;
}

/** Answers what is to be said of a package. @throws {Error} when it cannot be played */
async function play(
  service: TestService,
  browser: Browser,
  { accountId, file }: { accountId: number; file: string },
): Promise<string[]> {
  const answer = await service.api.post('/courses', uploadForm(readFileSync(file)));
  if (answer.status !== 201) throw new Error(`it is refused: ${JSON.stringify(answer.body)}`);
  const course = answer.body;
  await give(service, accountId, 'COURSE', course.id);
  const { registration_id: registrationId } = await register(
    service,
    { account_id: accountId, course_id: course.id },
    'ann@example.com',
  );
  const recorded = async () => (await service.api.get(`/registrations/${registrationId}`)).body as Recorded;
  await using learner = await newLearner(browser);
  const visit = async (steps: number, isOver: () => Promise<boolean>) => {
    await learner.open(service, registrationId);
    const taken = await playOn(learner.page, { steps, isOver });
    const { completion, success, score, duration } = await recorded();
    return `${taken} steps: ${completion}, ${success}, score ${score ?? 'none'}, ${duration} s`;
  };
  const first = await visit(FIRST_STEPS, async () => false);
  const kept = await keptBy(service, registrationId);
  const second = await visit(ALL_STEPS, async () => (await recorded()).success !== 'UNKNOWN');
  if ((await recorded()).completion === 'Unknown') throw new Error('nothing is recorded');
  return [
    `${course.learning_standard}, ${course.name}`,
    `first visit, ${first}`,
    kept === null ? 'left nothing to resume with' : `kept ${kept}`,
    `second visit, ${second}`,
  ];
}

/** What the unit that was open last left to resume with; null for nothing. */
async function keptBy(service: TestService, registrationId: string): Promise<string | null> {
  const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
  const { cmi = {} } = body.attempts.at(-1)?.units.at(-1)?.data ?? {};
  const location = cmi.location ?? cmi.core?.lesson_location ?? '';
  const suspended = String(cmi.suspend_data ?? '').length;
  if (location === '' && suspended === 0) return null;
  return `the bookmark ${JSON.stringify(location)} and ${suspended} characters of suspend data`;
}
