import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { countClicks } from './support/clicks.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

interface Delivery {
  status: string;
  about: { account: { id: number; name: string } };
}

/** Whether an element is within the window, and not covered. */
async function isOnTop(element: Locator): Promise<boolean> {
  return await element.evaluate((it) => {
    const { left, top, bottom, width } = it.getBoundingClientRect();
    return [top + 1, bottom - 1].every((y) => it.contains(document.elementFromPoint(left + width / 2, y)));
  });
}

describe('removing dead letters in the history of a webhook', () => {
  let ui: Ui;
  let target: Target;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    target = parts.use(
      await startTarget({
        respondWith: (exchange) =>
          exchange.postback.text.includes('Delivered') ? answer(204)(exchange) : answer(503)(exchange),
      }),
    );
  });

  /** A webhook of its own, with a message about each of these accounts: delivered if the name says so, else dead. */
  const webhookWith = async (...names: string[]) => {
    const { api } = ui.service;
    const record = await api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: target.url,
      max_attempts: 1,
    });
    for (const name of names) await api.create('/accounts', { name });
    const history = async (): Promise<Delivery[]> =>
      (await api.get(`/webhooks/${record.id}/deliveries`)).body.data;
    await until(
      async () =>
        (await history()).filter(({ status }) => ['DELIVERED', 'DEAD_LETTERED'].includes(status)).length ===
        names.length,
      'all are delivered or dead letters',
    );
    const dead = async () =>
      (await history())
        .filter(({ status }) => status === 'DEAD_LETTERED')
        .map(({ about }) => about.account.name);
    const accountOf = async (name: string) =>
      (await history()).find(({ about }) => about.account.name === name)?.about.account.id ?? assert.fail();
    return {
      record,
      dead,
      accountOf,
      address: `/administration/integrations/webhooks/${record.id}?tab=history`,
      end: () => api.delete(`/webhooks/${record.id}`),
    };
  };
  const rowOf = (page: Page, name: string): Locator =>
    page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').filter({ hasText: name });

  it('removes those among the selected messages, and keeps all others', async () => {
    const { address, dead, end } = await webhookWith('Delivered', 'Adatum', 'Lucerne');
    await using visit = await ui.visit(address);
    const { page } = visit;
    const remove = page.getByRole('button', { name: 'Remove selected…' });
    await rowOf(page, 'Delivered')
      .getByRole('checkbox', { name: /^Select/ })
      .check();
    assert.equal(await remove.isDisabled(), true, 'a delivered message is not a dead letter');
    await rowOf(page, 'Lucerne').getByRole('checkbox').check();
    const clicks = await countClicks(page);
    await remove.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^The selected message is removed from the dead letters/).waitFor();
    await dialog.getByText('The other selected message is not a dead letter and stays as it is.').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(await dead(), ['Lucerne', 'Adatum']);
    await remove.click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('1 dead letter was removed.').waitFor();
    assert.equal(await clicks(), 4);
    await rowOf(page, 'Lucerne').getByText('Discarded').waitFor();
    await rowOf(page, 'Delivered').getByText('Delivered', { exact: true }).first().waitFor();
    // The other message is no longer selected, either.
    await rowOf(page, 'Delivered').getByRole('checkbox', { checked: false }).waitFor();
    assert.deepEqual(await dead(), ['Adatum']);
    await end();
  });

  it('removes those that match the filters, step by step, and no others', async () => {
    const { address, dead, accountOf, end } = await webhookWith('Adatum', 'Lucerne', 'Wingtip');
    const account = await accountOf('Lucerne');
    const sent: string[] = [];
    await using visit = await ui.visit(`${address}&account=${account}`, { phone: true });
    const { page } = visit;
    page.on('request', (request) => {
      if (request.url().includes('/deliveries/remove')) sent.push(new URL(request.url()).search);
    });
    await page.getByRole('button', { name: 'Remove matching…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove dead letters' });
    await dialog.getByText(/that match the filters are removed and not sent/).waitFor();
    await visit.assertNoSidewaysScrolling();
    await dialog.getByRole('button', { name: 'Remove matching' }).click();
    await dialog.getByText('Done: 1 dead letter removed.').waitFor();
    await visit.assertAccessible();
    assert.deepEqual(sent, [`?account_id=${account}&limit=500`]);
    assert.deepEqual(await dead(), ['Wingtip', 'Adatum']);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await visit.go(address);
    await page.getByRole('button', { name: 'Remove dead letters…' }).click();
    await dialog.getByRole('button', { name: 'Remove all' }).click();
    await dialog.getByText('Done: 2 removed.').waitFor();
    assert.deepEqual(await dead(), []);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    for (const name of ['Remove dead letters…', 'Redeliver dead letters…']) {
      const button = page.getByRole('button', { name, disabled: true });
      await button.waitFor();
      assert.equal(await button.getAttribute('title'), 'There are no dead letters.', name);
    }
    await end();
  });

  it('is not offered for messages with other outcomes, nor is redelivery', async () => {
    const { address, accountOf, end } = await webhookWith('Delivered', 'Adatum');
    const account = await accountOf('Delivered');
    await using visit = await ui.visit(`${address}&account=${account}&outcome=DELIVERED`);
    const { page } = visit;
    await rowOf(page, 'Delivered').waitFor();
    for (const name of ['Remove matching…', 'Redeliver matching…'])
      assert.equal(await page.getByRole('button', { name }).isDisabled(), true, name);
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Discarded' }).click();
    await page.getByRole('heading', { name: 'No results' }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Remove matching…' }).isDisabled(), true);
    assert.equal(await page.getByRole('button', { name: 'Redeliver matching…' }).isEnabled(), true);
    await end();
  });

  it('selects a range with Shift, and all on the page, but no message that waits', async () => {
    const names = ['Adatum', 'Lucerne', 'Fabrikam', 'Wingtip', 'Proseware'];
    const { record, address, dead, end } = await webhookWith(...names);
    await runSql(
      ui.service.settings.data_dir,
      `update deliveries set status = 'RETRYING' where id =
         (select id from deliveries where webhook_id = ? order by id limit 1 offset 2) returning id`,
      record.id,
    );
    await using visit = await ui.visit(address);
    const { page } = visit;
    const tick = (name: string) => rowOf(page, name).getByRole('checkbox', { name: /^Select/ });
    await tick('Lucerne').click();
    await tick('Proseware').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    assert.equal(await tick('Adatum').isChecked(), false);
    await page.getByRole('button', { name: 'Select all on this page' }).click();
    await page.getByText('4 selected').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    await page.getByRole('button', { name: 'Clear selection' }).click();
    await tick('Lucerne').click();
    await page.getByText('1 selected').waitFor();
    assert.equal((await dead()).length, 4);

    const remove = page.getByRole('button', { name: 'Remove selected…' });
    for (const [width, height] of [
      [1_280, 480],
      [390, 844],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.evaluate(() => window.scrollTo({ top: 0 }));
      await until(() => isOnTop(remove), `the actions are in sight without scrolling at ${width} pixels`);
      await until(async () => {
        // The page has its height for this window only after a while.
        await page.evaluate(() => window.scrollTo({ top: document.body.scrollHeight }));
        return await isOnTop(rowOf(page, 'Adatum').getByRole('link'));
      }, `the last row is not covered at ${width}`);
    }
    await page.evaluate(() => window.scrollTo({ top: 0 }));
    await tick('Proseware').focus();
    const focused = page.locator(':focus');
    for (let stop = 0; !(await remove.evaluate((button) => button === document.activeElement)); stop++) {
      assert.ok(stop < 20, 'the keyboard reaches the actions');
      assert.ok(await isOnTop(focused), await focused.evaluate(({ outerHTML }) => outerHTML));
      await page.keyboard.press('Tab');
    }
    await end();
  });

  it('keeps selected messages, and selects others, while newer ones wait or push them off the page', async () => {
    const { api } = ui.service;
    const { record, address, end } = await webhookWith('Adatum', 'Lucerne', 'Wingtip', 'Proseware');
    await using visit = await ui.visit(address);
    const { page } = visit;
    const tick = (name: string) => rowOf(page, name).getByRole('checkbox', { name: /^Select/ });
    await rowOf(page, 'Lucerne').hover();
    await tick('Lucerne').click();
    // One page.
    for (let made = 0; made < 25; made++) await api.create('/accounts', { name: `Delivered ${made}` });
    await page.getByRole('button', { name: '25 new' }).waitFor();
    await page.getByText('1 selected').waitFor();
    assert.ok(await tick('Lucerne').isChecked());
    await tick('Proseware').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    await tick('Wingtip').click();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('heading', { level: 1 }).hover();
    await rowOf(page, 'Lucerne').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Remove selected…' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^2 selected messages are removed/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('2 dead letters were removed.').waitFor();
    const { data } = (await api.get(`/webhooks/${record.id}/deliveries?status=DEAD_LETTERED`)).body;
    assert.deepEqual(
      data.map(({ about }: Delivery) => about.account.name),
      ['Wingtip', 'Adatum'],
    );
    await end();
  });

  it('forgets selected messages that are redelivered or removed in the meantime, and those of another list', async () => {
    const { api } = ui.service;
    const { record, address, end } = await webhookWith('Adatum', 'Lucerne', 'Wingtip', 'Proseware');
    const act = async (action: string, filter: string) =>
      assert.equal((await api.post(`/webhooks/${record.id}/deliveries/${action}?${filter}`)).status, 200);
    const idOf = async (name: string) =>
      (await api.get(`/webhooks/${record.id}/deliveries`)).body.data.find(
        ({ about }: Delivery) => about.account.name === name,
      ).id;
    await using visit = await ui.visit(`${address}&outcome=DEAD_LETTERED`);
    const { page } = visit;
    const tick = (name: string) =>
      rowOf(page, name)
        .getByRole('checkbox', { name: /^Select/ })
        .click();
    const dock = page.getByText(/^\d selected$/);
    await tick('Adatum');
    await tick('Lucerne');
    await page.getByText('2 selected').waitFor();
    await act('remove', `delivery_id=${await idOf('Lucerne')}`);
    await page.getByText('1 selected').waitFor();
    await tick('Wingtip');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'All outcomes' }).click();
    await rowOf(page, 'Lucerne').waitFor();
    await dock.waitFor({ state: 'detached' });
    await tick('Adatum');
    await tick('Wingtip');
    await page.getByText('2 selected').waitFor();
    await act('remove', `delivery_id=${await idOf('Wingtip')}`);
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Remove dead letters…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove dead letters' });
    await dialog.getByRole('button', { name: 'Remove all' }).click();
    await dialog.getByText('Done: 2 removed.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    await dock.waitFor({ state: 'detached' });
    await end();
  });

  it('works for an inactive webhook, whose messages cannot be redelivered', async () => {
    const { api } = ui.service;
    const { record, address, dead, end } = await webhookWith('Adatum');
    const current = (await api.get(`/webhooks/${record.id}`)).body;
    assert.equal((await api.put(`/webhooks/${record.id}`, { ...current, enabled: false })).status, 200);
    await using visit = await ui.visit(address);
    const { page } = visit;
    await rowOf(page, 'Adatum').getByRole('checkbox').check();
    assert.equal(await page.getByRole('button', { name: 'Redeliver selected' }).isDisabled(), true);
    await page.getByRole('button', { name: 'Remove selected…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('1 dead letter was removed.').waitFor();
    assert.deepEqual(await dead(), []);
    await end();
  });

  it('works for a deleted webhook, whose page keeps its selection and its dialog each time it requests the webhook', async () => {
    const { record, address, dead, end } = await webhookWith('Adatum', 'Lucerne');
    await end();
    await using visit = await ui.visit(address);
    const { page } = visit;
    const nextRequest = async () => {
      await page.waitForResponse(new RegExp(`/webhooks/${record.id}$`));
      await visit.settled();
    };
    await rowOf(page, 'Lucerne').getByRole('checkbox').check();
    await nextRequest();
    for (const name of ['Redeliver selected', 'Redeliver dead letters…']) {
      const button = page.getByRole('button', { name, disabled: true });
      assert.equal(
        await button.getAttribute('title'),
        'The webhook was deleted, so there is no target to send it to.',
        name,
      );
    }
    const held = await holdRequests(page, '**/ui/api/dead-letters/remove');
    await page.getByRole('button', { name: 'Remove dead letters…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove dead letters' });
    await dialog.getByRole('button', { name: 'Remove all' }).click();
    await held.begun;
    await nextRequest();
    held.release();
    await dialog.getByText('Done: 2 removed.').waitFor();
    assert.deepEqual(await dead(), []);
  });
});
