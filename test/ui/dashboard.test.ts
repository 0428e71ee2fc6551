import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { emptyCounters } from '../../src/webhooks/trends/trend.ts';
import { addTrends } from '../../src/webhooks/trends/trend-store.ts';
import { importCourse } from '../content/packages.ts';
import { untilRetrying } from '../delivery/webhook-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openDatabaseOf } from '../support/database.ts';
import { type Api, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { failUntilClick } from './support/fail-until-click.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const HOSTILE = `<img src=x onerror=alert(1)> \u202eنص ${'long '.repeat(30)}🎓`;
/** Failed messages must not be retried during a test. */
const SLOW_RETRIES = { retry_initial_delay: 600, retry_max_delay: 600 };
const LONG_REASON = `503 The course ${'was not found in the catalogue. '.repeat(5)}`.trim();
const refuse = answer(503, { statusText: 'Service Unavailable' });

async function addWebhook(api: Api, target: Target, name: string): Promise<number> {
  return (await api.create('/webhooks', { name, topic: 'ACCOUNT', target_url: target.url })).id;
}

async function register(api: Api, learner: string): Promise<string> {
  const { id: course } = await importCourse({ api });
  const { id: account } = await api.create('/accounts', { name: 'Adventure Works' });
  await api.post(`/accounts/${account}/content`, { contents: [{ type: 'COURSE', id: course }] });
  const body = { account_id: account, course_id: course, learner_id: learner };
  return (await api.create('/registrations', body)).registration_id;
}

/** Hides the first steps, which applies to that browser. */
async function hideFirstSteps(ui: Ui): Promise<void> {
  await using visit = await ui.visit('/');
  const { page } = visit;
  const steps = page.getByRole('region', { name: 'Getting started' });
  await steps.getByRole('button', { name: 'Hide' }).click();
  await steps.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('list', { name: 'At a glance' }).waitFor();
  assert.equal(await steps.count(), 0);
}

describe('the dashboard of a new service', () => {
  it('leads through the first steps, marks each as done when it is, and shows what happens', async () => {
    await using ui = await startUi({ settings: SLOW_RETRIES });
    await using target = await startTarget();
    const { api } = ui.service;
    await using visit = await ui.visit('/');
    const { page } = visit;
    const steps = page.getByRole('region', { name: 'Getting started' });
    // The tests' own client is there.
    await steps.getByText('1 of 4 done').waitFor();
    await steps.getByText('Available once you have a webhook.').waitFor();
    const importing = steps.getByRole('link', { name: 'Import a course' });
    assert.equal(await importing.getAttribute('href'), '/ui/content');
    await visit.assertAccessible();
    await hideFirstSteps(ui);
    await importCourse({ api });
    const webhookId = await addWebhook(api, target, 'CRM');
    await steps.getByText('3 of 4 done').waitFor();
    await steps.getByRole('link', { name: 'Open the webhook' }).click();
    await visit.arrived(`${WEBHOOKS}/${webhookId}?tab=history`);
    await page.goBack();
    await steps.getByText('3 of 4 done').waitFor();
    await api.create('/accounts', { name: 'Northwind' });
    await steps.waitFor({ state: 'detached' });
    await page.getByRole('img', { name: /1 succeeded, 0 failed/ }).waitFor();
    await page.getByText('No messages waiting').waitFor();
    await page.getByText('No failures in the last hour.').waitFor();
    await page.getByText('No webhooks are blocked.').waitFor();
    target.respondWith(refuse);
    await api.create('/accounts', { name: 'Contoso' });
    await page.getByText('Blocked by: Account created').waitFor();
    // A step that was done once stays done.
    await api.post(`/webhooks/${webhookId}/statistics/reset`);
    await page.reload();
    await page.getByText('Blocked by: Account created').waitFor();
    assert.equal(await steps.count(), 0);
  });
});

describe('the dashboard', () => {
  let ui: Ui;
  let target: Target;
  let webhookId: number;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: SLOW_RETRIES }));
    target = parts.use(await startTarget());
    const { api } = ui.service;
    webhookId = await addWebhook(api, target, HOSTILE);
    await api.create('/accounts', { name: 'Northwind' });
    await target.waitFor(({ length }) => length === 1);
    target.respondWith(refuse);
    for (const name of ['Contoso', 'Fabrikam', 'Tailspin']) await api.create('/accounts', { name });
    await untilRetrying(api, webhookId);
    await api.post(`/webhooks/${webhookId}/line/skip`);
    await untilRetrying(api, webhookId);
  });

  it('shows what happened within the last hour and that the system works; what fails has names as text and counts down to its next attempt', async () => {
    await using visit = await ui.visit('/');
    const { page } = visit;
    await page.getByRole('img', { name: /1 succeeded, 2 failed/ }).waitFor();
    await page.getByRole('img', { name: /Events in the last hour.*: [1-9]\d* in total/ }).waitFor();
    const tiles = page.getByRole('list', { name: 'At a glance' }).getByRole('listitem');
    await tiles.filter({ hasText: 'Dead letters' }).getByText('1', { exact: true }).waitFor();
    await tiles.filter({ hasText: 'System' }).getByText('Healthy').waitFor();
    const failing = page.getByRole('region', { name: 'Failures by webhook' });
    await failing.getByText('In error').waitFor();
    await failing.getByText('503 Service Unavailable').waitFor();
    await visit.assertAccessible();
    const blocked = page.getByRole('region', { name: 'Blocked webhooks' });
    await blocked.getByText('503 Service Unavailable').waitFor();
    await blocked.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    const next = blocked.getByText(/^in \d+\smin( \d+\ss)?$/);
    const first = await next.textContent();
    await until(async () => (await next.textContent()) !== first, 'the time left has become less');
  });

  it('says how many webhooks have failures, if it lists only those with the most', async () => {
    const { api, settings } = ui.service;
    const ids: number[] = [];
    for (let n = 0; n < 31; n += 1) {
      const webhook = { name: `Failing ${n}`, topic: 'ACCOUNT', target_url: target.url, enabled: false };
      ids.push((await api.create('/webhooks', webhook)).id);
    }
    {
      await using database = await openDatabaseOf(settings.data_dir);
      const [widthMs, now] = [60_000, Date.now()] as const;
      const failed = { ...emptyCounters(), failures: 1, widthMs, startAt: now - (now % widthMs) };
      await database.transaction((tx) =>
        addTrends(
          tx,
          ids.map((webhookId) => ({ ...failed, webhookId })),
        ),
      );
    }
    await using visit = await ui.visit('/');
    const failing = visit.page.getByRole('region', { name: 'Failures by webhook' });
    await failing.getByText('20 of 32').waitFor();
    await visit.assertAccessible();
    assert.equal(await failing.getByRole('row').count(), 1 + 20);
    for (const id of ids.slice(0, 12)) await api.delete(`/webhooks/${id}`);
    await failing.getByText('20 of 32').waitFor({ state: 'detached' });
    assert.equal(await failing.getByRole('row').count(), 1 + 20);
    for (const id of ids.slice(12)) await api.delete(`/webhooks/${id}`);
  });

  it('keeps the mark at the minute that is pointed at while the hour moves on', async () => {
    await using visit = await ui.visit('/');
    const { page } = visit;
    let hour: { start_dt: string }[] | undefined;
    let hasMoved = false;
    await page.route('**/ui/api/dashboard', async (route) => {
      const { 'if-none-match': _tag, ...headers } = route.request().headers();
      const response = await route.fetch({ headers });
      const body = await response.json();
      hour ??= body.delivery.minutes as { start_dt: string }[];
      const next = {
        ...hour[0],
        start_dt: new Date(Date.parse(hour.at(-1)!.start_dt) + 60_000).toISOString(),
      };
      body.delivery.minutes = hasMoved ? [...hour.slice(1), next] : hour;
      const { etag: _new, ...others } = response.headers();
      await route.fulfill({ status: 200, headers: others, json: body });
    });
    await page.reload();
    const chart = page.getByRole('img', { name: /Events in the last hour/ });
    await chart.hover();
    const mark = chart.locator('rect[width="1"]');
    const at = Number(await mark.getAttribute('x'));
    hasMoved = true;
    await chart.locator(`rect[width="1"][x="${at - 1}"]`).waitFor({ state: 'attached' });
  });

  it('shows the last hour as a table, too, at its own address and in the reader’s time zone', async () => {
    await using visit = await ui.visit('/');
    const { page } = visit;
    await page.getByRole('img', { name: /1 succeeded, 2 failed/ }).waitFor();
    const view = page.getByRole('radiogroup', { name: 'View as' });
    await view.getByText('Table').click();
    await visit.arrived('/?table=yes');
    await page.reload();
    const figures = page.getByRole('region', { name: 'Last hour, as a table' });
    await page.getByText(/Times are in (CET|CEST|GMT\+[12])\./).waitFor();
    const rows = figures.getByRole('row').filter({ has: page.getByRole('rowheader') });
    const cells = await rows.evaluateAll((all) =>
      all.map((row) => Array.from(row.querySelectorAll('td'), ({ textContent }) => Number(textContent))),
    );
    const totals = [0, 1, 2].map((at) => cells.reduce((sum, row) => sum + (row[at] ?? 0), 0));
    assert.ok(totals[0]! >= 4, 'events');
    assert.deepEqual(totals.slice(1), [1, 2], 'attempts');
    const [shown, start] = await rows
      .first()
      .locator('time')
      .evaluate((time) => [time.textContent, time.getAttribute('datetime')]);
    const berlin = { timeZone: 'Europe/Berlin', hour: '2-digit', minute: '2-digit' } as const;
    assert.ok(shown?.endsWith(new Date(start!).toLocaleTimeString('en-GB', berlin)), `${shown} of ${start}`);
    await visit.assertAccessible();
    await view.getByText('Chart').click();
    await visit.arrived('/');
    await page.getByRole('img', { name: /1 succeeded, 2 failed/ }).waitFor();
  });

  it('counts down by the service’s clock if the reader’s clock is wrong, on the webhook’s page too', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.clock.install({ time: Date.now() + 3_600_000 });
    await page.goto(`${ui.service.url}/ui/`);
    const blocked = page.getByRole('region', { name: 'Blocked webhooks' });
    await blocked.getByText(/^in \d+\smin/).waitFor();
    await blocked.getByRole('link').click();
    await visit.arrived(`${WEBHOOKS}/${webhookId}`);
    await page
      .getByRole('region', { name: 'Line' })
      .getByText(/^in \d+\smin/)
      .waitFor();
  });

  it('leads with the keyboard to the items that it shows', async () => {
    await using visit = await ui.visit('/');
    const { page } = visit;
    const destinations = [
      [page.getByRole('link', { name: 'Blocked webhooks' }), `${WEBHOOKS}?state=blocked`],
      [page.getByRole('link', { name: 'Dead letters' }).last(), '/administration/integrations/dead-letters'],
      [page.getByRole('region', { name: 'Blocked webhooks' }).getByRole('link'), `${WEBHOOKS}/${webhookId}`],
    ] as const;
    for (const [link, address] of destinations) {
      await link.focus();
      await page.keyboard.press('Enter');
      await visit.arrived(address);
      // Each page takes the focus once it is open. Otherwise, it could take that of the next link.
      await page.locator('h1:focus').waitFor();
      await page.goBack();
      await page.locator('h1:focus', { hasText: 'Dashboard' }).waitFor();
    }
  });

  it('fits on a phone, even with long names', async () => {
    const learner = 'a-learner-with-a-long-identifier.'.repeat(7);
    await register(ui.service.api, learner);
    await using visit = await ui.visit('/', { phone: true });
    const { page } = visit;
    await page
      .getByRole('region', { name: 'Blocked webhooks' })
      .getByText('503 Service Unavailable')
      .waitFor();
    await page.getByText(learner).waitFor();
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
    await page.route('**/ui/api/dashboard', async (route) => {
      const text = await (await route.fetch()).text();
      await route.fulfill({ body: text.replaceAll('503 Service Unavailable', LONG_REASON) });
    });
    await page.reload();
    for (const name of ['Blocked webhooks', 'Failures by webhook']) {
      const reason = page.getByRole('region', { name }).getByText(LONG_REASON);
      const hidden = await reason.evaluate((box) => box.scrollHeight - box.clientHeight);
      assert.ok(hidden <= 1, `${name} shows the whole reason`);
    }
    await visit.assertNoSidewaysScrolling();
  });

  it('shows viewers webhooks, content and recent learning, and nothing of the system', async () => {
    const { api } = ui.service;
    const registration = await register(api, 'ada');
    const { body: accounts } = await api.get('/ui/api/accounts');
    await using visit = await ui.visit('/', { as: 'viewer' });
    const { page } = visit;
    const learning = page.getByRole('region', { name: 'Recent learning' });
    const ada = learning.getByRole('listitem').filter({ hasText: /^ada, Fire safety/ });
    await ada.getByText('Not launched').waitFor();
    const passed = { completion: 'Completed', success: 'PASS', score: 200 / 3 };
    await api.put(`/registrations/${registration}/status`, passed);
    await page.reload();
    await ada.getByText('Passed · 66.67', { exact: true }).waitFor();
    await ada.getByRole('link', { name: 'ada' }).click();
    await visit.arrived(/^\/registrations\/[^/]+$/);
    await page.getByText('ada', { exact: true }).first().waitFor();
    await page.goBack();
    await page
      .getByRole('list', { name: 'Content' })
      .getByText(String(accounts.total), { exact: true })
      .waitFor();
    await page.getByRole('region', { name: 'Last hour' }).waitFor();
    assert.equal(await page.getByRole('region', { name: 'Getting started' }).count(), 0);
    const tiles = page.getByRole('list', { name: 'At a glance' });
    await tiles.getByRole('link', { name: 'Dead letters' }).waitFor();
    assert.equal(await tiles.getByRole('link', { name: 'System' }).count(), 0);
    await visit.assertAccessible();
  });

  it('shows that it cannot be loaded, and retries on request', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.route('**/ui/api/dashboard', (route) => route.fulfill({ status: 500, json: {} }));
    await page.getByRole('link', { name: 'Dashboard' }).click();
    const alert = page.getByRole('main').getByRole('alert');
    await alert.getByRole('button', { name: 'Try again' }).waitFor();
    await visit.assertAccessible();
    await page.evaluate(failUntilClick('/ui/api/dashboard'));
    await page.unroute('**/ui/api/dashboard');
    await alert.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('list', { name: 'At a glance' }).waitFor();
  });
});

it('the dashboard says that a webhook has recovered only after a success, not after an edit, a pause or a deactivation', async () => {
  await using ui = await startUi({ settings: SLOW_RETRIES });
  await using target = await startTarget({ respondWith: refuse });
  const { api } = ui.service;
  const id = await addWebhook(api, target, 'CRM');
  await api.create('/accounts', { name: 'Northwind' });
  const change = async (members: object) => {
    const { body } = await api.get(`/webhooks/${id}`);
    assert.equal((await api.put(`/webhooks/${id}`, { ...body, ...members })).status, 200);
  };
  await untilRetrying(api, id);
  await change({ name: 'CRM of the north' });
  await using visit = await ui.visit('/');
  const failing = visit.page.getByRole('region', { name: 'Failures by webhook' });
  await failing.getByText('Not tried again').waitFor();
  assert.equal(await failing.getByText('Recovered').count(), 0);
  await visit.assertAccessible();
  await change({ paused: true });
  await failing.getByText('Paused', { exact: true }).waitFor();
  target.respondWith(answer(200));
  await change({ paused: false });
  await failing.getByText('Recovered').waitFor();
  await change({ enabled: false });
  await failing.getByText('Inactive').waitFor();
});
