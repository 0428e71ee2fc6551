import assert from 'node:assert/strict';
import type { Browser, BrowserContext, FrameLocator, Page } from 'playwright-core';
import type { Settings } from '../../../src/settings/settings-table.ts';
import { launch } from '../../content/registration-helpers.ts';
import { DEADLINE_MS } from '../../support/deadline.ts';
import { subscribeToResults } from '../../support/received-statuses.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { startTarget, type Target } from '../../support/target.ts';
import { withCertainRoutes } from './certain-routes.ts';
import { sharedBrowser } from './shared-browser.ts';

/** A learner's browser window. At its end the test fails if the player's page had an uncaught error. */
export class Learner implements AsyncDisposable {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #faults: string[] = [];

  constructor(page: Page) {
    this.page = page;
    this.#context = page.context();
    this.#context.setDefaultTimeout(DEADLINE_MS);
    page.on('pageerror', (error) => this.#faults.push(`failed with ${error.stack ?? error.message}`));
  }

  /** The course in its frame. */
  get course(): FrameLocator {
    return this.page.frameLocator('iframe[name=course]');
  }

  /** The values that the test course read when it began. */
  async given(): Promise<Record<string, string>> {
    return JSON.parse((await this.course.locator('#given').filter({ hasText: '}' }).textContent()) ?? '');
  }

  /** Lets the test course of SCORM make these calls, each with its arguments. */
  async calls(...calls: readonly (readonly [name: string, ...values: string[]])[]): Promise<void> {
    await this.course.locator('body').evaluate((_, made) => {
      const { sco } = globalThis as unknown as { sco: Record<string, (...values: string[]) => string> };
      for (const [name, ...values] of made) sco[name]?.(...values);
    }, calls);
  }

  /** From now on, the test course passes with 90 while it unloads. */
  async passesAtTheEnd(): Promise<void> {
    await this.course.locator('body').evaluate(() => {
      (globalThis as unknown as { saysLastWords: boolean }).saysLastWords = true;
    });
  }

  /** From now on, the scripts of the page take this many times as long. */
  async slowDown(rate: number): Promise<void> {
    const devTools = await this.#context.newCDPSession(this.page);
    await devTools.send('Emulation.setCPUThrottlingRate', { rate });
  }

  /** Launches a registration and opens the link. */
  async open(service: TestService, registrationId: string): Promise<void> {
    await this.page.goto(await launch(service, registrationId));
  }

  /** Opens another unit from the contents, and waits for its course. That of the unit before stays for a moment. */
  async openUnit(title: string): Promise<void> {
    await this.page.getByRole('button', { name: title }).click();
    await this.page.locator(`iframe[title="${title}"]`).waitFor();
  }

  /** Waits until the page says that everything is saved. */
  async saved(): Promise<void> {
    // A string would also be found in “Not saved yet”.
    await this.page.locator('.saving', { hasText: /^Saved$/ }).waitFor();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
    assert.deepEqual(this.#faults, [], 'the page behaved');
  }
}

/** A window of a browser without stored data. */
export async function newLearner(browser: Browser): Promise<Learner> {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, locale: 'en-GB' });
  return new Learner(withCertainRoutes(await context.newPage()));
}

/** A service that sends results to a target, and a browser for its learners. */
export interface Classroom extends AsyncDisposable {
  service: TestService;
  browser: Browser;
  target: Target;
}

export async function openClassroom(settings: Partial<Settings> = {}): Promise<Classroom> {
  await using stack = new AsyncDisposableStack();
  const target = stack.use(await startTarget());
  const service = stack.use(await startTestService({ settings }));
  const browser = await sharedBrowser();
  await subscribeToResults(service, target);
  const opened = stack.move();
  return { service, browser, target, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
