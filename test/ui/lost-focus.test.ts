import { describe, it } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { untilRetrying } from '../delivery/webhook-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { CLIENTS } from './support/clients.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

/** The number of messages on a page of the history. */
const PAGE = 25;
/** Failed messages must not be retried during a test. */
const SLOW_RETRIES = { retry_initial_delay: 3_600, retry_max_delay: 3_600 };

describe('the focus, if the element that had it disappears', () => {
  let ui: Ui;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: SLOW_RETRIES }));
    make = new ContentMaker(ui.service);
  });

  const hasFocus = async (page: Page, element: Locator) =>
    await element.and(page.locator(':focus')).waitFor();

  it('is in the search after a button has cleared it, and at the heading after the list has done so', async () => {
    await make.account('Northwind');
    await using visit = await ui.visit('/accounts');
    const { page } = visit;
    const search = page.getByRole('searchbox');
    const row = page.getByRole('link', { name: 'Northwind' });
    const nothing = page.getByText('Nothing matches your search and filters.');
    await search.fill('zzz');
    await nothing.waitFor();
    await page.getByRole('button', { name: 'Clear search', exact: true }).press('Enter');
    await hasFocus(page, search);
    await row.waitFor();
    await search.fill('zzz');
    await nothing.waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).press('Enter');
    await row.waitFor();
    await hasFocus(page, page.getByRole('heading', { name: 'Accounts', level: 1 }));
  });

  it('is at the heading after a delivery was closed whose row newer ones have pushed off the page', async () => {
    const webhook = { name: 'CRM', topic: 'ACCOUNT', target_url: 'https://crm.example.com/' };
    const { id } = await ui.service.api.create('/webhooks', webhook);
    const addDeliveries = (from: number, to: number) =>
      runSql(
        ui.service.settings.data_dir,
        `insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
         with recursive numbers (n) as (select ${from} union all select n + 1 from numbers where n < ${to})
         select ${id}, 'message-' || n, 'ACCOUNT_CREATED', 'DELIVERED', '{}', n, n, 1 from numbers`,
      );
    await addDeliveries(1, 1);
    const { data } = (await ui.service.api.get(`/webhooks/${id}/deliveries`)).body;
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}?tab=history`);
    const { page } = visit;
    await page.getByRole('link', { name: new RegExp(`delivery ${data[0].id}$`) }).press('Enter');
    await page.getByRole('dialog').getByText('message-1').first().waitFor();
    await addDeliveries(2, PAGE + 1);
    await page.locator(`[data-row-link][href$="delivery=${data[0].id}"]`).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await hasFocus(page, page.getByRole('heading', { name: 'CRM', level: 1 }));
  });

  it('goes to the next item when one is removed from a bundle or a selection', async () => {
    const contents = [];
    for (const name of ['One', 'Two', 'Three']) contents.push(await make.course(name));
    const { id } = await make.bundle('Three courses', contents);
    await using visit = await ui.visit(`/content/bundles/${id}`);
    const { page } = visit;
    const remove = (name: string) => page.getByRole('button', { name: `Remove ${isolate(name)}` });
    await remove('Two').press('Enter');
    await hasFocus(page, remove('Three'));
    await page.keyboard.press('Enter');
    await hasFocus(page, remove('One'));
    await page.keyboard.press('Enter');
    await hasFocus(page, page.getByRole('button', { name: 'Add contents' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    for (const name of ['One', 'Two'])
      await dialog.getByRole('checkbox', { name: new RegExp(`^${name}`) }).check();
    const deselect = (name: string) => dialog.getByRole('button', { name: `Deselect ${isolate(name)}` });
    await deselect('One').press('Enter');
    await hasFocus(page, deselect('Two'));
    await page.keyboard.press('Enter');
    await hasFocus(page, dialog.getByRole('searchbox'));
  });

  it('stays in the list of uploads while they are sent again, and is at the heading once they are dismissed', async () => {
    await using visit = await ui.visit('/content');
    const { page } = visit;
    await page.route('**/courses', async (route) => {
      // Uploads never end.
      if (route.request().method() !== 'POST') await route.continue();
    });
    const heading = page.getByRole('heading', { level: 1 });
    const uploads = page.getByRole('region', { name: 'Uploads' });
    const button = (name: string) => uploads.getByRole('button', { name });
    const upload = async () => {
      const [chooser] = await Promise.all([
        page.waitForEvent('filechooser'),
        page.getByRole('button', { name: 'Upload courses' }).first().click(),
      ]);
      await chooser.setFiles({ name: 'fire.zip', buffer: Buffer.from('PK'), mimeType: 'application/zip' });
    };
    const inRow = (action: string) => button(`${action} ${isolate('fire.zip')}`);
    await upload();
    await button('Cancel all').press('Enter');
    await hasFocus(page, heading);
    await inRow('Retry').press('Enter');
    await hasFocus(page, inRow('Cancel'));
    await page.keyboard.press('Enter');
    await hasFocus(page, inRow('Dismiss'));
    await page.keyboard.press('Enter');
    await uploads.waitFor({ state: 'detached' });
    await hasFocus(page, heading);
    await upload();
    await inRow('Cancel').press('Enter');
    await button('Close').press('Enter');
    await uploads.waitFor({ state: 'detached' });
    await hasFocus(page, heading);
  });

  it('stays on the button that retries or redelivers a message', async () => {
    const { api } = ui.service;
    await using target = await startTarget({ respondWith: answer(503) });
    const webhook = { name: 'Blocked', topic: 'ACCOUNT', target_url: target.url };
    const { id } = await api.create('/webhooks', webhook);
    for (const name of ['Northwind', 'Contoso']) await make.account(name);
    await untilRetrying(api, id);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}`);
    const { page } = visit;
    const retry = page.getByRole('button', { name: 'Retry now' });
    const retried = await holdRequests(page, '**/line/retry*');
    await retry.press('Enter');
    await retried.begun;
    await hasFocus(page, retry);
    const { promise: mayFail, resolve: fail } = Promise.withResolvers<void>();
    target.respondWith((exchange) => void mayFail.then(() => answer(503)(exchange)));
    retried.release();
    await target.waitFor(2);
    await page.getByText('The message is being retried now.').waitFor();
    await hasFocus(page, retry);
    fail();
    await untilRetrying(api, id);
    await page.getByRole('button', { name: 'Retry now', disabled: false }).waitFor();
    await hasFocus(page, retry);
    target.respondWith(answer(503));
    await api.post(`/webhooks/${id}/line/skip`);
    const [{ id: delivery }] = (await api.get(`/webhooks/${id}/deliveries?status=DEAD_LETTERED`)).body.data;
    await visit.go(`/administration/integrations/webhooks/${id}?tab=history&delivery=${delivery}`);
    const redeliver = page.getByRole('dialog').getByRole('button', { name: 'Redeliver' });
    const redelivered = await holdRequests(page, '**/redeliver', {
      respond: (route) => route.fulfill({ status: 500, body: '{}' }),
    });
    await redeliver.press('Enter');
    await redelivered.begun;
    await hasFocus(page, redeliver);
    redelivered.release();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await hasFocus(page, redeliver);
    await page.unroute('**/redeliver');
    await redeliver.press('Enter');
    await redeliver.waitFor({ state: 'detached' });
    await hasFocus(page, page.getByRole('dialog'));
    await api.delete(`/webhooks/${id}`);
  });

  it('stays on the button that copies where the browser has no clipboard for pages', async () => {
    await using visit = await ui.visit(CLIENTS);
    const { page } = visit;
    const copy = page.getByRole('button', { name: /^Copy the client id/ }).first();
    await copy.waitFor();
    // As on every page without HTTPS.
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    const copied = page.evaluate(
      "new Promise((resolve) => document.addEventListener('copy', resolve, { once: true }))",
    );
    await copy.press('Enter');
    await copied;
    // For screen readers, which do not announce a tooltip that changes.
    await page.getByRole('status').getByText('Copied', { exact: true }).waitFor({ state: 'attached' });
    await hasFocus(page, copy);
  });
});
