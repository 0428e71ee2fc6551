import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startTarget } from '../support/target.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('the replay of events in the admin UI', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  it('is done at once while there are no events', async () => {
    const { api } = ui.service;
    const webhook = {
      name: 'Idle',
      topic: 'ACCOUNT',
      target_url: 'https://crm.example.com/',
      enabled: false,
    };
    const { id } = await api.create('/webhooks', webhook);
    assert.deepEqual((await api.get('/events')).body.data, []);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Activate and replay…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay events' });
    await dialog.getByLabel('Also events that it got before').check();
    await dialog.getByRole('button', { name: 'Activate and replay' }).click();
    await dialog.getByText('Done: 0 messages queued.').waitFor();
    assert.equal((await api.get(`/webhooks/${id}`)).body.enabled, true);
    await api.delete(`/webhooks/${id}`);
  });

  it('sends what the webhook missed while it was inactive, in order and once', async () => {
    const { api } = ui.service;
    await using crm = await startTarget();
    const { id } = await api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: crm.url,
      enabled: false,
    });
    const names = ['Coho', 'Fabrikam', 'Litware'];
    for (const name of names) await api.create('/accounts', { name });
    await using visit = await ui.visit('/profile', { phone: true });
    const { page } = visit;
    // The clock of this machine may be wrong. It changes before the page loads: one that loads in the meantime may
    // stop.
    await page.clock.setFixedTime(Date.now() - 600_000);
    await page.goto(`${ui.service.url}/ui/administration/integrations/webhooks/${id}`);
    await page.getByRole('button', { name: 'Activate and replay…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay events' });
    await dialog.getByLabel('To', { exact: true }).fill('2020-01-01T00:00');
    await dialog.getByText('Must be earlier than the end').waitFor();
    await dialog.getByLabel('To', { exact: true }).fill('');
    await dialog.getByText('3 messages will be queued.').waitFor();
    await visit.assertAccessible();
    await visit.assertNoSidewaysScrolling();
    await dialog.getByRole('button', { name: 'Activate and replay' }).click();
    await dialog.getByText('Done: 3 messages queued.').waitFor();
    await visit.assertAccessible();
    const requests = await crm.waitFor((received) => received.length === 3);
    assert.deepEqual(
      requests.map(({ text }) => JSON.parse(text).resource.account.name),
      names,
    );
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Actions for' }).click();
    await page.getByRole('menuitem', { name: 'Replay events…' }).click();
    await dialog.getByText('The webhook missed no events in this period.').waitFor();
    await dialog.getByLabel('Also events that it got before').check();
    await dialog.getByText('3 messages will be queued.').waitFor();
  });

  it('sends nothing again that the webhook got after the replay began, not even if the first step failed', async () => {
    const { api } = ui.service;
    await using crm = await startTarget();
    const webhook = { name: 'Again', topic: 'ACCOUNT', target_url: crm.url, enabled: false };
    const { id } = await api.create('/webhooks', webhook);
    await api.create('/accounts', { name: 'Missed' });
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}`);
    const { page } = visit;
    let isCutOff = true;
    await page.route(/\/replay\?.*dry_run=false/, (route) => (isCutOff ? route.abort() : route.continue()));
    await page.getByRole('button', { name: 'Activate and replay…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay events' });
    await dialog.getByLabel('Also events that it got before').check();
    await dialog.getByText(/messages? will be queued\./).waitFor();
    await dialog.getByRole('button', { name: 'Activate and replay' }).click();
    const resume = dialog.getByRole('button', { name: 'Continue' });
    await resume.waitFor();
    await api.create('/accounts', { name: 'Delivered meanwhile' });
    await crm.waitFor((received) => received.length === 1);
    isCutOff = false;
    await resume.click();
    await dialog.getByText(/^Done: /).waitFor();
    await api.create('/accounts', { name: 'Last' });
    const isLast = (text: string) => JSON.parse(text).resource.account.name === 'Last';
    const requests = await crm.waitFor((received) => received.some(({ text }) => isLast(text)));
    const names = requests.map(({ text }) => JSON.parse(text).resource.account.name);
    assert.equal(names.filter((name) => name === 'Missed').length, 1);
    assert.equal(names.filter((name) => name === 'Delivered meanwhile').length, 1);
    await api.delete(`/webhooks/${id}`);
  });

  it('stays open while it runs, asks before its page is left, and then says how far it got', async () => {
    const { api } = ui.service;
    const webhook = {
      name: 'Long',
      topic: 'ACCOUNT',
      target_url: 'https://crm.example.com/',
      enabled: false,
    };
    const { id } = await api.create('/webhooks', webhook);
    await api.create('/accounts', { name: 'Missed' });
    await using visit = await ui.visit('/administration/integrations/webhooks');
    const { page } = visit;
    await visit.go(`/administration/integrations/webhooks/${id}`);
    // Each step has 500 messages, and there is always another one. The second is under way until the test lets it go on.
    const held = await holdRequests(page, /\/replay\?.*dry_run=false/, {
      from: 2,
      respond: (route) => route.fulfill({ json: { replayed: 500, next_cursor: `${held.count()}` } }),
    });
    await page.getByRole('button', { name: 'Activate and replay…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay events' });
    await dialog.getByText(/messages? will be queued\./).waitFor();
    await dialog.getByRole('button', { name: 'Activate and replay' }).click();
    await held.begun;
    await dialog.getByText('500 messages queued so far…').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await visit.settled();
    assert.equal(await dialog.getByRole('button', { name: 'Close' }).count(), 0);
    await dialog.getByText('500 messages queued so far…').waitFor();
    const question = page.getByRole('dialog', { name: 'Leave while this is running?' });
    await page.goBack();
    await question.waitFor();
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    await dialog.getByText('500 messages queued so far…').waitFor();
    await page.goBack();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('table', { name: 'Webhooks' }).waitFor();
    held.release();
    await page
      .getByText('Stopped: 1,000 messages queued. Later events in the period were not queued.')
      .waitFor();
    assert.equal(held.count(), 2);
    await api.delete(`/webhooks/${id}`);
  });

  it('does not begin while the end is incomplete: the field has an error and the focus', async () => {
    const { api } = ui.service;
    await using crm = await startTarget();
    const { id } = await api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: crm.url,
      enabled: false,
    });
    await api.create('/accounts', { name: 'Wingtip' });
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Activate and replay…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replay events' });
    await dialog.getByText(/messages? will be queued\./).waitFor();
    const end = dialog.getByLabel('To', { exact: true });
    // The day alone.
    await end.pressSequentially('01');
    await dialog.getByRole('button', { name: 'Activate and replay' }).click();
    const fault = dialog.getByText('Enter a whole date and time, with a year of four digits');
    await fault.waitFor();
    await end.and(page.locator(':focus')).waitFor();
    await dialog.getByText(/will be queued\./).waitFor({ state: 'detached' });
    await visit.assertAccessible();
    assert.equal((await api.get(`/webhooks/${id}`)).body.enabled, false);
    await page.keyboard.press('Backspace');
    await fault.waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Activate and replay' }).click();
    await dialog.getByText(/^Done: /).waitFor();
  });
});
