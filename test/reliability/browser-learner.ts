import assert from 'node:assert/strict';
import type { Browser, Request } from 'playwright-core';
import { Learner as LearnerWindow, newLearner } from '../ui/support/learner.ts';
import { type COURSE_KINDS, kept } from './learner-courses.ts';
import type { MortalProgram } from './mortal-program.ts';

/**
 * What a learner does once the page says that it cannot reach the service. `stays`: the learner waits in the page. `returns`: the learner
 * closes the page, and opens the course again in the same browser. `moves`: in another browser, without what the first one keeps.
 */
type Habit = 'stays' | 'returns' | 'moves';

/** Values of a course's data model, by their names below `cmi`. */
type Values = Readonly<Record<string, string>>;

/** How a course calls the runtime of its standard. */
interface Runtime {
  set: string;
  commit: string;
  /** The name of the bookmark. */
  location: string;
  progress: Values;
  passed: Values;
}

const RUNTIMES = {
  'SCORM 1.2': {
    set: 'LMSSetValue',
    commit: 'LMSCommit',
    location: 'core.lesson_location',
    progress: { 'core.lesson_status': 'incomplete', 'core.score.raw': '90' },
    passed: { 'core.lesson_status': 'passed', 'core.score.raw': '90' },
  },
  'SCORM 2004': {
    set: 'SetValue',
    commit: 'Commit',
    location: 'location',
    progress: { completion_status: 'incomplete' },
    passed: { completion_status: 'completed', success_status: 'passed', 'score.scaled': '0.9' },
  },
} as const satisfies Partial<Record<keyof typeof COURSE_KINDS, Runtime>>;

/** The learners who use a browser. A short run has the first of them alone. */
export const BROWSER_LEARNERS = [
  { standard: 'SCORM 2004', habit: 'returns' },
  { standard: 'SCORM 1.2', habit: 'stays' },
  { standard: 'SCORM 1.2', habit: 'moves' },
] as const satisfies readonly { standard: keyof typeof RUNTIMES; habit: Habit }[];

/**
 * A learner in the player's page of a real browser. The page keeps working while the service is dead: it keeps the data, and sends it later.
 * So a killed service may start again only once the learner {@link hasNoticed}.
 */
export class BrowserLearner implements AsyncDisposable {
  readonly registrationId: string;
  /** The latest save that the page called saved, or kept if this browser will send it; and the latest of the course: bookmarks that count up. */
  answered = 0;
  sent = 0;
  commits = 0;
  /** Saves that the page said it keeps, because it could not reach the service. */
  cutOff = 0;
  resumed = 0;
  readonly #program: MortalProgram;
  readonly #browser: Browser;
  readonly #runtime: Runtime;
  readonly #habit: Habit;
  readonly #windows = new AsyncDisposableStack();
  #window!: LearnerWindow;
  /** How often the service had been killed at the latest save, and when the latest work without it was done. No kill waits before the learner begins. */
  #deathsAtSave = Number.POSITIVE_INFINITY;
  #deathsNoticed = Number.POSITIVE_INFINITY;

  constructor(
    program: MortalProgram,
    {
      browser,
      registrationId,
      standard,
      habit,
    }: { browser: Browser; registrationId: string } & (typeof BROWSER_LEARNERS)[number],
  ) {
    this.#program = program;
    this.#browser = browser;
    this.registrationId = registrationId;
    this.#runtime = RUNTIMES[standard];
    this.#habit = habit;
  }

  /** Whether the learner has saved something since the service was last started. */
  get canLose(): boolean {
    return this.#deathsAtSave >= this.#program.deaths;
  }

  /** Whether the learner has seen that the service is dead, and has worked without it. */
  get hasNoticed(): boolean {
    return this.#deathsNoticed >= this.#program.deaths;
  }

