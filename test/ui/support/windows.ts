import type { EventEmitter } from 'node:events';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { withCertainRoutes } from './certain-routes.ts';

/** The properties of a window that cannot change once it is open. */
export interface WindowKind {
  viewport: { width: number; height: number };
  hasTouch: boolean;
  /** By default Europe/Berlin. */
  timezoneId?: string;
}

const STYLE = { reducedMotion: 'reduce', locale: 'en-GB', timezoneId: 'Europe/Berlin' } as const;
/** The effects of these calls stay in the window, and may change the behaviour of the next page in it. */
const LASTING = {
  page: [
    'addInitScript',
    'addLocatorHandler',
    'clock',
    'exposeBinding',
    'exposeFunction',
    'routeWebSocket',
    'setExtraHTTPHeaders',
  ],
  context: [
    'addInitScript',
    'clock',
    'exposeBinding',
    'exposeFunction',
    'grantPermissions',
    'newCDPSession',
    'newPage',
    'on',
    'route',
    'routeWebSocket',
    'setExtraHTTPHeaders',
    'setOffline',
  ],
} as const;
/** Events of a page that tests listen to. */
const EVENTS = [
  'close',
  'console',
  'dialog',
  'download',
  'filechooser',
  'framenavigated',
  'load',
  'pageerror',
  'popup',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
  'websocket',
] as const;
const MAX_KEPT = 2;
const FORGET_EVERYTHING = "localStorage.clear(); sessionStorage.clear(); window.name = '';";

/** A window with cookies of its own. */
export interface TestWindow {
  readonly page: Page;
  readonly context: BrowserContext;
  /**
   * Keeps the window for another test if it is as it was before, and closes it otherwise. A page loads in a kept one
   * with half the work, since its process has compiled the UI.
   * @param url of the service that was visited
   */
  release(url: string): Promise<void>;
}

/** Windows that were released, and have no cookies, storage or page. */
const kept = new WeakMap<Browser, Map<string, Page[]>>();

/** Opens a window without cookies and storage, on a blank page. */
export async function openWindow(browser: Browser, window: WindowKind): Promise<TestWindow> {
  const { viewport } = window;
  const kinds = kept.get(browser) ?? new Map<string, Page[]>();
  kept.set(browser, kinds);
  const kind = JSON.stringify(window);
  const ofKind = kinds.get(kind) ?? [];
  kinds.set(kind, ofKind);
  const page = ofKind.pop() ?? (await newPage(browser, window));
  const context = page.context();
  const isAltered = watch(page, context);
  return {
    page,
    context,
    async release(url) {
      if (!isAltered() && ofKind.length < MAX_KEPT && (await isEmptied(page, url, viewport)))
        ofKind.push(page);
      else await context.close();
    },
  };
}

async function newPage(browser: Browser, kind: WindowKind): Promise<Page> {
  return withCertainRoutes(await (await browser.newContext({ ...STYLE, ...kind })).newPage());
}

/** Returns a function that says whether a test has changed something that outlasts the page. Call it once. */
function watch(page: Page, context: BrowserContext): () => boolean {
  const listeners = () =>
    EVENTS.map((event) => (page as unknown as EventEmitter).listenerCount(event)).join();
  const before = listeners();
  const ofPage = watchUse(page, LASTING.page);
  const ofContext = watchUse(context, LASTING.context);
  return () => {
    const isUsed = [ofPage(), ofContext()].includes(true);
    return isUsed || page.isClosed() || context.pages().length > 1 || listeners() !== before;
  };
}

/** Returns a function that says whether one of these properties was read since. Call it once. */
function watchUse(object: object, names: readonly string[]): () => boolean {
  let isUsed = false;
  const restores = names.map((name) => {
    const own = Object.getOwnPropertyDescriptor(object, name);
    const value: unknown = Reflect.get(object, name);
    Object.defineProperty(object, name, {
      configurable: true,
      get: () => {
        isUsed = true;
        return value;
      },
    });
    return () => {
      if (own === undefined) Reflect.deleteProperty(object, name);
      else Object.defineProperty(object, name, own);
    };
  });
  return () => {
    for (const restore of restores) restore();
    return isUsed;
  };
}

/** Leaves the page and forgets what it stored. False if that fails. */
async function isEmptied(page: Page, url: string, viewport: WindowKind['viewport']): Promise<boolean> {
  try {
    await page.context().clearCookies();
    // Of the same origin: for any other, also a blank page, the browser would start another process.
    await page.goto(`${url}/health/live`);
    await page.evaluate(FORGET_EVERYTHING);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Page.resetNavigationHistory');
    await devtools.detach();
    await page.emulateMedia({
      colorScheme: null,
      contrast: null,
      forcedColors: null,
      media: null,
      reducedMotion: STYLE.reducedMotion,
    });
    await page.setViewportSize(viewport);
    await page.mouse.move(0, 0);
    return true;
  } catch {
    return false;
  }
}
