import type { CDPSession, Page } from 'playwright-core';
import { until } from '../../support/until.ts';

/** A tab or window, as the browser lists it. */
interface Tab {
  targetId: string;
  url: string;
}

/**
 * Lists the tabs of a page's browser context, as the browser itself knows them. Playwright's `page` event is not
 * reliable for links. On a busy machine, Chromium sometimes reports no first navigation of a tab that a middle click
 * opened. Playwright then never reports the tab, although it is open and shows its page.
 */
export class Tabs implements AsyncDisposable {
  readonly #session: CDPSession;
  readonly #contextId: string | undefined;

  private constructor(session: CDPSession, contextId: string | undefined) {
    this.#session = session;
    this.#contextId = contextId;
  }

  /** The tabs that share cookies with this page, its own included. */
  static async beside(page: Page): Promise<Tabs> {
    const session = await page.context().newCDPSession(page);
    const { targetInfo } = await session.send('Target.getTargetInfo');
    await session.detach();
    const browser = page.context().browser();
    if (browser === null) throw new Error('the page belongs to no browser that Playwright started');
    return new Tabs(await browser.newBrowserCDPSession(), targetInfo.browserContextId);
  }

  /** Every tab that is open. */
  async list(): Promise<Tab[]> {
    const { targetInfos } = await this.#session.send('Target.getTargets');
    return targetInfos.filter(
      ({ type, browserContextId }) => type === 'page' && browserContextId === this.#contextId,
    );
  }

  /** Waits for the tab that a click opens, closes it, and returns the path of its address. */
  async openedBy(click: () => Promise<void>): Promise<string> {
    const before = new Set((await this.list()).map(({ targetId }) => targetId));
    await click();
    const opened = await until(
      async () =>
        (await this.list()).find(({ targetId, url }) => !before.has(targetId) && url.startsWith('http')),
      'the click opens a tab',
    );
    await this.#session.send('Target.closeTarget', { targetId: opened.targetId });
    await until(async () => (await this.list()).length === before.size, 'the opened tab is closed');
    return new URL(opened.url).pathname;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.detach();
  }
}
