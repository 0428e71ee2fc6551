import type { Browser, Page } from 'playwright-core';
import type { TestService } from '../../test/support/service.ts';
import { newLearner } from '../../test/ui/support/learner.ts';
import { faultOf } from './compare.ts';
import type { Call, TestCase, Visit } from './test-case.ts';

/** A course of a test case for which a learner is registered. */
export interface RegisteredCourse {
  registrationId: string;
  title: string;
}

/** The state of the player. */
type Shown =
  | { kind: 'unit'; activity: string }
  /** The course has ended. */
  | { kind: 'over' }
  /** The course is open, and the learner must choose how to continue. */
  | { kind: 'waiting' };

interface CourseWindow {
  wasSeen?: boolean;
  runCalls(calls: Call[]): { result: string; error: string }[];
  location: { href: string; search: string };
  document: { readyState: string };
}

const SHOWN_TIMEOUT_MS = 20_000;
const ENDINGS = ['finished this course', 'not finished this course', 'not passed this course'];
/** The attempt ended without an action of the learner before the course is opened again. */
const ENDS_BY_ITSELF = /^(?:autoend|RelaunchCM10|RelaunchCM16|RelaunchOB3b|RelaunchSX4a|ReLaunchDDM|DMBx)/;
const OPENS_AGAIN = /^(?:re-?launch|exitlaunch|autoend|DMBx|ContinueExitCM8|ExitCM09ba|SuspendCM09ca)/i;
const TITLES: Readonly<Record<string, string>> = {
  APIt1: 'API Implementation Test 1',
  APIt2: 'API Implementation Test 2',
  DMIt1: 'Data Model Implementation Test 1',
  DMIt2: 'Data Model Implementation Test 2',
  DMIt3: 'Data Model Implementation Test 3',
  DMIt4: 'Data Model Implementation Test 4',
};

/**
 * Plays a test case according to its instructions: makes the calls of each visit, checks the state of the controls, and
 * uses them as a learner does. After a faulty call or control it continues with the next visit, so that it finds all faults.
 * @param courses the courses of the test case, by package name
 * @returns the faults, in order
 */
export async function playCase(
  service: TestService,
  browser: Browser,
  testCase: TestCase,
  courses: ReadonlyMap<string, RegisteredCourse>,
): Promise<string[]> {
  await using learner = await newLearner(browser);
  const { page } = learner;
  const faults: string[] = [];
  let course = [...courses.values()][0] as RegisteredCourse;
  const isCourse = courses.has(testCase.start ?? '');
  let title: string | null = isCourse ? null : testCase.start;
  await learner.open(service, course.registrationId);
  for (const [index, visit] of testCase.visits.entries()) {
    const name = `activity ${visit.activity}, visit ${index + 1} of ${testCase.visits.length}`;
    if (title !== null && !(await isOpen(page, title))) {
      const problem = await choose(page, title, course.title);
      if (problem !== null) return [...faults, `${name}: ${problem}`];
    }
    title = null;
    const shown = await whatIsShown(page);
    if (shown.kind !== 'unit') return [...faults, `${name}: nothing was delivered (${shown.kind})`];
    if (shown.activity !== visit.activity) {
      return [...faults, `${name}: activity ${shown.activity} was delivered`];
    }
    const found = [
      ...(await controlsFaults(page, visit, course.title)),
      ...(await callsFaults(page, visit.calls)),
    ];
    faults.push(...found.map((fault) => `${name}: ${fault}`));
    const next = testCase.visits[index + 1];
    const { instruction } = visit;
    if (OPENS_AGAIN.test(instruction)) {
      const problem = await leave(page, instruction);
      if (problem !== null) return [...faults, `${name}: ${problem}`];
      const asked = /DDM[ab]/.exec(instruction)?.[0];
      course = courses.get(asked ?? '') ?? course;
      await learner.open(service, course.registrationId);
      if (instruction === 'RelaunchCM10') title = 'Activity 4';
      if (instruction === 'DMBxAct') title = 'Data Model Behavior Test 1';
    } else {
      const problem = await follow(page, instruction, course.title, next === undefined);
      if (problem !== null) return [...faults, `${name}: ${problem}`];
    }
  }
  return faults;
}

