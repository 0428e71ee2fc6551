import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeParties, register } from '../content/registration-helpers.ts';
import { settledDeliveries, untilRetrying } from '../delivery/webhook-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, type Behaviour } from '../support/target-behaviours.ts';
import { chooseFocus } from './support/choosing.ts';
import { countClicks } from './support/clicks.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
/** Failed messages must not be retried during a test. */
const SLOW_RETRIES = { retry_initial_delay: 3_600, retry_max_delay: 3_600 };
const REVOKED = { message: 'API key crm was revoked' };

/** Answers as a target whose address has moved. */
const moved: Behaviour = (exchange) =>
  exchange.postback.path === '/new'
    ? answer(204)(exchange)
    : answer(403, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(REVOKED) })(
        exchange,
      );

describe('few clicks are enough', () => {
  let ui: Ui;
  let target: Target;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: SLOW_RETRIES }));
    target = parts.use(await startTarget({ respondWith: moved }));
  });

  it('to see the reason of a failure (1 from the dashboard), and to fix and deliver it (3 more)', async () => {
    const { api } = ui.service;
    const { id } = await api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: `${target.url}/old`,
      max_attempts: 5,
    });
    for (const name of ['Northwind', 'Contoso']) await api.create('/accounts', { name });
    await untilRetrying(api, id);
    await using visit = await ui.visit('/');
    const { page } = visit;
    const blocked = page.getByRole('region', { name: 'Blocked webhooks' });
    await blocked.getByText('403 Forbidden: API key crm was revoked').waitFor();
    const clicks = await countClicks(page);
    await blocked.getByRole('link', { name: 'CRM' }).click();
    const reason = page.getByRole('alert').getByText('403 Forbidden: API key crm was revoked');
    await reason.waitFor();
    await page
      .getByText(
        /^The last attempt failed, at \d\d:\d\d\. The message is moved to dead letters after 5 failed attempts since it was queued\./,
      )
      .waitFor();
    await page.getByText('0%', { exact: true }).waitFor();
    assert.equal(await clicks(), 1);
    await visit.assertAccessible();
    await visit.showScheme('light');
    await page.getByRole('link', { name: 'Edit' }).click();
    const address = page.getByRole('textbox', { name: 'Target URL' });
    await address.click({ clickCount: 1 });
    await page.keyboard.press('Control+A');
    await page.keyboard.type(`${target.url}/new`);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('No messages are waiting.').waitFor();
    assert.equal(await clicks(), 4);
    await reason.waitFor({ state: 'detached' });
    assert.deepEqual(
      target.requests.map(({ path }) => path),
      ['/old', '/new', '/new'],
    );
    await api.delete(`/webhooks/${id}`);
  });

  it('to retry from the dashboard (1), and to see failing webhooks, which are listed first', async () => {
    const { api } = ui.service;
    const create = (name: string, path: string) =>
      api.create('/webhooks', {
        name,
        topic: 'ACCOUNT',
        target_url: `${target.url}${path}`,
        max_attempts: 5,
      });
    const { id: well } = await create('A works', '/new');
    const { id: ill } = await create('B fails', '/old');
    await api.create('/accounts', { name: 'Fabrikam' });
    const attempts = async () => (await api.get(`/webhooks/${ill}/health`)).body.failure?.failures ?? 0;
    await until(async () => (await attempts()) === 1, 'the first attempt has failed');
    await using visit = await ui.visit('/');
    const { page } = visit;
    const retry = page.getByRole('button', { name: /^Retry now: .?B fails/ });
    await retry.waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    const clicks = await countClicks(page);
    await retry.click();
    await page.getByText('The message is being retried now.').waitFor();
    assert.equal(await clicks(), 1);
    await until(async () => (await attempts()) === 2, 'it was tried again');
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await visit.arrived(WEBHOOKS);
    const rows = page.locator('tbody tr');
    await rows.first().getByText('403 Forbidden').waitFor();
    await rows
      .first()
      .getByText(/Since \d\d:\d\d/)
      .waitFor();
    await rows.first().getByText('0% in 24 h', { exact: true }).waitFor();
    await rows.nth(1).getByText('100% in 24 h').waitFor();
    await visit.assertAccessible();
    await using phone = await ui.visit(WEBHOOKS, { phone: true });
    await phone.page.getByText('403 Forbidden').waitFor();
    await phone.assertNoSidewaysScrolling();
    for (const id of [well, ill]) await api.delete(`/webhooks/${id}`);
  });

  it('to see whether the result of a learner was delivered (3 from the dashboard)', async () => {
    const { api } = ui.service;
    const webhook = { name: 'LMS', topic: 'REGISTRATION', target_url: `${target.url}/new` };
    const { id } = await api.create('/webhooks', webhook);
    const parties = await makeParties(ui.service, { account: 'Northwind', course: 'Fire safety' });
    const { registration_id } = await register(ui.service, parties, 'ada');
    await register(ui.service, parties, 'grace');
    const passed = { completion: 'Completed', success: 'PASS', score: 92 };
    assert.equal((await api.put(`/registrations/${registration_id}/status`, passed)).status, 200);
    await settledDeliveries(api, id, 1);
    await using visit = await ui.visit('/');
    const { page } = visit;
    const registrations = page.getByRole('navigation').getByRole('link', { name: 'Registrations' });
    await registrations.waitFor();
    const clicks = await countClicks(page);
    await registrations.click();
    await page.getByRole('link', { name: 'ada' }).click();
    await page.getByRole('link', { name: /Status updated, event/ }).click();
    const messages = page.getByRole('list', { name: 'Messages' });
    await messages.getByText('LMS').waitFor();
    await messages.getByText('Delivered').waitFor();
    assert.equal(await clicks(), 3);
    await visit.assertAccessible();
    await api.delete(`/webhooks/${id}`);
  });

  it('to redeliver the dead letters of an outage (3 from the dashboard)', async () => {
    const { api } = ui.service;
    const { id } = await api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: `${target.url}/outage`,
      max_attempts: 1,
    });
    const before = target.requests.length;
    const names = ['Adatum', 'Proseware', 'Wingtip'];
    for (const name of names) await api.create('/accounts', { name });
    await until(
      async () => (await api.get(`/webhooks/${id}/deliveries?status=DEAD_LETTERED`)).body.data.length === 3,
      'all three are dead letters',
    );
    target.respondWith(answer(204));
    await using visit = await ui.visit('/');
    const { page } = visit;
    const tile = page.getByRole('list', { name: 'At a glance' }).getByRole('link', { name: /Dead letters/ });
    await tile.waitFor();
    const clicks = await countClicks(page);
    await tile.click();
    await page.getByRole('button', { name: 'Redeliver all…' }).click();
    await page.getByRole('button', { name: 'Redeliver all', exact: true }).click();
    await page.getByText('Done: 3 messages queued.').waitFor();
    assert.equal(await clicks(), 3);
    await target.waitFor(before + 6);
    await visit.assertAccessible();
    const sent = target.requests.slice(-3).map(({ text }) => names.find((name) => text.includes(name)));
    assert.deepEqual(sent, names);
    await api.delete(`/webhooks/${id}`);
  });

  it('to create a webhook with two focuses (7 from the dashboard)', async () => {
    const { api } = ui.service;
    for (const name of ['Ladders', 'Lifting']) await api.create('/accounts', { name });
    await using visit = await ui.visit('/');
    const { page } = visit;
    await page.getByRole('heading', { level: 1 }).waitFor();
    const clicks = await countClicks(page);
    await page.getByRole('link', { name: 'Create webhook' }).first().click();
    // The first field has the focus.
    await page.locator('[data-field=name]:focus').waitFor();
    await page.keyboard.type('Two focuses');
    await page.keyboard.press('Tab');
    await page.keyboard.type(`${target.url}/new`);
    await page.getByRole('radio', { name: 'Accounts' }).click();
    await chooseFocus(page, 'Choose accounts…', ['Ladders', 'Lifting']);
    await page.getByRole('button', { name: 'Create webhook' }).click();
    await page.getByRole('heading', { level: 1, name: 'Two focuses' }).waitFor();
    assert.equal(await clicks(), 7);
    const id = Number(/(\d+)$/.exec(visit.address())?.[1]);
    const { focus } = (await api.get(`/webhooks/${id}`)).body;
    assert.deepEqual(
      focus.map((each: { webhook_focus_name: string }) => each.webhook_focus_name),
      ['Ladders', 'Lifting'],
    );
    await api.delete(`/webhooks/${id}`);
  });

  it('to redeliver the dead letters of one webhook (3 from its page), while those of others stay', async () => {
    const { api } = ui.service;
    const create = (name: string) =>
      api.create('/webhooks', {
        name,
        topic: 'ACCOUNT',
        target_url: `${target.url}/${name}`,
        max_attempts: 1,
      });
    target.respondWith(answer(500));
    const [{ id }, { id: other }] = [await create('outage'), await create('elsewhere')];
    const names = ['Adatum', 'Proseware'];
    for (const name of names) await api.create('/accounts', { name });
    const deadOf = async (webhook: number) =>
      (await api.get(`/webhooks/${webhook}/deliveries?status=DEAD_LETTERED`)).body.data.length;
    await until(async () => (await deadOf(id)) + (await deadOf(other)) === 4, 'all are dead letters');
    target.respondWith(answer(204));
    target.requests.length = 0;
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    await page.getByRole('link', { name: 'Show dead letters' }).waitFor();
    const clicks = await countClicks(page);
    await page.getByRole('link', { name: 'Show dead letters' }).click();
    await page.getByRole('button', { name: 'Redeliver dead letters…' }).click();
    await page.getByRole('button', { name: 'Redeliver all', exact: true }).click();
    await page.getByText('Done: 2 messages queued.').waitFor();
    assert.equal(await clicks(), 3);
    await target.waitFor(2);
    const sent = target.requests.map(({ text }) => names.find((name) => text.includes(name)));
    assert.deepEqual(sent, names);
    assert.equal(await deadOf(other), 2, 'those of the other webhook stay');
    for (const each of [id, other]) await api.delete(`/webhooks/${each}`);
  });
});
