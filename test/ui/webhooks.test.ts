import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { until } from '../support/until.ts';
import { failUntilClick } from './support/fail-until-click.ts';
import { HOSTILE } from './support/hostile-name.ts';
import { countOpenRequests } from './support/transfers.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
/** Lists and panels refresh every few seconds. */
const LIVE_MS = 15_000;
/** Code that makes a page behave as if its tab were hidden, or visible again. */
const visibility = (state: 'hidden' | 'visible') =>
  `Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
   document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));`;

describe('webhooks in the admin UI', () => {
  let ui: Ui;
  let target: Target;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: { retry_initial_delay: 0.5, retry_max_delay: 0.5 } }));
    target = parts.use(await startTarget());
  });

  /** On a busy machine, the ten attempts of the default would be made before a test has seen a waiting message. */
  const create = (configuration: object = {}) =>
    ui.service.api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: `${target.url}/hook`,
      max_attempts: 1_000,
      ...configuration,
    });
  const remove = (id: number) => ui.service.api.delete(`/webhooks/${id}`);
  const cause = (name = 'Northwind') => ui.service.api.create('/accounts', { name });

  it('are in error while their target fails, and no longer once it is fixed, without a reload', async () => {
    target.respondWith(answer(503, { statusText: 'Out to Lunch', body: '<b>closed</b>' }));
    const { id } = await create();
    await using list = await ui.visit(WEBHOOKS);
    await list.page.getByRole('link', { name: 'CRM' }).waitFor();
    await using details = await ui.visit(`${WEBHOOKS}/${id}`);
    await details.page.getByText('No messages waiting', { exact: true }).waitFor();
    await cause();
    await list.page.getByRole('link', { name: /is in error.*503 Out to Lunch/ }).waitFor();
    // Screen readers must not read the changing parts below it with each attempt.
    await details.page.getByRole('alert').getByText('503 Out to Lunch').waitFor();
    assert.equal(await details.page.getByRole('alert').getByTestId('last-error').count(), 0);
    const message = `Request to postback URL '${target.url}/hook' failed for reason: 503 Out to Lunch`;
    await details.page.getByTestId('last-error').getByText(message, { exact: true }).waitFor();
    await details.page.getByText('Blocked by a failing message').waitFor();
    await details.assertAccessible();
    await details.page.emulateMedia({ colorScheme: 'light' });
    target.respondWith(answer(200));
    await list.page.getByRole('link', { name: /is in error/ }).waitFor({ state: 'detached' });
    await details.page.getByText('In error', { exact: true }).waitFor({ state: 'detached' });
    await details.page.getByText('No messages waiting', { exact: true }).waitFor();
    await remove(id);
  });

  it('are found, filtered and ordered, as the address records', async () => {
    const ids = [];
    for (const name of ['Alpha', 'Beta', HOSTILE]) {
      ids.push((await create({ name, topic: name === 'Beta' ? 'COURSE' : 'ACCOUNT', enabled: false })).id);
    }
    await using visit = await ui.visit(WEBHOOKS);
    const { page } = visit;
    await page.getByText(HOSTILE).waitFor();
    await visit.assertAccessible();
    await page.getByRole('searchbox', { name: 'Search by name or id' }).fill('alp');
    await visit.arrived(`${WEBHOOKS}?search=alp`);
    await page.getByRole('link', { name: 'Beta' }).waitFor({ state: 'detached' });
    await visit.go(`${WEBHOOKS}?topic=COURSE&state=inactive`);
    await page.getByRole('link', { name: 'Beta' }).waitFor();
    assert.equal(await page.getByRole('link', { name: 'Alpha' }).count(), 0);
    await visit.go(`${WEBHOOKS}?sort=name&direction=desc`);
    await page.getByRole('link', { name: 'Alpha' }).waitFor();
    const names = await page.locator('tbody tr').allInnerTexts();
    assert.ok(names.findIndex((each) => /Beta/.test(each)) < names.findIndex((each) => /Alpha/.test(each)));
    assert.notEqual(await page.title(), '1');
    for (const id of ids) await remove(id);
  });

  it('are activated and deactivated in the list, with a question before messages are lost', async () => {
    target.respondWith(answer(500));
    const { id } = await create({ authentication: { type: 'BASIC', key: 'crm', secret: 'stays' } });
    await cause();
    await target.waitFor((requests) =>
      requests.some((each) => each.text.includes(`"subscription_id":${id}`)),
    );
    await using visit = await ui.visit(WEBHOOKS);
    const { page } = visit;
    const active = page.getByRole('switch', { name: /^Active: .*CRM/ });
    await active.press('Space');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/Its waiting messages \(1\) will be discarded/).waitFor();
    await dialog.getByText(/sent only if someone replays them/).waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Deactivate' }).press('Enter');
    await page.getByText(/CRM.? is inactive\./).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await active.and(page.locator(':focus:not(:checked)')).waitFor();
    const { body } = await ui.service.api.get(`/webhooks/${id}`);
    assert.equal(body.enabled, false);
    assert.deepEqual(body.authentication, { type: 'BASIC', key: 'crm' });
    assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0, 'the message was discarded');
    await page.getByRole('button', { name: 'Activate again' }).click();
    await page.getByText(/CRM.? is active\./).waitFor();
    assert.equal((await ui.service.api.get(`/webhooks/${id}`)).body.enabled, true);
    await remove(id);
  });

  it('are deactivated by the form only after a question, which offers to pause them instead', async () => {
    target.respondWith(answer(500));
    const { id } = await create();
    await cause();
    await target.waitFor((requests) => requests.some(({ text }) => text.includes(`"subscription_id":${id}`)));
    await using visit = await ui.visit(`${WEBHOOKS}/${id}/edit`);
    const { page } = visit;
    const record = async () => (await ui.service.api.get(`/webhooks/${id}`)).body;
    const dialog = page.getByRole('dialog');
    await page.getByRole('textbox', { name: 'Name' }).fill('CRM 2');
    await page.getByRole('switch', { name: 'Active' }).click({ force: true });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await dialog.getByText(/Its waiting messages \(1\) will be discarded/).waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual([(await record()).enabled, (await record()).name], [true, 'CRM']);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await dialog.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: nothing is sent until you resume it').waitFor();
    const { name, enabled, paused } = await record();
    assert.deepEqual({ name, enabled, paused }, { name: 'CRM 2', enabled: true, paused: true });
    assert.equal((await ui.service.api.get(`/webhooks/${id}/line`)).body.depth, 1);
    await visit.go(`${WEBHOOKS}/${id}/edit`);
    await page.getByRole('switch', { name: 'Active' }).click({ force: true });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await visit.arrived(`${WEBHOOKS}/${id}`);
    assert.equal((await record()).enabled, false);
    await remove(id);
  });

  it('can be paused instead of deactivated, and show since when and how many messages wait', async () => {
    target.respondWith(answer(200));
    const { id } = await create();
    await using visit = await ui.visit(WEBHOOKS);
    const { page } = visit;
    await page.getByRole('switch', { name: /^Active: .*CRM/ }).click({ force: true });
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.getByText(/CRM.? is paused\./).waitFor();
    await page.getByRole('row', { name: /CRM/ }).getByText('Paused', { exact: true }).waitFor();
    await cause('Waits 1');
    await cause('Waits 2');
    await visit.go('/');
    const panel = page.getByRole('region', { name: 'Paused webhooks' });
    await panel.getByText('2 messages wait until their webhooks are resumed.').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    await panel.getByRole('link', { name: 'CRM' }).click();
    await visit.arrived(`${WEBHOOKS}/${id}`);
    await page.getByText('Paused: nothing is sent until you resume it').waitFor();
    await page.getByText(/Paused since .*2 messages wait\./).waitFor();
    await visit.assertAccessible();
    assert.ok(!target.requests.some(({ text }) => text.includes(`"subscription_id":${id}`)));
    // An edit leaves it paused.
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('CRM 2');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText(/CRM 2.? is resumed\./).waitFor();
    await page.getByText('Paused: nothing is sent until you resume it').waitFor({ state: 'detached' });
    await target.waitFor(
      (requests) => requests.filter(({ text }) => text.includes(`"subscription_id":${id}`)).length === 2,
    );
    await remove(id);
  });

  it('show on their page that events create no messages while they are inactive, and since when', async () => {
    const { id } = await create({ enabled: false });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`, { phone: true });
    const { page } = visit;
    await page.getByText('Inactive: events create no messages').waitFor();
    await page.getByText(/^Inactive since .*20\d\d/).waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('Inactive: events create no messages').waitFor({ state: 'detached' });
    assert.equal((await ui.service.api.get(`/webhooks/${id}`)).body.enabled, true);
    await remove(id);
  });

  it('send a test message and show the response as text', async () => {
    target.respondWith(answer(400, { body: HOSTILE }));
    const { id } = await create();
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('It was not delivered').waitFor();
    await page.getByText(HOSTILE).waitFor();
    await visit.assertAccessible();
    await remove(id);
  });

  it('have a line whose head is retried, or dead-lettered and redelivered', async () => {
    target.respondWith(answer(500, { body: HOSTILE }));
    const { id } = await create();
    await cause('Waits <b>here</b>');
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Move to dead letters…' }).click();
    await page.getByText(/The first message in line \(Account created\) is moved to dead letters/).waitFor();
    const confirm = page.getByRole('button', { name: 'Move to dead letters', exact: true });
    const moved = page.getByText('The message was moved to dead letters.');
    // While the message is in flight, the service asks the client to try again.
    while ((await moved.count()) === 0) {
      await confirm.click({ timeout: 2_000 }).catch(() => {});
      await moved
        .or(page.getByText(/being delivered right now/))
        .or(confirm)
        .first()
        .waitFor();
    }
    await page.getByRole('link', { name: 'Show dead letters' }).waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    await page.getByRole('link', { name: 'Show dead letters' }).click();
    await page.getByRole('link', { name: /Account created, delivery/ }).click();
    await visit.arrived(/tab=history&outcome=DEAD_LETTERED.*delivery=\d+/);
    await page.reload();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Moved to dead letters manually.').waitFor();
    await drawer.getByText('"name": "Waits <b>here</b>"').waitFor();
    await drawer.getByText(HOSTILE).first().waitFor();
    await visit.assertAccessible();
    await page.emulateMedia({ colorScheme: 'light' });
    await drawer.getByText('As sent').click();
    await drawer.getByText(/^\{"subscription_id":/).waitFor();
    target.respondWith(answer(200));
    await drawer.getByRole('button', { name: 'Redeliver' }).click();
    await drawer.getByText('Delivered', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await visit.arrived(`${WEBHOOKS}/${id}?tab=history&outcome=DEAD_LETTERED`);
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByText('No messages are waiting.').waitFor();
    await page.getByRole('link', { name: 'Show dead letters' }).waitFor({ state: 'detached' });
    await remove(id);
  });

  it('reset their statistics after asking', async () => {
    target.respondWith(answer(200));
    const { id } = await create();
    await cause();
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    await page.locator('dl', { hasText: 'Successes' }).getByText('1', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Reset…' }).click();
    await page.getByRole('button', { name: 'Reset statistics' }).click();
    await page.getByText('The statistics were reset.').waitFor();
    assert.equal((await ui.service.api.get(`/webhooks/${id}/statistics`)).body.success_count, 0);
    await remove(id);
  });

  it('poll regularly, not while their tab is hidden, and at once when it is visible again', async () => {
    const { id } = await create();
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.clock.install();
    await page.goto(`${ui.service.url}/ui${WEBHOOKS}/${id}`);
    await page.getByText('No messages waiting', { exact: true }).waitFor();
    const asksAgain = () => page.waitForRequest(`**/webhooks/${id}/line`);
    const next = asksAgain();
    const open = countOpenRequests(page);
    await page.clock.runFor(LIVE_MS);
    await next;
    await page.evaluate(visibility('hidden'));
    // Responses to earlier requests may cause further ones.
    await until(async () => {
      await visit.settled();
      return open() === 0;
    }, 'every response has arrived');
    let asked = 0;
    page.on('request', () => asked++);
    await page.clock.runFor(10 * LIVE_MS);
    assert.equal(asked, 0);
    const seen = asksAgain();
    await page.evaluate(visibility('visible'));
    await seen;
    await remove(id);
  });

  it('offer nothing that may lose messages before the waiting ones are known', async () => {
    const { id } = await create();
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    const known = Promise.withResolvers<void>();
    await page.route(`**/ui/api/webhooks/${id}`, async (route) => {
      await known.promise;
      await route.continue();
    });
    await visit.go(`${WEBHOOKS}/${id}`);
    const actions = page.getByRole('button', { name: /^Actions for/ });
    await actions.and(page.locator(':disabled')).waitFor();
    known.resolve();
    await actions.and(page.locator(':enabled')).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await remove(id);
  });

  it('are deleted only with their name typed if messages wait', async () => {
    target.respondWith(answer(500));
    const { id } = await create({ name: 'Old CRM' });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: /Actions for/ }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    // The first message comes while the question is open.
    await page.getByRole('button', { name: 'Delete webhook' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: /Type/ }).count(), 0);
    await cause();
    await page.getByRole('textbox', { name: /Type .*Old CRM/ }).waitFor();
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText('The name does not match.').waitFor();
    await page.getByRole('textbox', { name: /Type .*Old CRM/ }).fill('Old CRM');
    await page.getByRole('button', { name: 'Delete webhook' }).click();
    await visit.arrived(WEBHOOKS);
    assert.equal((await ui.service.api.get(`/webhooks/${id}`)).status, 404);
  });

  it('keep the dialog of a row open when the row moves to another page', async () => {
    const ids = [];
    for (let at = 10; at < 35; at++) ids.push((await create({ name: `Moving ${at}` })).id);
    await using visit = await ui.visit(`${WEBHOOKS}?search=Moving&sort=name&size=25`);
    const { page } = visit;
    await page.getByRole('button', { name: /^Actions for .*Moving 34/ }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: /^Delete .*Moving 34/ });
    await dialog.getByRole('button', { name: 'Delete webhook' }).waitFor();
    ids.push((await create({ name: 'Moving 0' })).id);
    await page.getByRole('link', { name: 'Moving 34', exact: true }).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByText(/Moving 34.* was deleted/).waitFor();
    assert.equal((await ui.service.api.get(`/webhooks/${ids[24]}`)).status, 404);
    for (const id of ids) await remove(id);
  });

  it('fit on a phone', async () => {
    const { id } = await create({
      name: HOSTILE.repeat(4),
      target_url: `${target.url}/${'long/'.repeat(60)}`,
    });
    await using visit = await ui.visit(WEBHOOKS, { phone: true });
    await visit.page.getByText('🚒').first().waitFor();
    await visit.assertNoSidewaysScrolling();
    for (const query of ['', '?tab=history', '?tab=configuration']) {
      await visit.go(`${WEBHOOKS}/${id}${query}`);
      await visit.page.getByRole('tab', { name: 'History' }).waitFor();
      await visit.assertNoSidewaysScrolling();
    }
    const tabs = visit.page.getByRole('tablist', { name: 'Webhook sections' });
    const [first, last] = [tabs.getByRole('tab').first(), tabs.getByRole('tab', { name: 'Changes' })];
    const [start, end] = [(await first.boundingBox())!, (await last.boundingBox())!];
    assert.equal(end.y, start.y, 'all tabs are in one line');
    assert.ok(
      end.x + end.width <= visit.page.viewportSize()!.width,
      'the last tab is seen without scrolling',
    );
    await remove(id);
  });

  it('show what happened if the service fails, and suggest creating the first one when it responds and there is none', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.evaluate(failUntilClick('/ui/api/webhooks?'));
    await visit.go(WEBHOOKS);
    await page.getByText('Something went wrong').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await visit.assertAccessible();
    await page.getByRole('link', { name: 'Create your first webhook' }).click();
    await visit.arrived(`${WEBHOOKS}/new`);
  });
});

it('the page of a webhook says after how many attempts the queue moves its first message to dead letters', async () => {
  await using ui = await startUi({
    settings: { message_queue_max_receives: 3, retry_initial_delay: 600, retry_max_delay: 600 },
  });
  await using target = await startTarget({ respondWith: answer(503) });
  const { api } = ui.service;
  const { id } = await api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url: target.url });
  await api.create('/accounts', { name: 'Northwind' });
  await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
  await visit.page.getByText('1 of at most 3', { exact: true }).waitFor();
});
