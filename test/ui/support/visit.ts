import assert from 'node:assert/strict';
import type { ConsoleMessage, Page, Request } from 'playwright-core';
import { DEADLINE_MS } from '../../support/deadline.ts';
import { assertNoAxeFaults, assertNoColourFaults, hasUnknownColours, type Scheme } from './axe.ts';
import { nextFrames } from './frames.ts';
import type { TestWindow } from './windows.ts';

/** The browser itself logs this for each response with status 400 or above, which tests cause on purpose. */
const ANSWERED_WITH_ERROR = /^Failed to load resource/;
/** Includes animations that begin when others end. */
const ANIMATIONS_ENDED = `(async () => {
  do {
    await new Promise(requestAnimationFrame);
    await Promise.allSettled(document.getAnimations().map((animation) => animation.finished));
  } while (document.getAnimations().length > 0);
})()`;
const WIDTHS =
  '({ content: document.documentElement.scrollWidth, window: document.documentElement.clientWidth })';

/**
 * An open page. At its end the test fails if the page made a request to another origin or had an uncaught error. It
 * also fails for an error in the console, such as a violated content security policy.
 */
export class Visit implements AsyncDisposable {
  readonly page: Page;
  readonly #window: TestWindow;
  readonly #url: string;
  readonly #origin: string;
  readonly #faults: string[] = [];
  #scheme: Scheme = 'light';

  constructor(window: TestWindow, url: string) {
    this.page = window.page;
    this.#window = window;
    this.#url = url;
    this.#origin = new URL(url).origin;
    window.context.setDefaultTimeout(DEADLINE_MS);
    this.page.on('request', this.#addStrangeRequest);
    this.page.on('console', this.#addConsoleError);
    this.page.on('pageerror', this.#addPageError);
  }

  readonly #addStrangeRequest = (request: Request): void => {
    const { protocol, origin } = new URL(request.url());
    if (protocol === 'data:' || protocol === 'blob:' || origin === this.#origin) return;
    this.#faults.push(`asked ${request.url()}`);
  };

  readonly #addConsoleError = (message: ConsoleMessage): void => {
    if (message.type() !== 'error' || ANSWERED_WITH_ERROR.test(message.text())) return;
    this.#faults.push(`wrote ${message.text()}`);
  };

  readonly #addPageError = (error: Error): void => {
    this.#faults.push(`failed with ${error.stack ?? error.message}`);
  };

  /** The address after the UI's base: `/administration/administrators`. */
  address(): string {
    const { pathname, search, hash } = new URL(this.page.url());
    return `${pathname.replace(/^.*?\/ui\//, '/')}${search}${hash}`;
  }

  /**
   * Goes to another page as a link does, and resolves when it is shown. Loading the UI again takes four times as much
   * work, but a list that is already shown would keep its rows until it has others.
   * @throws {AssertionError} if the page stays, for example because it asks about unsaved changes.
   */
  async go(address: string): Promise<void> {
    const hasGone = await this.page.evaluate(`Promise.race([
      __TSR_ROUTER__.navigate({ href: ${JSON.stringify(address)} }).then(() => true),
      new Promise((resolve) => setTimeout(resolve, ${DEADLINE_MS}, false)),
    ])`);
    const dialogs = hasGone ? [] : await this.page.getByRole('dialog').allTextContents();
    assert.ok(hasGone, `the page stays at ${this.address()} instead of ${address}: ${dialogs.join()}`);
  }

  /** Waits until the address is this one. */
  async arrived(address: string | RegExp): Promise<void> {
    await this.page.waitForURL((url) => {
      const here = `${url.pathname.replace(/^.*?\/ui\//, '/')}${url.search}${url.hash}`;
      return typeof address === 'string' ? here === address : address.test(here);
    });
  }

  /** Shows the page in this scheme, as after a change of the system's setting. */
  async showScheme(colorScheme: Scheme): Promise<void> {
    this.#scheme = colorScheme;
    await this.page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await this.page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor({ state: 'attached' });
    // All transitions have ended.
    await this.page.evaluate(ANIMATIONS_ENDED);
  }

  /** Fails when axe finds anything serious or critical, in the light scheme or the dark one. */
  async assertAccessible(): Promise<void> {
    const first = this.#scheme;
    const second = first === 'light' ? 'dark' : 'light';
    await this.showScheme(first);
    await assertNoAxeFaults(this.page);
    await assertNoColourFaults(this.page, first);
    // Changing the scheme redraws the whole page.
    if (!(await hasUnknownColours(this.page, second))) return;
    await this.showScheme(second);
    await assertNoColourFaults(this.page, second);
  }

  /** Resolves when the page has reacted to what is already visible: to a size that it has measured, or in an effect. */
  async settled(): Promise<void> {
    await nextFrames(this.page);
  }

  /** Fails when the page is wider than its window. */
  async assertNoSidewaysScrolling(): Promise<void> {
    // After a change of the window, measured controls have their former width for a frame.
    await this.settled();
    const { content, window } = await this.page.evaluate<{ content: number; window: number }>(WIDTHS);
    assert.ok(content <= window, `the page is ${content} px wide in a window of ${window} px`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A route handler that is still active at the end of the test would fail when the window closes.
    if (!this.page.isClosed()) await this.page.unrouteAll({ behavior: 'ignoreErrors' });
    this.page.off('request', this.#addStrangeRequest);
    this.page.off('console', this.#addConsoleError);
    this.page.off('pageerror', this.#addPageError);
    await this.#window.release(this.#url);
    assert.deepEqual(this.#faults, [], 'the page behaved');
  }
}
