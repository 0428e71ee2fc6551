import { existsSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { COMMAND_LINE } from '../src/audit/actor.ts';
import { administratorServices } from '../src/identity/administrators/administration.ts';
import { createLogs } from '../src/observability/log.ts';
import { loadSettings } from '../src/settings/load-settings.ts';
import { openStorage } from '../src/storage.ts';
import { HOUR_MS } from '../src/time/units.ts';
import { UI_BUILD_FOLDER } from '../src/ui/ui-build.ts';
import { launchChromium } from '../test/ui/support/chromium.ts';
import { FIRST_PAGES, type FirstPage, firstLoad } from '../test/ui/support/first-load.ts';
import { type BenchRun, withService } from './bench-run.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import type { FirstLoadResult } from './results.ts';

const BYTES_PER_KB = 1_000;
const SESSION_MS = HOUR_MS;
const PERSON = { email: 'ann@example.com', password: 'correct horse battery staple' };

/**
 * Measures what a browser with an empty cache transfers until it shows a page of the admin UI, in the browser that the
 * tests use. Null if that browser does not start on this machine.
 */
export async function measureFirstLoad(
  run: BenchRun,
  folder: PreparedFolder,
): Promise<FirstLoadResult | null> {
  if (!existsSync(UI_BUILD_FOLDER)) throw new Error('the UI is not built: npm run build:ui');
  let browser: Browser;
  try {
    browser = await launchChromium();
  } catch (error) {
    run.report(`first_load: not measured: ${error instanceof Error ? error.message : error}`);
    return null;
  }
  try {
    await createAdministrator(folder);
    return await withService(run, { scenario: 'first_load', folder }, async (service) => {
      const url = await service.ready();
      const pages: FirstLoadResult['pages'] = {};
      for (const page of Object.keys(FIRST_PAGES) as FirstPage[]) {
        pages[page] = await measurePage(browser, url, page);
        const { requests, kilobytes } = pages[page];
        run.report(`first_load: ${requests} requests and ${kilobytes.toFixed(0)} kB for the ${page}`);
      }
      const most = (what: 'requests' | 'kilobytes') =>
        Math.max(...Object.values(pages).map((page) => page[what]));
      return { requests: most('requests'), kilobytes: most('kilobytes'), pages };
    });
  } finally {
    await browser.close();
  }
}

async function measurePage(
  browser: Browser,
  url: string,
  what: FirstPage,
): Promise<{ requests: number; kilobytes: number }> {
  // Of its own, so that its cache is empty.
  const context = await browser.newContext();
  try {
    if (FIRST_PAGES[what] !== 'nobody') {
      const cookies = (await signIn(url)).map((field) => field.split(';', 1)[0]!.split('='));
      await context.addCookies(cookies.map(([name = '', value = '']) => ({ name, value, url })));
    }
    const transfers = await firstLoad(await context.newPage(), url, what);
    const bytes = transfers.reduce((sum, transfer) => sum + transfer.bytes, 0);
    return { requests: transfers.length, kilobytes: bytes / BYTES_PER_KB };
  } finally {
    await context.close();
  }
}

/** Signs in and returns the fields of the cookies. */
async function signIn(url: string): Promise<string[]> {
  const response = await fetch(`${url}/ui/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: new URL(url).origin },
    body: JSON.stringify(PERSON),
  });
  if (!response.ok) throw new Error(`signing in: ${response.status} ${await response.text()}`);
  return response.headers.getSetCookie();
}

async function createAdministrator({ path, databaseUrl }: PreparedFolder): Promise<void> {
  const settings = { ...loadSettings({ env: {} }), data_dir: path, database_url: databaseUrl };
  const now = Date.now;
  await using storage = await openStorage(settings, { exclusive: true, now });
  const { administrators } = administratorServices({
    database: storage.database,
    log: createLogs({ level: 'silent', customLevels: {}, destination: { write: () => {} } }).for(
      'AdministratorService',
    ),
    sessionIdleMs: SESSION_MS,
    sessionLifetimeMs: SESSION_MS,
    now,
  });
  await administrators.create({ ...PERSON, name: 'Ann', role: 'admin' }, COMMAND_LINE);
}
