import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { boxOf } from './support/boxes.ts';
import { coveredControls, makeRowsStatic } from './support/covered-controls.ts';
import { Tabs } from './support/opened-tabs.ts';
import { LEAST_TARGET, smallTargets } from './support/small-targets.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const DEAD_LETTERS = '/administration/integrations/dead-letters';
const MODIFIERS = ['Control', 'Meta', 'Shift'] as const;
describe('rows that lead to a page', () => {
  let ui: Ui;
  let target: Target;
  let webhookId: number;
  let accountId: number;
  aroundTests(async (parts) => {
    // The blocked line must not change during a test.
    ui = parts.use(await startUi({ settings: { retry_initial_delay: 600, retry_max_delay: 600 } }));
    target = parts.use(await startTarget());
    target.respondWith(answer(410, { statusText: 'Gone' }));
    const { api } = ui.service;
    const make = new ContentMaker(ui.service);
    for (const name of ['CRM', 'Warehouse']) {
      const { id } = await api.create('/webhooks', {
        name,
        topic: 'ACCOUNT',
        target_url: target.url,
        max_attempts: 1,
      });
      webhookId = id;
    }
    const blocked = { name: 'Blocked', topic: 'ACCOUNT', target_url: target.url, max_attempts: 10 };
    await api.create('/webhooks', blocked);
    const course = await make.course('Ladders');
    await make.course('Fire');
    const equivalent = await make.equivalent('All languages', [course]);
    const bundle = await make.bundle('First week', [course, equivalent]);
    for (const name of ['Northwind', 'Contoso', 'Fabrikam']) {
      accountId = await make.account(name);
      await make.add(accountId, course, equivalent, bundle);
      const body = { account_id: accountId, course_id: course.id, learner_id: `ada of ${name}` };
      await api.create('/registrations', body);
    }
    await until(async () => (await api.get('/ui/api/dead-letters')).body.total === 6, 'all are dead letters');
  });

  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  /** The cell of a row that holds that text alone. */
  const cellOf = (page: Page, name: string, text: string | RegExp) =>
    rowOf(page, name).getByRole('cell').filter({ hasText: text }).first();
  /** Clicks into an empty place of the row. */
  const clickBeside = async (cell: Locator, options: Parameters<Locator['click']>[0] = {}) =>
    cell.click({ position: { x: 3, y: 3 }, ...options });

  /** Pages with rows, and a text of each. */
  const lists = () =>
    [
      ['/', 'Failures by webhook'],
      [WEBHOOKS, 'CRM'],
      [`${WEBHOOKS}/${webhookId}?tab=history`, 'Account created'],
      [DEAD_LETTERS, 'CRM'],
      ['/administration/integrations/clients', 'tests'],
      ['/administration/administrators', 'Vic'],
      ['/administration/system', 'data_dir'],
      ['/accounts', 'Northwind'],
      [`/accounts/${accountId}`, 'Ladders'],
      [`/accounts/${accountId}?tab=registrations`, 'ada of Fabrikam'],
      ['/registrations', 'ada of Northwind'],
      ['/content', 'Ladders'],
      ['/content?kind=equivalents', 'All languages'],
      ['/content?kind=bundles', 'First week'],
      ['/profile', 'This session'],
    ] as const;

  it('never cover anything, even if a browser cannot position elements inside a row', async () => {
    await using visit = await ui.visit('/');
    const { page } = visit;
    for (const [address, shown] of lists()) {
      await visit.go(address);
      await page.getByText(shown).first().waitFor();
      await page.evaluate(makeRowsStatic);
      const { looked, covered } = await page.evaluate(coveredControls);
      assert.ok(looked > 10, `${address} has controls: ${looked}`);
      assert.deepEqual(covered, [], `${address}: of ${looked} controls`);
    }
  });

  for (const phone of [false, true]) {
    it(`open nothing by a click that narrowly misses a control, ${phone ? 'on a phone' : 'on a desktop'}`, async () => {
      await using visit = await ui.visit('/', { phone });
      for (const [address, shown] of lists()) {
        await visit.go(address);
        await visit.page.getByText(shown).first().waitFor();
        const { looked, small } = await visit.page.evaluate(smallTargets, LEAST_TARGET);
        assert.ok(looked > 4, `${address} has controls: ${looked}`);
        assert.deepEqual(small, [], `${address}: of ${looked} controls`);
      }
    });
  }

  it('open it by a click anywhere, and by Enter on the name', async () => {
    await using visit = await ui.visit(WEBHOOKS);
    const { page } = visit;
    const there = `${WEBHOOKS}/${webhookId}`;
    await clickBeside(cellOf(page, 'Warehouse', 'All events'));
    await visit.arrived(there);
    await page.goBack();
    await rowOf(page, 'Warehouse').locator('time').last().click();
    await visit.arrived(there);
    // Each page takes the focus once it is open. Otherwise, it could take that of the link.
    await page.locator('h1:focus', { hasText: 'Warehouse' }).waitFor();
    await page.goBack();
    await page.locator('h1:focus', { hasText: 'Webhooks' }).waitFor();
    await page.getByRole('link', { name: 'Warehouse', exact: true }).press('Enter');
    await visit.arrived(there);
    await page.goBack();
    assert.equal(
      await rowOf(page, 'Warehouse').getByRole('link', { name: 'Warehouse', exact: true }).count(),
      1,
    );
  });

  it('open it in a new tab by a middle click or a modifier, like links', async () => {
    await using visit = await ui.visit(WEBHOOKS);
    const { page } = visit;
    await using tabs = await Tabs.beside(page);
    const cell = cellOf(page, 'Warehouse', 'All events');
    const there = `/ui${WEBHOOKS}/${webhookId}`;
    assert.equal(await tabs.openedBy(() => clickBeside(cell, { button: 'middle' })), there);
    for (const modifier of MODIFIERS) {
      assert.equal(await tabs.openedBy(() => clickBeside(cell, { modifiers: [modifier] })), there, modifier);
    }
    const link = page.getByRole('link', { name: 'Warehouse', exact: true });
    assert.equal(await tabs.openedBy(() => link.click({ button: 'middle' })), there);
    await clickBeside(cell, { button: 'right' });
    assert.equal(visit.address(), WEBHOOKS);
    assert.equal((await tabs.list()).length, 1);
  });

  it('do not open it when a control is used or text is selected', async () => {
    await using visit = await ui.visit(WEBHOOKS);
    const { page } = visit;
    const row = rowOf(page, 'Warehouse');
    const events = row.getByText('All events');
    const { x, y, width, height } = await boxOf(events);
    await page.mouse.move(x + 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 2, y + height / 2, { steps: 4 });
    await page.mouse.up();
    assert.match(await page.evaluate('String(getSelection())'), /ll event/);
    assert.equal(visit.address(), WEBHOOKS);

    await rowOf(page, 'Blocked').getByRole('switch').click({ force: true });
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('heading').click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByRole('button', { name: /^Actions for/ }).click();
    await page.getByRole('menuitem').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('menuitem').first().waitFor({ state: 'detached' });
    assert.equal(visit.address(), WEBHOOKS);

    await clickBeside(cellOf(page, 'Warehouse', 'All events'));
    await visit.arrived(`${WEBHOOKS}/${webhookId}`);
  });

  it('open it from their cards on a phone, too', async () => {
    await using visit = await ui.visit('/accounts', { phone: true });
    const { page } = visit;
    const card = page.getByRole('listitem').filter({ hasText: 'Fabrikam' });
    await card.getByText('Content', { exact: true }).tap();
    await visit.arrived(`/accounts/${accountId}`);
    await page.goBack();
    await card.getByRole('button', { name: /^Actions for/ }).tap();
    await page.getByRole('menuitem').first().waitFor();
    assert.equal(visit.address(), '/accounts');
  });
});
