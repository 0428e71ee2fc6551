import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { createAccounts, createWebhook } from '../delivery/webhook-helpers.ts';
import { type MailServer, startMailServer } from '../support/smtp.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { loseFirstResponse } from './support/lost-responses.ts';
import { startUi, type Ui } from './support/ui.ts';

let mail: MailServer;
let receiver: Target;
let ui: Ui;

describe('alerts in the admin UI', () => {
  before(async () => {
    mail = await startMailServer();
    receiver = await startTarget();
    ui = await startUi({ settings: { ...mail.settings, alert_check_interval: 0.2 } });
  });
  after(async () => {
    await ui[Symbol.asyncDispose]();
    await receiver[Symbol.asyncDispose]();
    await mail[Symbol.asyncDispose]();
  });

  test('are created on one page, once though the response was lost, and a test shows for each channel whether it arrives', async () => {
    await using visit = await ui.visit('/administration/alerts');
    const { page } = visit;
    await page.getByText('No alerts yet').waitFor();
    await visit.assertAccessible();
    await page.getByRole('link', { name: 'Create alert' }).click();
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByText('Enter a name').waitFor();
    await page.getByRole('textbox', { name: 'Name' }).and(page.locator(':focus')).waitFor();
    await page.getByText('Enter an e-mail address or choose where to post').waitFor();
    await page.getByRole('combobox', { name: 'Post to a URL' }).click();
    await page.getByRole('option', { name: 'To Slack' }).click();
    await page.getByText('Enter an e-mail address or choose where to post').waitFor({ state: 'detached' });
    await page.getByRole('textbox', { name: 'Name' }).fill('On call');
    await page.getByRole('combobox', { name: 'E-mail addresses' }).fill('no address');
    await page.getByRole('combobox', { name: 'E-mail addresses' }).press('Enter');
    await page.getByRole('textbox', { name: 'URL', exact: true }).fill(`${receiver.url}/token-in-path`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page
      .getByRole('dialog', { name: 'Leave without saving?' })
      .getByRole('button', { name: 'Stay' })
      .click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('switch', { name: 'Quiet hours' }).check({ force: true });
    await page.getByLabel('From').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.getByText('Must be an e-mail address').waitFor();
    await page.getByRole('combobox', { name: 'E-mail addresses' }).press('Backspace');
    await page.getByRole('combobox', { name: 'E-mail addresses' }).fill('ops@example.com');
    await page.getByRole('combobox', { name: 'E-mail addresses' }).press('Enter');
    await loseFirstResponse(page, '**/alerts');
    await page.getByRole('button', { name: 'Create alert' }).click();
    await page.locator('form').getByText('The service is not responding').waitFor();
    await page.getByRole('button', { name: 'Create alert' }).click();

    await page.getByRole('heading', { name: 'On call' }).waitFor();
    assert.equal((await ui.service.api.get('/alerts')).body.data.length, 1);
    assert.ok(!(await page.content()).includes('token-in-path'), 'the URL is never shown again');
    await page.getByText('22:00 to 07:00, Europe/Berlin').waitFor();
    await page.getByText('This alert has not fired.').waitFor();
    receiver.respondWith(answer(404, { body: 'no_team' }));
    await page.getByRole('button', { name: 'Send test' }).click();
    await page.getByText('E-mail: sent').waitFor();
    await page.getByText('URL: not sent').waitFor();
    await page.getByText('404 Not Found: no_team').waitFor();
    await visit.assertAccessible();
  });

  test('show their time zone when they are edited, even if the browser lists it under another name', async () => {
    const { id } = await ui.service.api.create('/alerts', {
      name: 'At night',
      condition: 'SERVICE_IN_TROUBLE',
      email_to: ['ops@example.com'],
      // Browsers list Asia/Calcutta.
      quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Asia/Kolkata' },
      enabled: false,
    });
    await using visit = await ui.visit(`/administration/alerts/${id}/edit`);
    const { page } = visit;
    const listed = await page.evaluate<boolean>(
      "Intl.supportedValuesOf('timeZone').includes('Asia/Kolkata')",
    );
    assert.ok(!listed, 'the browser lists another name');
    const zone = page.getByRole('combobox', { name: 'Time zone' });
    await zone.waitFor();
    assert.equal(await zone.inputValue(), 'Asia/Kolkata');
    for (const chosen of ['Europe/Berlin', 'Asia/Kolkata']) {
      await zone.fill(chosen);
      await page.getByRole('option', { name: chosen }).click();
      assert.equal(await zone.inputValue(), chosen);
    }
    await ui.service.api.delete(`/alerts/${id}`);
  });

  test('show what is firing and why a notice could not be sent, and can be edited, disabled and deleted', async () => {
    await using failing = await startTarget({ respondWith: answer(403, { body: 'key was revoked' }) });
    receiver.respondWith(answer(500));
    const { api } = ui.service;
    const alert = await api.create('/alerts', {
      name: 'Dead letters',
      condition: 'MESSAGE_DEAD_LETTERED',
      target: { format: 'JSON', url: receiver.url },
    });
    const crm = await createWebhook(api, failing.url, { name: 'CRM', max_attempts: 1 });
    await createAccounts(api, 'lost');
    await using visit = await ui.visit('/administration/alerts');
    const { page } = visit;
    const row = page.getByRole('row').filter({ hasText: 'Dead letters' });
    await row.getByText('Firing').waitFor();
    await row.getByText('500 Internal Server Error').waitFor();
    await row.getByText(/next attempt in/).waitFor();
    await page.clock.setFixedTime(Date.now() + 86_400_000);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await row.getByText('next attempt due now').waitFor();
    await row.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByText('The last notice could not be sent').waitFor();
    const firing = page.getByRole('row').filter({ hasText: 'CRM' });
    await firing.getByText('403 Forbidden: key was revoked').waitFor();
    await visit.assertAccessible();

    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByText(`Leave it empty to keep the stored URL at ${receiver.url}.`).waitFor();
    const name = page.getByRole('textbox', { name: 'Name' });
    await name.fill('Lost messages');
    const changed = { ...alert, name: 'By someone else' };
    assert.equal((await api.put(`/alerts/${alert.id}`, changed)).status, 200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Someone else has changed this alert').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Lost messages' }).waitFor();
    const changes = page.getByRole('region', { name: 'Changes' }).getByRole('listitem');
    await changes
      .filter({ hasText: /changed alert Lost messages/ })
      .filter({ hasText: /Name.*By someone else.*Lost messages/ })
      .waitFor();
    await changes.filter({ hasText: /created alert/ }).waitFor();
    await visit.assertAccessible();

    await page.getByRole('button', { name: /^Actions for .*Lost messages/ }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await page.getByText('Alert changed').waitFor();
    const disabling = changes.filter({ hasText: /Enabled.*yes.*no/i });
    await disabling.first().waitFor();
    await page.getByRole('button', { name: /^Actions for .*Lost messages/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'Alerts', exact: true }).waitFor();
    await row.waitFor({ state: 'detached' });
    await api.delete(`/webhooks/${crm}`);
  });

  test('say when a firing is reported that began shortly after the last notice', async () => {
    await using failing = await startTarget({ respondWith: answer(500) });
    receiver.respondWith(answer(200));
    const { api } = ui.service;
    const { id } = await api.create('/alerts', {
      name: 'Paced',
      condition: 'MESSAGE_DEAD_LETTERED',
      target: { format: 'JSON', url: receiver.url },
    });
    await using visit = await ui.visit(`/administration/alerts/${id}`);
    const { page } = visit;
    const firingOf = async (name: string) => {
      await createWebhook(api, failing.url, { name, max_attempts: 1 });
      await createAccounts(api, `lost by ${name}`);
      return page.getByRole('row').filter({ hasText: name });
    };
    await (await firingOf('Reported now')).getByText('URL: Sent').waitFor();
    const later = await firingOf('Reported later');
    await later.getByText(/^Sent with the next notice at \d\d:\d\d$/).waitFor();
    await visit.assertAccessible();
    await api.delete(`/alerts/${id}`);
  });

  test('are deleted together, and exported as CSV with what they reported', async () => {
    await using failing = await startTarget({ respondWith: answer(500) });
    const { api } = ui.service;
    const names = ['Bulk 1', 'Bulk 2', 'Stays'];
    for (const name of names)
      await api.create('/alerts', {
        name,
        condition: 'MESSAGE_DEAD_LETTERED',
        target: { format: 'JSON', url: receiver.url },
      });
    await createWebhook(api, failing.url, { name: 'Exported', max_attempts: 1 });
    await createAccounts(api, 'lost again');
    await using visit = await ui.visit('/administration/alerts');
    const { page } = visit;
    const exported = async () => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      const file = await saved;
      return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') };
    };
    const row = page.getByRole('row').filter({ hasText: 'Stays' });
    await row.getByText('Firing').waitFor();
    const list = await exported();
    assert.equal(list.name, 'alerts.csv');
    for (const name of names) assert.ok(list.text.includes(`,${name},`), list.text);

    for (const name of ['Bulk 1', 'Bulk 2'])
      await page.getByRole('checkbox', { name: `Select ${isolate(name)}` }).check();
    await page.getByText('2 selected').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 2 alerts?' });
    await dialog.getByText('What they have reported stays in the history.').waitFor();
    await dialog.getByRole('button', { name: 'Delete 2 alerts' }).click();
    await page.getByText('2 alerts deleted.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: 'Bulk' }).first().waitFor({ state: 'detached' });
    const { data } = (await api.get('/alerts')).body;
    assert.deepEqual(
      data.map(({ name }: { name: string }) => name).filter((name: string) => names.includes(name)),
      ['Stays'],
    );

    await row.getByRole('link', { name: 'Stays' }).click();
    await page.getByRole('row').filter({ hasText: 'Exported' }).waitFor();
    const history = await exported();
    assert.equal(history.name, 'alert-history.csv');
    assert.match(history.text, /\r\n\d+,\d+,Stays,MESSAGE_DEAD_LETTERED,FIRING,Exported,/);
  });

  test('are no longer selected when someone else has deleted them', async () => {
    const { api } = ui.service;
    const ids = [];
    for (const name of ['Deleted by others', 'Still there']) {
      const target = { format: 'JSON', url: receiver.url };
      ids.push((await api.create('/alerts', { name, condition: 'MESSAGE_DEAD_LETTERED', target })).id);
    }
    await using visit = await ui.visit('/administration/alerts');
    const { page } = visit;
    for (const name of ['Deleted by others', 'Still there'])
      await page.getByRole('checkbox', { name: `Select ${isolate(name)}` }).check();
    await page.getByText('2 selected').waitFor();
    await api.delete(`/alerts/${ids[0]}`);
    await page.getByText('1 selected').waitFor();
    await api.delete(`/alerts/${ids[1]}`);
  });

  test('show when an e-mail is sent again to the addresses that were deferred', async () => {
    mail.busyAddresses.add('busy@example.com');
    await using failing = await startTarget({ respondWith: answer(500) });
    const { api } = ui.service;
    const alert = await api.create('/alerts', {
      name: 'Deferred',
      condition: 'MESSAGE_DEAD_LETTERED',
      email_to: ['busy@example.com', 'ops@example.com'],
    });
    await createWebhook(api, failing.url, { name: 'Greylisted', max_attempts: 1 });
    await createAccounts(api, 'lost for a while');
    await using visit = await ui.visit(`/administration/alerts/${alert.id}`);
    await visit.page.getByText('the SMTP server deferred busy@example.com').first().waitFor();
    await visit.page
      .getByText(/Sent .+, next attempt /)
      .first()
      .waitFor();
  });

  test('name chosen webhooks in the form with one request for each if they are few, even if one has been deleted, and else with one for all', async () => {
    const { api } = ui.service;
    const alertOn = async (name: string, webhook_ids: number[]): Promise<string> => {
      const target = { format: 'JSON', url: receiver.url };
      const { id } = await api.create('/alerts', {
        name,
        condition: 'MESSAGE_DEAD_LETTERED',
        webhook_ids,
        target,
      });
      return `/administration/alerts/${id}/edit`;
    };
    const kept = await createWebhook(api, receiver.url, { name: 'Kept hook', enabled: false });
    const deleted = await createWebhook(api, receiver.url, { name: 'Deleted hook', enabled: false });
    const few = await alertOn('Watching two', [deleted, kept]);
    await api.delete(`/webhooks/${deleted}`);
    // They fill the list of the form, so that it does not contain the name.
    for (let n = 0; n <= 50; n++)
      await createWebhook(api, receiver.url, { name: `Hook ${n}`, enabled: false });
    const all = (await api.get('/ui/api/webhooks?limit=200')).body.data;
    assert.ok(all.length > 50);
    const many = await alertOn(
      'Watching',
      all.map((webhook: { id: number }) => webhook.id),
    );
    const { id, name } = all.at(-1);
    await using visit = await ui.visit('/administration/alerts');
    const { page } = visit;
    const asked: string[] = [];
    page.on('request', (request) => {
      const path = /(?<!\/ui\/api)\/webhooks\b.*/.exec(request.url())?.[0];
      if (path !== undefined) asked.push(path);
    });
    await visit.go(few);
    await page.getByText('Kept hook', { exact: true }).first().waitFor();
    await page.getByText(`#${deleted}`, { exact: true }).first().waitFor();
    assert.deepEqual(asked.sort(), [`/webhooks/${kept}`, `/webhooks/${deleted}`].sort());

    asked.length = 0;
    await visit.go(many);
    await page.getByText(name, { exact: true }).first().waitFor();
    assert.equal(await page.getByText(`#${id}`, { exact: true }).count(), 0);
    assert.equal(asked.length, 1);
    await page.clock.setFixedTime(Date.now() + 60_000);
    await Promise.all([
      page.waitForResponse(/\/ui\/api\/webhooks\?/),
      page.evaluate("document.dispatchEvent(new Event('visibilitychange'))"),
    ]);
    assert.equal(asked.length, 1, 'they are not read again when one returns to the tab');
  });

  test('that someone else changes while they are edited name those changes, and where they post to now', async () => {
    const { api } = ui.service;
    const alert = await api.create('/alerts', {
      name: 'Moved elsewhere',
      condition: 'WEBHOOK_IN_ERROR',
      minutes: 5,
      email_to: ['it@example.com'],
      target: { format: 'JSON', url: receiver.url },
    });
    await using visit = await ui.visit(`/administration/alerts/${alert.id}/edit`);
    const { page } = visit;
    const url = page.getByRole('textbox', { name: 'URL' });
    const save = page.getByRole('button', { name: 'Save' });
    await page.getByLabel('For at least (minutes)').fill('9');
    const target = { format: 'JSON', url: 'https://pager.example/' };
    await api.put(`/alerts/${alert.id}`, { ...alert, target, email_to: [] });
    await save.click();
    const conflict = page.getByRole('alert').filter({ hasText: 'Someone else has changed this alert' });
    await conflict.waitFor();
    assert.deepEqual(await conflict.getByRole('listitem').allTextContents(), [
      `E-mail to now: ${isolate('None')}`,
      `Posts to now: ${isolate('JSON · https://pager.example')}`,
    ]);
    await page.getByText('Leave it empty to keep the stored URL at https://pager.example.').waitFor();
    await visit.assertAccessible();
    await api.put(`/alerts/${alert.id}`, { ...alert, target: null });
    await save.click();
    await conflict.getByText(/^Posts to now: .*None/).waitFor();
    await page.getByText('It is stored encrypted and never shown again.').waitFor();
    await save.click();
    await page.getByText('Enter the URL').waitFor();
    await url.fill(receiver.url);
    await save.click();
    await page.getByRole('heading', { name: 'Moved elsewhere' }).waitFor();
    const { body } = await api.get(`/alerts/${alert.id}`);
    assert.deepEqual(
      [body.minutes, body.email_to, body.target],
      [9, ['it@example.com'], { format: 'JSON', origin: receiver.url }],
    );
    await api.delete(`/alerts/${alert.id}`);
  });

  test('fit on a phone', async () => {
    await using visit = await ui.visit('/administration/alerts/new', { phone: true });
    await visit.page.getByRole('heading', { name: 'Create alert' }).waitFor();
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
  });
});
