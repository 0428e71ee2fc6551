import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { uploadForm } from '../content/packages.ts';
import { zipOf } from '../support/course-packages.ts';
import { freePorts } from '../support/free-port.ts';
import { temporaryFolder, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { BROWSER_LEARNERS, BrowserLearner } from './browser-learner.ts';
import { COURSE_KINDS, type CourseKind, type OpenCourse } from './learner-courses.ts';
import { MortalProgram } from './mortal-program.ts';
import { SeededRandom } from './seeded-random.ts';

/** How many of the kills happen while learners use a browser: the last ones, because each waits until every page is open again. */
const KILLS_IN_BROWSER = 5;

/** The extent of a run. */
export interface LearnersOptions {
  /** Repeats the times of the kills, except for what the process is doing then. */
  seed: number;
  learners: number;
  kills: number;
  /** How many of the learners use this browser. The others send what a course and the player's page would send. */
  inBrowser: { browser: Browser; learners: number } | null;
}

/** The numbers of a run without a failure. */
export interface LearnersResult {
  kills: number;
  learners: number;
  /** How many of them used a browser. */
  inBrowser: number;
  /** Confirmed writes of the courses' data. */
  commits: number;
  /** Writes that a kill interrupted: it is unknown whether they were recorded, or the page in a browser kept them. */
  cutOff: number;
  /** How often a course was opened again and had at least the confirmed data. */
  resumed: number;
  completions: number;
}

/** A learner in a course, who opens it again whenever the service was killed. */
class Learner {
  readonly registrationId: string;
  /** The latest confirmed save, and the latest that was sent: bookmarks that count up. */
  answered = 0;
  sent = 0;
  commits = 0;
  cutOff = 0;
  resumed = 0;
  readonly #program: MortalProgram;
  readonly #kind: CourseKind;

  constructor(
    program: MortalProgram,
    { registrationId, kind }: { registrationId: string; kind: CourseKind },
  ) {
    this.#program = program;
    this.registrationId = registrationId;
    this.#kind = kind;
  }

  /** Learns until `isOver`, then passes the course. */
  async learn(isOver: () => boolean): Promise<void> {
    while (!(await this.#sit(isOver)));
  }

  /** Opens the course and works in it; false if the service was killed. */
  async #sit(isOver: () => boolean): Promise<boolean> {
    // Before the call: a kill may begin between its response and what follows.
    const { deaths } = this.#program;
    const answer = await this.#program.call('POST', `/registrations/${this.registrationId}/launch`);
    if (answer === null) return false;
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    try {
      const course = await this.#kind.open(answer.body.launch_url);
      this.#assertKept(course);
      while (!isOver()) await this.#send((number) => course.save(number));
      await this.#send((number) => course.pass(number));
      return true;
    } catch (error) {
      const isCutOff = error instanceof TypeError && this.#program.deaths !== deaths;
      assert.ok(isCutOff, `a course failed without a kill: ${error}`);
      if (this.sent > this.answered) this.cutOff += 1;
      return false;
    }
  }

  async #send(save: (number: number) => Promise<void>): Promise<void> {
    this.sent += 1;
    await save(this.sent);
    this.answered = this.sent;
    this.commits += 1;
  }

  /** The course must find the confirmed save, or the interrupted one after it. */
  #assertKept({ found }: OpenCourse): void {
    assert.ok(
      found >= this.answered && found <= this.sent,
      `${this.registrationId} finds ${found}, was answered ${this.answered} and sent ${this.sent}`,
    );
    this.resumed += this.answered > 0 ? 1 : 0;
    this.answered = found;
    this.sent = found;
  }
}

/**
 * Kills the program again and again while learners work in courses of all kinds, and starts it again.
 * @throws {AssertionError} if a confirmed write is lost, or a result does not arrive as exactly one message
 */