  /** Learns until `isOver`, then passes the course, if possible while the service is dead. */
  async learn(isOver: () => boolean): Promise<void> {
    const { progress, passed } = this.#runtime;
    this.#deathsAtSave = -1;
    this.#deathsNoticed = -1;
    await this.#open(await newLearner(this.#browser));
    do {
      while (!isOver() && (await this.#save(progress)) === 'saved');
      if (isOver()) await this.#save(passed);
      this.#deathsNoticed = this.#program.deaths;
      await this.#goOn();
    } while (!(await this.#hasPassed()));
    await this.#window.page.getByRole('button', { name: 'Exit' }).click();
    await this.#window.page.getByRole('heading', { name: 'You have finished this course' }).waitFor();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#windows.disposeAsync();
  }

  /** Lets the course save, and resolves once the page says that this is saved, or that it keeps it until the service is back. */
  async #save(values: Values): Promise<'saved' | 'kept'> {
    const { page } = this.#window;
    const { set, commit, location } = this.#runtime;
    const { deaths } = this.#program;
    this.sent += 1;
    const data = { ...values, [location]: String(this.sent), suspend_data: kept(this.sent) };
    // What the page says before this request is about an earlier save.
    const begins = page.waitForRequest((request) => bookmarkIn(request) === this.sent);
    const calls = Object.entries(data).map(([name, value]) => [set, `cmi.${name}`, value] as const);
    await Promise.all([begins, this.#window.calls(...calls, [commit, ''])]);
    const saved = page.locator('.saving', { hasText: /^Saved$/ });
    const unsaved = page.getByText('The service cannot be reached. Your work is kept in this browser');
    await saved.or(unsaved).first().waitFor();
    const isKept = await unsaved.isVisible();
    assert.ok(
      !isKept || this.#program.deaths > this.#deathsAtSave,
      'the page lost the service without a kill',
    );
    if (isKept) this.cutOff += 1;
    else {
      this.commits += 1;
      this.#deathsAtSave = deaths;
    }
    // Another browser does not have what this one keeps.
    if (!isKept || this.#habit !== 'moves') this.answered = this.sent;
    return isKept ? 'kept' : 'saved';
  }

  /** Continues with the course once the service is back. */
  async #goOn(): Promise<void> {
    const { page } = this.#window;
    if (this.#habit === 'stays') {
      await this.#window.saved();
      const { body } = await this.#program.read(`/registrations/${this.registrationId}/runtime`);
      this.#assertKept(bookmarkOf(JSON.stringify(body)));
    } else if (this.#habit === 'returns') {
      const next = new LearnerWindow(await page.context().newPage());
      const closed = page.waitForEvent('close');
      await page.close({ runBeforeUnload: true });
      await closed;
      await this.#open(next);
    } else {
      await page.context().close();
      await this.#open(await newLearner(this.#browser));
    }
  }

  async #open(window: LearnerWindow): Promise<void> {
    this.#window = this.#windows.use(window);
    const launched = await this.#program.call('POST', `/registrations/${this.registrationId}/launch`);
    assert.equal(launched?.status, 200, JSON.stringify(launched));
    await window.page.goto(launched?.body.launch_url);
    const given = await window.given();
    this.#assertKept(Number(given[this.#runtime.location]));
    assert.equal(given.suspend_data, kept(this.answered));
  }

  /** The course must find what the page called saved, and nothing newer than the latest save. */
  #assertKept(found: number): void {
    assert.ok(
      found >= this.answered && found <= this.sent,
      `${this.registrationId} ${this.#habit} and finds ${found}, was answered ${this.answered} and sent ${this.sent}`,
    );
    this.resumed += this.answered > 0 ? 1 : 0;
    this.answered = found;
    this.sent = found;
  }

  async #hasPassed(): Promise<boolean> {
    const { body } = await this.#program.read(`/registrations/${this.registrationId}`);
    return body.success === 'PASS';
  }
}

/** The bookmark in a request that saves; NaN in others. */
function bookmarkIn(request: Request): number {
  return request.url().endsWith('/commit') ? bookmarkOf(request.postData() ?? '') : Number.NaN;
}

/** The bookmark in JSON of a data model of either standard. */
function bookmarkOf(json: string): number {
  return Number(/location":"(\d+)"/.exec(json)?.[1]);
}