/** Ends a visit to the course, so that it can be opened again. */
async function leave(page: Page, instruction: string): Promise<string | null> {
  if (instruction === 'ContinueExitCM8')
    await page.getByRole('button', { name: 'Next', exact: true }).click();
  if (ENDS_BY_ITSELF.test(instruction) || instruction === 'ContinueExitCM8') {
    return (await whatIsShown(page)).kind === 'over' ? null : 'the course did not end';
  }
  // Some have already ended, and it is unknown which.
  if (!(await eventually(async () => (await look(page))?.kind === 'over', 1_500))) {
    await page.getByRole('button', { name: 'Exit', exact: true }).click();
  }
  return (await whatIsShown(page)).kind === 'over' ? null : 'the course did not end';
}

/** Carries out an instruction to the learner. */
async function follow(
  page: Page,
  instruction: string,
  courseTitle: string,
  isLast: boolean,
): Promise<string | null> {
  const [what = '', target = ''] = instruction.split('~');
  switch (what) {
    case '':
    case 'AutoTest':
      if (!isLast) return null;
      return what === 'AutoTest' && (await whatIsShown(page)).kind !== 'over'
        ? 'the course did not end'
        : null;
    case 'HasEnded':
      return (await whatIsShown(page)).kind === 'over' ? null : 'the course did not end';
    case 'Exit':
    case 'TRIGExitAll':
      await page.getByRole('button', { name: 'Exit', exact: true }).click();
      return (await whatIsShown(page)).kind === 'over' ? null : 'the course did not end';
    case 'Continue':
      return await press(page, 'Next');
    case 'Previous':
      return await press(page, 'Previous');
    case 'Choice':
    case 'ChoiceExit':
      return await choose(page, target, courseTitle);
    case 'RootSX4b':
      return await choose(page, courseTitle, courseTitle);
    default: {
      const title = TITLES[what] ?? (what === 'launch' ? target : undefined);
      if (title === undefined) throw new Error(`cannot follow the instruction ${instruction}`);
      return await choose(page, title, courseTitle);
    }
  }
}

async function press(page: Page, name: string): Promise<string | null> {
  const button = page.getByRole('button', { name, exact: true });
  const isReady = async () => (await button.count()) === 1 && (await button.isEnabled());
  if (!(await eventually(isReady))) return `${name} cannot be used`;
  await button.click();
  return null;
}

/** The entry of the table of contents with this title. */
function entry(page: Page, title: string, courseTitle: string) {
  const wanted = title.startsWith('the activity that corresponds to the root') ? courseTitle : title;
  const pattern = wanted
    .trim()
    .replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\s+/g, '\\s+');
  return page.locator('nav button').filter({ hasText: new RegExp(`^\\s*${pattern}(?!\\d)`) });
}

/** Whether a unit opened automatically, like the first one of a course without sequencing. */
async function isOpen(page: Page, title: string): Promise<boolean> {
  await page.locator('nav button').first().waitFor();
  const shown = page.locator('nav button[aria-current]').filter({ hasText: title });
  return await eventually(async () => (await shown.count()) > 0, 1_000);
}

async function choose(page: Page, title: string, courseTitle: string): Promise<string | null> {
  const button = entry(page, title, courseTitle);
  const isReady = async () => (await button.count()) === 1 && (await button.isEnabled());
  if (!(await eventually(isReady))) return `"${title}" cannot be chosen`;
  await button.click();
  return null;
}

