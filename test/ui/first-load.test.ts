import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { until } from '../support/until.ts';
import { boxOf } from './support/boxes.ts';
import { FIRST_PAGES, type FirstPage, firstLoad, MAX_BYTES, MAX_REQUESTS } from './support/first-load.ts';
import { holdRequests } from './support/held-requests.ts';
import { newLearner } from './support/learner.ts';
import { recordTransfers, type Transfer } from './support/transfers.ts';
import { startUi, type Ui } from './support/ui.ts';

const MAX_PLAYER_SCRIPT_BYTES = 60_000;
/** The files of a standard's runtime: its data model, the adapter to it, and its sequencing. */
const RUNTIME = /\/(?:scorm|sequencer)[\w-]*\.js$/;

describe('the first load with an empty cache', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    // At the port of an earlier service, a window has files of the UI in its cache.
    ui = parts.use(await startUi({ settings: { port: 0 } }));
  });

  /** The transfers of a new window until the page shows its content. */
  async function load(what: FirstPage): Promise<Transfer[]> {
    await using visit = await ui.visit('/assets/none.js', { as: FIRST_PAGES[what] });
    return await firstLoad(visit.page, ui.service.url, what);
  }

  for (const what of Object.keys(FIRST_PAGES) as FirstPage[]) {
    it(`of the ${what} takes at most ${MAX_REQUESTS} requests and ${MAX_BYTES / 1_000} kB`, async () => {
      const first = await load(what);
      const list = first.map(({ path, bytes }) => `${bytes} ${path}`).join('\n');
      assert.ok(first.length >= 5 && first.length <= MAX_REQUESTS, `${first.length} requests:\n${list}`);
      const bytes = first.reduce((sum, transfer) => sum + transfer.bytes, 0);
      assert.ok(bytes > 100_000 && bytes <= MAX_BYTES, `${bytes} bytes:\n${list}`);
    });
  }

  it('shows a placeholder before any script or style has arrived, and then the page', async () => {
    await using visit = await ui.visit('/');
    const { page } = visit;
    const frame = page.locator('#frame');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await frame.waitFor({ state: 'hidden' });
    const held = await holdRequests(page, '**/ui/assets/**');
    await page.reload({ waitUntil: 'commit' });
    await frame.getByText('Coursewire').waitFor();
    assert.equal((await boxOf(frame.locator('div'))).width, 228, 'it is where the sidebar will be');
    await page.waitForFunction("performance.getEntriesByName('first-contentful-paint').length > 0");
    held.release();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await frame.waitFor({ state: 'hidden' });
    const search = page.getByRole('button', { name: /^Search/ }).first();
    const width = await search.evaluate(
      (element) =>
        (
          globalThis as unknown as { getComputedStyle: (of: unknown) => { borderTopWidth: string } }
        ).getComputedStyle(element).borderTopWidth,
    );
    assert.equal(
      width,
      '1px',
      'the rules of the UI win over those of the library, whichever file arrives first',
    );
  });

  it('serves files compressed and cacheable forever, but never the page from a cache', async () => {
    const page = await fetch(`${ui.service.url}/ui/`);
    assert.equal(page.headers.get('cache-control'), 'no-store');
    const text = await page.text();
    const files = [...text.matchAll(/(?:src|href)="\.\/(assets\/[^"]+\.(?:js|css))"/g)].map(
      ([, file]) => file,
    );
    assert.ok(files.length >= 3);
    for (const file of files) {
      for (const encoding of ['br', 'gzip']) {
        const response = await fetch(`${ui.service.url}/ui/${file}`, {
          headers: { 'accept-encoding': encoding },
        });
        assert.equal(response.headers.get('content-encoding'), encoding, file);
        assert.match(response.headers.get('cache-control') ?? '', /max-age=31536000.*immutable/);
        await response.arrayBuffer();
      }
    }
  });

  it(`of the player takes less than ${MAX_PLAYER_SCRIPT_BYTES / 1_000} kB of script besides the runtime of the standard`, async () => {
    const { registrationId } = await registerTo(ui.service, scorm12Course());
    await using learner = await newLearner(ui.browser);
    const transfers = recordTransfers(learner.page);
    await learner.open(ui.service, registrationId);
    await learner.given();
    // The page may have read a script before its transfer is known.
    const scripts = await until(async () => {
      const found = (await transfers()).filter(({ path }) => /\/assets\/[^/]+\.js$/.test(path));
      return found.some(({ path }) => RUNTIME.test(path)) && found;
    }, 'the runtime is loaded');
    const list = scripts.map(({ path, bytes }) => `${bytes} ${path}`).join('\n');
    const own = scripts.filter(({ path }) => !RUNTIME.test(path));
    const bytes = own.reduce((sum, transfer) => sum + transfer.bytes, 0);
    assert.ok(bytes > 1_000 && bytes < MAX_PLAYER_SCRIPT_BYTES, `${bytes} bytes:\n${list}`);
  });
});
