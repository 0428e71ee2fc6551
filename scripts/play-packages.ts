import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser } from 'playwright-core';
import { uploadForm } from '../test/content/packages.ts';
import { give, register } from '../test/content/registration-helpers.ts';
import { startTestService, type TestService } from '../test/support/service.ts';
import { startTarget } from '../test/support/target.ts';
import { launchChromium } from '../test/ui/support/chromium.ts';
import { newLearner } from '../test/ui/support/learner.ts';
import { Play, type Stage } from './play-packages/play.ts';
import { playOn } from './play-packages/robot.ts';
import { SCRIPTS } from './play-packages/scripts.ts';

/**
 * Plays third-party course packages in the player, in the browser of the UI tests. Some courses have a script: the
 * learner passes, fails, suspends and resumes, and each complete postback is compared, in order. A robot plays all
 * other courses: it takes a few steps, exits, returns and plays to the end.
 */

const USAGE = `Usage: node scripts/play-packages.ts FOLDER [NAME]…

Plays each package of FOLDER (.zip) and prints what was recorded. NAME is the beginning of file names. Fails if a package cannot
be imported or opened, if a postback is wrong, or if nothing that a course reports is recorded.
`;
const FIRST_STEPS = 6;
const ALL_STEPS = 200;
const WEBHOOK = 'Results';

/** The context that playing a package needs. */
interface Classroom {
  readonly service: TestService;
  readonly browser: Browser;
}

/** A course after its import. */
interface ImportedCourse {
  id: number;
  name: string;
  learning_standard: string;
  location: string;
}

/** The result of a registration. */
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

/** Returns the exit status: 0 if every package was played correctly. */
async function run(from: string, names: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startTestService());
  const browser = stack.adopt(await launchChromium(), (opened) => opened.close());
  let played = 0;
  for (const name of names) {
    process.stdout.write(`${name}\n`);
    try {
      for await (const line of play({ service, browser }, path.join(from, name)))
        process.stdout.write(`  ${line}\n`);
      played += 1;
    } catch (error) {
      process.stdout.write(`  FAILED: ${reasonOf(error)}\n`);
    }
  }
  process.stdout.write(`${played} of ${names.length} packages were played\n`);
  return played === names.length ? 0 : 1;
}

/** Plays a package and describes the result. @throws {Error} if it is not played correctly */
async function* play(classroom: Classroom, file: string): AsyncGenerator<string> {
  const { service } = classroom;
  const answer = await service.api.post('/courses', uploadForm(readFileSync(file)));
  if (answer.status !== 201) throw new Error(`it is refused: ${JSON.stringify(answer.body)}`);
  const course: ImportedCourse = answer.body;
  const account = { name: `Learners of ${course.name}` };
  const { id: accountId } = await service.api.create('/accounts', account);
  await give(service, accountId, 'COURSE', course.id);
  yield `${course.learning_standard}, ${course.name}`;
  const scripts = SCRIPTS[course.name];
  if (scripts === undefined) {
    yield* playByRobot(classroom, accountId, course);
    return;
  }
  await using target = await startTarget();
  const webhook = await service.api.create('/webhooks', {
    name: WEBHOOK,
    topic: 'REGISTRATION',
    focus: [{ webhook_focus_type: 'COURSE', webhook_focus_id: course.id }],
    target_url: target.url,
  });
  const stage: Stage = {
    ...classroom,
    target,
    compared: [],
    webhook,
    account: { ...account, id: accountId },
    course,
  };
  for (const [title, script] of Object.entries(scripts)) {
    const registered = await Play.begin(stage, `${title.replaceAll(/\W+/g, '-')}@example.com`);
    await script(registered);
    await registered.end();
    yield `${title}: ${registered.received.join(' → ')}`;
  }
  await service.api.delete(`/webhooks/${webhook.id}`);
}

async function* playByRobot(
  { service, browser }: Classroom,
  accountId: number,
  course: ImportedCourse,
): AsyncGenerator<string> {
  const parties = { account_id: accountId, course_id: course.id };
  const { registration_id: registrationId } = await register(service, parties, 'ann@example.com');
  const recorded = async () => (await service.api.get(`/registrations/${registrationId}`)).body as Recorded;
  await using learner = await newLearner(browser);
  const visit = async (steps: number, isOver: () => Promise<boolean>) => {
    await learner.open(service, registrationId);
    const taken = await playOn(learner.page, { steps, isOver });
    const { completion, success, score, duration } = await recorded();
    return `${taken} steps: ${completion}, ${success}, score ${score ?? 'none'}, ${duration} s`;
  };
  yield `first visit, ${await visit(FIRST_STEPS, async () => false)}`;
  const kept = await keptBy(service, registrationId);
  yield kept === null ? 'left nothing to resume with' : `kept ${kept}`;
  yield `second visit, ${await visit(ALL_STEPS, async () => (await recorded()).success !== 'UNKNOWN')}`;
  if ((await recorded()).completion === 'Unknown') throw new Error('nothing is recorded');
}

/** The suspend data of the unit that was opened last; null if there is none. */
async function keptBy(service: TestService, registrationId: string): Promise<string | null> {
  const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
  const { cmi = {} } = body.attempts.at(-1)?.units.at(-1)?.data ?? {};
  const location = cmi.location ?? cmi.core?.lesson_location ?? '';
  const suspended = String(cmi.suspend_data ?? '').length;
  if (location === '' && suspended === 0) return null;
  return `the bookmark ${JSON.stringify(location)} and ${suspended} characters of suspend data`;
}

/** Describes an error. If it occurred while another one was handled, includes both. */
function reasonOf(error: unknown): string {
  if (error instanceof SuppressedError) return `${reasonOf(error.suppressed)}; then ${reasonOf(error.error)}`;
  return error instanceof Error ? error.message : String(error);
}