/** Waits briefly for the effect of a click or a call. */
async function eventually(condition: () => Promise<boolean>, ms = 5_000): Promise<boolean> {
  const until = performance.now() + ms;
  while (performance.now() < until) {
    if (await condition()) return true;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return false;
}

/** Waits for a new unit, or for the end of the course. */
async function whatIsShown(page: Page): Promise<Shown> {
  const until = performance.now() + SHOWN_TIMEOUT_MS;
  let waitingSince: number | null = null;
  while (performance.now() < until) {
    const shown = await look(page);
    if (shown !== null && shown.kind !== 'waiting') return shown;
    waitingSince = shown === null ? null : (waitingSince ?? performance.now());
    if (waitingSince !== null && performance.now() - waitingSince > 3_000) return { kind: 'waiting' };
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return { kind: 'waiting' };
}

async function look(page: Page): Promise<Shown | null> {
  return await page
    .evaluate((endings): Shown | null => {
      const { document } = globalThis as unknown as {
        document: {
          querySelector(selector: string): { contentWindow: CourseWindow; textContent: string } | null;
        };
      };
      const title = document.querySelector('h2[tabindex]')?.textContent ?? '';
      if (endings.some((ending) => title.includes(ending))) return { kind: 'over' };
      if (title === 'Choose a unit' || title === 'You have left this unit') return { kind: 'waiting' };
      const course = document.querySelector('iframe[name=course]')?.contentWindow;
      if (course === undefined || course.wasSeen) return null;
      if (course.document.readyState !== 'complete' || course.location.href === 'about:blank') return null;
      course.wasSeen = true;
      return { kind: 'unit', activity: /[?&]act=(\w+)/.exec(course.location.search)?.[1] ?? '' };
    }, ENDINGS)
    .catch(() => null);
}

async function callsFaults(page: Page, calls: readonly Call[]): Promise<string[]> {
  const answers = await page.evaluate((given) => {
    const { document } = globalThis as unknown as {
      document: { querySelector(selector: string): { contentWindow: CourseWindow } };
    };
    return document.querySelector('iframe[name=course]').contentWindow.runCalls(given as Call[]);
  }, calls as Call[]);
  const faults: string[] = [];
  for (const [index, call] of calls.entries()) {
    const answer = answers[index] ?? { result: '', error: 'none' };
    if (call.method === 'compareObjectives') {
      const [wanted, got] = [call.element, answer.result].map((ids) => ids.split(',').toSorted().join());
      if (wanted !== got) faults.push(`objectives ${got}, expected ${wanted}`);
      continue;
    }
    const fault = faultOf(call, answer);
    if (fault !== null) faults.push(`call ${index + 1} of ${calls.length}: ${fault}`);
  }
  return faults;
}

async function controlsFaults(page: Page, { questions }: Visit, courseTitle: string): Promise<string[]> {
  const faults: string[] = [];
  for (const { key, isYes } of questions) {
    if (key === 'click.button') continue;
    if ((await answerTo(page, key, courseTitle)) !== isYes) faults.push(`${key} is ${!isYes}`);
  }
  return faults;
}

async function answerTo(page: Page, key: string, courseTitle: string): Promise<boolean> {
  const [what = '', title = ''] = key.split('@');
  const button = page.getByRole('button', {
    name: what.startsWith('continue') ? 'Next' : 'Previous',
    exact: true,
  });
  switch (what) {
    case 'continue.enabled':
    case 'previous.enabled':
      return (await button.count()) === 1 && (await button.isEnabled());
    case 'continue.disabled':
    case 'previous.disabled':
      // A missing control counts as disabled.
      return (await button.count()) === 0 || (await button.isDisabled());
    case 'toc.enabled':
      return (await page.locator('nav button:enabled').count()) > 0;
    case 'toc.enabled.selectable': {
      const line = entry(page, title, courseTitle);
      return (await line.count()) === 1 && (await line.isEnabled());
    }
    case 'toc.visible':
      return (await entry(page, title, courseTitle).count()) === 1;
    default:
      throw new Error(`cannot answer the question ${key}`);
  }
}