export async function runLearners({
  seed,
  learners: count,
  kills,
  inBrowser,
}: LearnersOptions): Promise<LearnersResult> {
  const random = new SeededRandom(seed);
  using folder = temporaryFolder();
  await using target = await startTarget();
  // Pages in browsers find the next process at the same address.
  const ports = await freePorts();
  await using program = await MortalProgram.start({ data_dir: folder.path, ...ports });
  await using windows = new AsyncDisposableStack();
  const enrol = await openSchool(program, target);
  const browserLearners: BrowserLearner[] = [];
  for (const each of BROWSER_LEARNERS.slice(0, inBrowser?.learners ?? 0)) {
    const { registrationId } = await enrol(each.standard);
    const learner = new BrowserLearner(program, { ...each, browser: inBrowser!.browser, registrationId });
    browserLearners.push(windows.use(learner));
  }
  const others: Learner[] = [];
  const standards = Object.keys(COURSE_KINDS) as Standard[];
  while (others.length + browserLearners.length < count)
    others.push(new Learner(program, await enrol(standards[others.length % standards.length]!)));
  const learners = [...others, ...browserLearners];
  const answered = () => learners.reduce((sum, { commits }) => sum + commits, 0);

  const isOver = () => program.deaths >= kills;
  let learning: Promise<unknown> = Promise.all(others.map((learner) => learner.learn(isOver)));
  while (program.deaths < kills) {
    if (program.deaths === Math.max(0, kills - KILLS_IN_BROWSER))
      learning = Promise.all([learning, ...browserLearners.map((learner) => learner.learn(isOver))]);
    const wanted = answered() + random.between(count, 4 * count);
    // Some kinds of courses take longer to open. Each learner has something to lose.
    const isTime = () => answered() >= wanted && others.every(({ commits }) => commits > 0);
    const canLose = () => browserLearners.every((learner) => learner.canLose);
    const hasNoticed = () => browserLearners.every((learner) => learner.hasNoticed);
    await Promise.race([until(isTime, 'learners make progress'), learning]);
    await Promise.race([until(canLose, 'pages save'), learning]);
    await program.killAndRestart({
      afterDeath: () => Promise.race([until(hasNoticed, 'pages keep what they cannot save'), learning]),
    });
  }
  await learning;
  for (const { registrationId } of learners) {
    const { body } = await program.read(`/registrations/${registrationId}`);
    assert.deepEqual([body.completion, body.success, body.score], ['Completed', 'PASS', 90]);
  }
  await until(async () => completionsIn(target).length >= count, 'all completions arrive');
  assert.deepEqual(completionsIn(target).sort(), learners.map(({ registrationId }) => registrationId).sort());
  const sum = (of: (learner: Learner | BrowserLearner) => number) =>
    learners.reduce((total, each) => total + of(each), 0);
  return {
    kills: program.deaths,
    learners: count,
    inBrowser: browserLearners.length,
    commits: answered(),
    cutOff: sum((learner) => learner.cutOff),
    resumed: sum((learner) => learner.resumed),
    completions: count,
  };
}

type Standard = keyof typeof COURSE_KINDS;

/** Creates a webhook for results and a course of each kind. Returns a function that registers another learner for a kind. */
async function openSchool(program: MortalProgram, target: Target) {
  const { api } = program;
  await api.create('/webhooks', {
    name: 'Results',
    topic: 'REGISTRATION',
    subtopics: ['REGISTRATION_STATUS_UPDATED'],
    target_url: target.url,
  });
  const { id: account_id } = await api.create('/accounts', { name: 'Northwind' });
  const courseIds = new Map<string, string>();
  for (const [standard, { files }] of Object.entries(COURSE_KINDS)) {
    const { id } = await api.create('/courses', uploadForm(new Uint8Array(await zipOf(files))));
    courseIds.set(standard, id);
  }
  const contents = Array.from(courseIds.values(), (id) => ({ type: 'COURSE', id }));
  const { status, body } = await api.post(`/accounts/${account_id}/content`, { contents });
  assert.ok(status < 300, JSON.stringify(body));
  let count = 0;
  return async (standard: Standard): Promise<{ registrationId: string; kind: CourseKind }> => {
    const { registration_id } = await api.create('/registrations', {
      account_id,
      course_id: courseIds.get(standard),
      learner_id: `learner-${count++}`,
    });
    return { registrationId: registration_id, kind: COURSE_KINDS[standard] };
  };
}

/** The registrations whose completion a target received: one for each message, without repeated deliveries. */
function completionsIn({ requests }: Target): string[] {
  const messages = new Map(requests.map(({ headers, json }) => [headers['webhook-id'], json]));
  type Message = { resource: { registration: { registration_id: string; completion: string } } };
  return [...(messages as Map<string, Message>).values()]
    .map(({ resource: { registration } }) => registration)
    .filter(({ completion }) => completion === 'Completed')
    .map(({ registration_id }) => registration_id);
}
