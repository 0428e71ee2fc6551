import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { UI_BUILD_FOLDER } from '../../../src/ui/ui-build.ts';
import {
  ADMIN_EMAIL,
  createAdministrator,
  INTEGRATOR_EMAIL,
  signedInBrowser,
  VIEWER_EMAIL,
} from '../../support/administration.ts';
import { freePort, isFree } from '../../support/free-port.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { Visit } from './visit.ts';
import { openWindow } from './windows.ts';

const DESKTOP = { width: 1_280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/**
 * The visitor of a page: an administrator, an integrator (whom a test adds itself), a viewer, or someone who has not
 * signed in.
 */
export type Who = 'admin' | 'integrator' | 'viewer' | 'nobody';

const EMAILS = { admin: ADMIN_EMAIL, integrator: INTEGRATOR_EMAIL, viewer: VIEWER_EMAIL } as const;

/**
 * Ports of services that have stopped, for the next ones. A page loads with half the work at an origin that its window
 * has visited, since the browser keeps the process and the files of the UI.
 */
const portsToReuse: number[] = [];

async function takePort(): Promise<number> {
  const port = portsToReuse.pop();
  return port !== undefined && (await isFree(port)) ? port : await freePort();
}

/** A running service, and a browser for its visitors. */
export class Ui implements AsyncDisposable {
  readonly service: TestService;
  readonly browser: Browser;
  readonly #parts: AsyncDisposableStack;

  constructor(service: TestService, browser: Browser, parts: AsyncDisposableStack) {
    this.service = service;
    this.browser = browser;
    this.#parts = parts;
  }

  /**
   * Opens an address (`/profile`) in a window of its own.
   * @param as who has signed in there
   * @param phone in a phone's window
   * @param timezoneId the time zone of the visitor's machine
   * @param url where the visitor finds the service, where that is not its own address
   */
  async visit(
    address: string,
    {
      as = 'admin',
      phone = false,
      url = this.service.url,
      timezoneId,
    }: { as?: Who; phone?: boolean; url?: string; timezoneId?: string } = {},
  ): Promise<Visit> {
    const window = await openWindow(this.browser, {
      viewport: phone ? PHONE : DESKTOP,
      hasTouch: phone,
      ...(timezoneId === undefined ? {} : { timezoneId }),
    });
    const visit = new Visit(window, url);
    if (as !== 'nobody') {
      const { cookies } = await signedInBrowser(this.service.url, EMAILS[as]);
      const { origin } = new URL(url);
      await window.context.addCookies(Array.from(cookies, ([name, value]) => ({ name, value, url: origin })));
    }
    await visit.page.goto(`${url}/ui${address}`);
    return visit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

/** The options of a UI. With `people: false`, there are no administrators yet. */
export type UiOptions = { people?: boolean } & Parameters<typeof startTestService>[0];

/** Starts a service with the built UI, an administrator and a viewer, for visits in this browser. */
export async function startUiIn(
  browser: Browser,
  { people = true, ...options }: UiOptions = {},
): Promise<Ui> {
  assert.ok(existsSync(UI_BUILD_FOLDER), 'the UI is not built: npm run build:ui');
  await using parts = new AsyncDisposableStack();
  const port = await takePort();
  parts.defer(() => void portsToReuse.push(port));
  const settings = { port, content_port: 0, ...options.settings };
  const service = parts.use(await startTestService({ ...options, settings }));
  if (people) {
    await createAdministrator(service.settings.data_dir);
    await createAdministrator(service.settings.data_dir, {
      email: VIEWER_EMAIL,
      role: 'viewer',
      name: 'Vic',
    });
  }
  return new Ui(service, browser, parts.move());
}
