import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importCourse } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startUi, type Ui } from './support/ui.ts';

/** The value that Lighthouse calls good (web.dev, Cumulative Layout Shift). */
const MAX_LAYOUT_SHIFT = 0.1;

/** Lists show cards on a phone, which the list of accounts and that of webhooks try for all. */
const ON_PHONES = [
  '/',
  '/content',
  '/accounts',
  '/administration/integrations/webhooks',
  '/administration/integrations/webhooks/1',
  '/administration/system',
  '/profile',
];

const PAGES = [
  '/',
  '/content',
  '/accounts',
  '/registrations',
  '/administration/integrations/webhooks',
  '/administration/integrations/webhooks/1',
  '/administration/integrations/dead-letters',
  '/administration/integrations/clients',
  '/administration/administrators',
  '/administration/system',
  '/profile',
];

/** The sum of the layout shifts that no key or click caused, including those that happened before. */
const LAYOUT_SHIFT = `new Promise((resolve) => {
  let sum = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) sum += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})`;

const BLOCKING_SCRIPTS = `performance.getEntriesByType('resource')
  .filter((entry) => entry.initiatorType === 'script' && entry.renderBlockingStatus === 'blocking')
  .map((entry) => entry.name)`;

let ui: Ui;

describe('while a page of the admin UI loads', () => {
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    const { api } = ui.service;
    await importCourse(ui.service);
    for (let n = 1; n <= 30; n++) await api.create('/accounts', { name: `Account ${n}` });
    await api.create('/webhooks', { name: 'Courses', topic: 'COURSE', target_url: 'http://127.0.0.1:9/' });
  });

  for (const phone of [false, true]) {
    for (const address of phone ? ON_PHONES : PAGES) {
      it(`nothing jumps and no script delays the first paint: ${address}${phone ? ' on a phone' : ''}`, async () => {
        await using visit = await ui.visit(address, { phone });
        await visit.page.getByRole('heading', { level: 1 }).waitFor();
        await visit.page.waitForLoadState('networkidle');
        const shift = (await visit.page.evaluate(LAYOUT_SHIFT)) as number;
        assert.ok(shift <= MAX_LAYOUT_SHIFT, `a layout shift of ${shift}`);
        assert.deepEqual(await visit.page.evaluate(BLOCKING_SCRIPTS), []);
      });
    }
  }
});
