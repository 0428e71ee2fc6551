import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, when } from '../support/target-behaviours.ts';
import { countClicks } from './support/clicks.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const NAMES = ['Northwind', 'Contoso', 'Fabrikam', 'Tailspin'];

describe('finding messages in a webhook’s history', () => {
  let ui: Ui;
  let target: Target;
  let id: number;
  const history = () => `${WEBHOOKS}/${id}?tab=history`;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    const { api } = ui.service;
    const down = answer(503, {
      headers: { 'content-type': 'application/json' },
      body: '{"message":"Down for maintenance"}',
    });
    target = parts.use(
      await startTarget({
        respondWith: when(({ text }) => /Contoso|Fabrikam/.test(text), down, answer(204)),
      }),
    );
    ({ id } = await api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: target.url,
      max_attempts: 1,
    }));
    for (const name of NAMES) await api.create('/accounts', { name });
    await until(async () => {
      const { data } = (await api.get(`/webhooks/${id}/deliveries`)).body;
      return (
        data.length === NAMES.length && data.every(({ status }: { status: string }) => status !== 'RETRYING')
      );
    }, 'all are delivered or dead letters');
  });

  it('has a period that means the same in every time zone, and stays as it is when others are changed', async () => {
    const until = '2100-10-31T01%3A30Z';
    await using visit = await ui.visit(`${history()}&until=${until}`, { timezoneId: 'Europe/Berlin' });
    const { page } = visit;
    await page.getByText('Fabrikam').waitFor();
    await page.getByRole('button', { name: '1 filter' }).click();
    const form = page.getByRole('dialog');
    // Half past two occurs twice on this day.
    assert.equal(await form.getByLabel('Until').inputValue(), '2100-10-31T02:30');
    await form.getByRole('textbox', { name: 'Status code' }).fill('503');
    await form.getByRole('button', { name: 'Apply' }).click();
    await visit.arrived(`${history()}&code=503&until=${until}`);
    await page.getByText('Northwind').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: '2 filters' }).click();
    await form.getByLabel('Until').fill('2001-07-01T14:05');
    await form.getByRole('button', { name: 'Apply' }).click();
    await visit.arrived(`${history()}&code=503&until=2001-07-01T12%3A05Z`);
    await page.getByText('Fabrikam').waitFor({ state: 'detached' });
  });

  it('shows the person and the exact time of each, and keeps the filters in the address', async () => {
    await using visit = await ui.visit(history());
    const { page } = visit;
    const rows = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await rows.nth(1).getByText('Fabrikam').waitFor();
    const said = page.getByRole('region', { name: 'History' }).getByRole('status');
    await said.getByText('4 results', { exact: true }).waitFor({ state: 'attached' });
    assert.match(await rows.nth(1).locator('time').innerText(), /^\d\d:\d\d$/);
    await page.getByRole('button', { name: 'Filters' }).click();
    const form = page.getByRole('dialog', { name: 'Filters' });
    await form.getByRole('textbox', { name: 'Status code' }).fill('503');
    await visit.assertAccessible();
    await visit.showScheme('light');
    const from = form.getByLabel('From');
    // Browsers accept years of six digits.
    await from.fill('202611-11-21T02:15');
    assert.ok(await from.evaluate((field) => (field as HTMLInputElement).validity.rangeOverflow));
    await form.getByRole('button', { name: 'Apply' }).click();
    await visit.arrived(history());
    await from.fill('');
    // Greater than any id.
    await form.getByRole('textbox', { name: 'Account id' }).fill('99999999999999999');
    await form.getByRole('button', { name: 'Apply' }).click();
    await form.getByRole('textbox', { name: 'Account id' }).and(page.locator(':focus:invalid')).waitFor();
    await visit.arrived(history());
    await form.getByRole('textbox', { name: 'Account id' }).fill('');
    await form.getByRole('button', { name: 'Apply' }).click();
    await visit.arrived(`${history()}&code=503`);
    await page.getByRole('button', { name: '1 filter' }).and(page.locator(':focus')).waitFor();
    await page.getByText('Northwind').waitFor({ state: 'detached' });
    await until(async () => (await rows.count()) === 2, 'only those that failed are listed');
    await said.getByText('2 results', { exact: true }).waitFor({ state: 'attached' });
    await page.reload();
    await rows.nth(1).getByText('Contoso').waitFor();
    await visit.go(`${history()}&learner=nobody`);
    await page.getByText('No message matches.').waitFor();
    await said.getByText('No results', { exact: true }).waitFor({ state: 'attached' });
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Show all' }).click();
    await visit.arrived(history());
    await rows.nth(3).waitFor();
  });

  it('finds by an id that was copied with spaces around it', async () => {
    const { data } = (await ui.service.api.get(`/webhooks/${id}/deliveries`)).body;
    const [{ message_id: messageId }] = data;
    await using visit = await ui.visit(history());
    const { page } = visit;
    await page.getByRole('button', { name: 'Filters' }).click();
    const form = page.getByRole('dialog', { name: 'Filters' });
    await form.getByRole('textbox', { name: 'Message id' }).fill(` ${messageId} `);
    await form.getByRole('button', { name: 'Apply' }).click();
    await visit.arrived(`${history()}&message=${messageId}`);
    const rows = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    await until(async () => (await rows.count()) === 1, 'only that message is listed');
  });

  it('opens one with its pretty-printed response first, and J and K move to the others', async () => {
    await using visit = await ui.visit(history());
    const { page } = visit;
    await page
      .getByRole('link', { name: /, delivery \d+$/ })
      .nth(1)
      .click();
    const drawer = page.getByRole('dialog');
    const latest = drawer.getByRole('region', { name: 'Latest response' }).first();
    await latest.getByText('503 Service Unavailable').waitFor();
    await latest.getByText('"message": "Down for maintenance"').waitFor();
    await latest.getByText('Headers').click();
    await latest.getByText('webhook-timestamp').waitFor();
    await latest.getByText('Coursewire/').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    const about = (name: string) => drawer.locator('dl').getByText(name, { exact: true }).waitFor();
    await about('Fabrikam');
    await page.keyboard.press('j');
    await about('Contoso');
    await page.keyboard.press('k');
    await about('Fabrikam');
    await page.keyboard.press('k');
    await about('Tailspin');
    assert.ok(await drawer.getByRole('button', { name: 'Previous (K)' }).isDisabled());
    await page.keyboard.press('Escape');
    await visit.arrived(history());
  });

  it('fits on a phone', async () => {
    await using visit = await ui.visit(history(), { phone: true });
    const { page } = visit;
    await page.getByText('Fabrikam').waitFor();
    await visit.assertNoSidewaysScrolling();
    await page.getByRole('button', { name: 'Filters' }).click();
    await page.getByRole('dialog', { name: 'Filters' }).getByRole('button', { name: 'Apply' }).waitFor();
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
  });

  it('redelivers the selected ones, and all matches, in order', async () => {
    const { api } = ui.service;
    target.respondWith(answer(204));
    const before = target.requests.length;
    await using visit = await ui.visit(history());
    const { page } = visit;
    await page.getByRole('checkbox').nth(3).check();
    await page.getByText('1 selected').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    await page.getByRole('button', { name: 'Redeliver selected' }).click();
    await page.getByText('1 message was queued for redelivery.').waitFor();
    await target.waitFor(before + 1);
    await visit.go(`${history()}&code=503`);
    const clicks = await countClicks(page);
    await page.getByRole('button', { name: 'Redeliver matching…' }).click();
    await page.getByRole('button', { name: 'Redeliver matching', exact: true }).click();
    await page.getByText('Done: 2 messages queued.').waitFor();
    assert.equal(await clicks(), 2);
    await target.waitFor(before + 3);
    const sent = target.requests.slice(before).map(({ text }) => NAMES.find((name) => text.includes(name)));
    assert.deepEqual(sent, ['Northwind', 'Contoso', 'Fabrikam']);
    await until(
      async () => (await api.get(`/webhooks/${id}/deliveries?status=DEAD_LETTERED`)).body.data.length === 0,
      'none is a dead letter any more',
    );
  });
});
