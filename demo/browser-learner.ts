import type { Browser, FrameLocator, Page } from 'playwright-core';
import { DemoFailure } from './failure.ts';
import type { Learner } from './learner.ts';
import { PATIENCE_MS, within } from './waiting.ts';

/** If a browser has not started by then, it never does. */
const START_MS = 30_000;

/** Takes the course in a headless browser like a person: clicks through the pages and answers the quiz. */
export class BrowserLearner implements Learner {
  readonly way = 'in a headless browser';
  readonly #browser: Browser;
  readonly #signal: AbortSignal;
  #page: Page | null = null;

  private constructor(browser: Browser, signal: AbortSignal) {
    this.#browser = browser;
    this.#signal = signal;
  }

  /**
   * Starts the browser that npm installs for the project's tests.
   * @throws {Error} if there is none, or none that this machine can start
   */
  static async start(signal: AbortSignal): Promise<BrowserLearner> {
    // Without the development dependencies, there is neither the browser nor the library that controls it.
    const { launchChromium } = await import('../test/ui/support/chromium.ts');
    // Signals stop the demo, which closes its browser.
    const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
    return new BrowserLearner(await launchChromium({ ...signals, timeout: START_MS }), signal);
  }

  async begin(launchUrl: string): Promise<void> {
    await this.#does('open the course', async () => {
      const page = await this.#browser.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      this.#page = page;
      await page.goto(launchUrl);
      await course(page).locator('#next').waitFor();
    });
  }

  async pass(): Promise<void> {
    await this.#does('pass the course', async () => {
      if (this.#page === null) throw new Error('the course was not begun');
      const frame = course(this.#page);
      const next = frame.locator('#next');
      while (await next.isEnabled()) await next.click();
      for (const question of await frame.locator('fieldset').all()) {
        const answer = await question.getAttribute('data-answer');
        await question.locator(`input[value="${answer}"]`).check();
      }
      await frame.getByRole('button', { name: 'Check my answers' }).click();
      await this.#page.getByRole('button', { name: 'Exit' }).click();
      await this.#page.getByRole('heading', { name: 'You have finished this course' }).waitFor();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
  }

  /** Stops with the demo, because the browser does not get its signal. */
  async #does(what: string, work: () => Promise<void>): Promise<void> {
    const limits = {
      what: `the learner's browser to ${what}`,
      deadlineMs: PATIENCE_MS,
      signal: this.#signal,
    };
    await within(limits, async (limit) => {
      const { promise: stopped, reject } = Promise.withResolvers<never>();
      limit.addEventListener('abort', () => reject(limit.reason), { once: true });
      await Promise.race([stopped, work().catch((error) => fail(what, error))]);
    });
  }
}

function course(page: Page): FrameLocator {
  return page.frameLocator('iframe[name=course]');
}

function fail(what: string, error: unknown): never {
  throw new DemoFailure(`The learner's browser could not ${what}.`, [String(error)]);
}
