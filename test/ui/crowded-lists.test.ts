import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { scormPackage, uploadForm } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { until } from '../support/until.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const UNBROKEN = 'extinguishers'.repeat(8);
const NAMES = ['Fire', UNBROKEN, 'name_with_underscores_production_eu_central_1', 'שלום '.repeat(20).trim()];
const WIDTHS = [1_440, 1_200, 1_100, 1_024, 900, 769, 360];
/** Of years ago, so that the lists show dates, which are wider than “3 minutes ago”. */
const LONG_AGO = Date.UTC(2021, 10, 28, 10, 44);

/**
 * What a visitor cannot see: a page or a table that is wider than its place, or a name that is cut off without a tooltip.
 * Runs in the page.
 */
function hiddenParts(): string[] {
  const root = document.documentElement;
  const page =
    root.scrollWidth > root.clientWidth ? [`the page by ${root.scrollWidth - root.clientWidth} px`] : [];
  const tables = Array.from(document.querySelectorAll<HTMLTableElement>('main table')).flatMap((table) => {
    const hidden = table.scrollWidth - table.parentElement!.clientWidth;
    return hidden > 0 ? [`${table.caption?.textContent} by ${hidden} px`] : [];
  });
  const isCut = (element: Element | null) => {
    if (element === null) return false;
    const { overflow } = getComputedStyle(element);
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
    return overflow === 'hidden' && (scrollWidth > clientWidth || scrollHeight > clientHeight + 1);
  };
  const cut = Array.from(document.querySelectorAll('main bdi'))
    .filter((name) => [name, name.parentElement, name.parentElement!.parentElement].some(isCut))
    .filter((name) => name.closest('[title]') === null)
    .map((name) => `${name.textContent.slice(0, 40)}…`);
  return [...page, ...tables, ...new Set(cut)];
}

describe('lists with long names, dates of years ago and numbers in the millions', () => {
  let ui: Ui;
  const ids = { account: 0, course: 0, webhook: 0, registration: '' };
  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: { retry_initial_delay: 600, retry_max_delay: 600 } }));
    const { api, settings } = ui.service;
    const make = new ContentMaker(ui.service);
    for (const name of NAMES) {
      const webhook = { name, topic: 'REGISTRATION', target_url: 'http://127.0.0.1:9/', max_attempts: 1 };
      ids.webhook = (await api.create('/webhooks', webhook)).id;
    }
    for (const name of NAMES) {
      const course = await make.course(name);
      await api.post(`/courses/${course.id}/versions`, uploadForm(await scormPackage()));
      const equivalent = await make.equivalent(name, [course]);
      await make.bundle(name, [course]);
      ids.account = await make.account(name);
      await make.add(ids.account, course, equivalent);
      ids.course = course.id;
      const body = { account_id: ids.account, course_id: course.id, learner_id: `${name}@example.com` };
      ids.registration = (await api.create('/registrations', body)).registration_id;
      await api.post(`/registrations/${ids.registration}/launch`);
      const status = { completion: 'Completed', success: 'PASS', score: 92.123, duration: 3_600_000 };
      await api.put(`/registrations/${ids.registration}/status`, status);
    }
    const letters = async () => (await api.get('/ui/api/dead-letters')).body.total;
    await until(async () => (await letters()) === 2 * NAMES.length ** 2, 'all are dead letters');
    const { data_dir } = settings;
    await runSql(data_dir, `update webhook_statistics set success_count = 4567891, error_count = 1234567`);
    for (const table of ['accounts', 'registrations', 'courses', 'equivalents', 'bundles'])
      await runSql(data_dir, `update ${table} set updated_at = ${LONG_AGO}`);
    await runSql(data_dir, `update registrations set created_at = ${LONG_AGO}`);
  });

  const pages = () =>
    [
      ['/', 'Failures by webhook'],
      [WEBHOOKS, '4,567,891'],
      [`${WEBHOOKS}/${ids.webhook}?tab=history`, 'Dead-lettered'],
      ['/administration/integrations/dead-letters', 'Redeliver'],
      ['/administration/integrations/events', 'Registration launched'],
      ['/administration/integrations/clients', 'tests'],
      ['/administration/administrators', 'vic@example.com'],
      ['/administration/audit-log', 'Fire'],
      ['/accounts', 'Fire'],
      [`/accounts/${ids.account}`, 'Course'],
      [`/accounts/${ids.account}?tab=registrations`, 'Passed'],
      ['/registrations', 'Passed'],
      [`/registrations/${ids.registration}`, 'Launch link'],
      ['/content', 'Version 1 not published'],
      ['/content?kind=equivalents', 'Fire'],
      ['/content?kind=bundles', 'Fire'],
      [`/content/courses/${ids.course}`, 'Version 1'],
    ] as const;

  it('fit every window of every page, and tell each name that is cut off', async () => {
    await using visit = await ui.visit('/');
    const { page } = visit;
    const faults: string[] = [];
    for (const [address, shown] of pages()) {
      await page.setViewportSize({ width: WIDTHS[0]!, height: 800 });
      await visit.go(address);
      await page.getByRole('main').getByText(shown).first().waitFor();
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 800 });
        // A table that turned out to be too wide is drawn again.
        await visit.settled();
        await visit.settled();
        faults.push(...(await page.evaluate(hiddenParts)).map((each) => `${address}, ${width} px: ${each}`));
      }
    }
    assert.deepEqual(faults, []);
  });
});
