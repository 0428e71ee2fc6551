import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { boxOf } from './support/boxes.ts';
import { failed } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
/** One more than a page holds. */
const MESSAGES = 26;

describe('the history of a webhook in the admin UI', () => {
  let ui: Ui;
  let target: Target;
  let id: number;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    target = parts.use(await startTarget());
    ({ id } = await ui.service.api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: `${target.url}/it's`,
      authentication: { type: 'BASIC', key: 'crm-key', secret: 'crm-secret' },
      max_attempts: 1,
    }));
    for (let made = 0; made < MESSAGES; made++) await ui.service.api.create('/accounts', { name: `${made}` });
    await target.waitFor(MESSAGES);
    target.respondWith(answer(418));
    await ui.service.api.create('/accounts', { name: 'Refused' });
    await until(
      async () =>
        (await ui.service.api.get(`/webhooks/${id}/deliveries?status=DEAD_LETTERED`)).body.data.length === 1,
      'the last one is a dead letter',
    );
  });

  /** A deleted webhook with a dead letter, of which no request was sent. */
  const deletedWebhook = async (): Promise<number> => {
    const { api, settings } = ui.service;
    const webhook = { name: 'Former', topic: 'ACCOUNT', target_url: target.url, enabled: false };
    const { id: former } = await api.create('/webhooks', webhook);
    const now = Date.now();
    await runSql(
      settings.data_dir,
      `insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
       values (${former}, 'former-${former}', 'ACCOUNT_CREATED', 'DEAD_LETTERED', '{}', ${now}, ${now}, 1)`,
    );
    await runSql(
      settings.data_dir,
      `insert into delivery_attempts (delivery_id, attempt, attempted_at, duration_ms, error)
       select id, 1, ${now}, 0, 'target address 10.0.0.1 is not allowed' from deliveries where webhook_id = ${former}`,
    );
    await api.delete(`/webhooks/${former}`);
    return former;
  };

  it('is paged, and filtered by outcome, with addresses that can be shared', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/${id}?tab=history`);
    const { page } = visit;
    const rows = page.getByRole('link', { name: /, delivery \d+$/ });
    await rows.first().waitFor();
    assert.equal(await rows.count(), 25);
    await visit.assertAccessible();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'deliveries.csv');
    const lines = (await readFile(await download.path(), 'utf8')).split('\r\n').slice(1);
    assert.deepEqual(lines.filter((line) => line.includes(',DEAD_LETTERED,')).length, 1);
    assert.ok(lines.length > MESSAGES, 'of all pages');
    await page.getByRole('button', { name: 'Older' }).click();
    await visit.arrived(/cursor=/);
    await page.reload();
    await rows.first().waitFor();
    assert.equal(await rows.count(), 2);
    await page.getByRole('button', { name: 'Newest' }).click();
    await visit.arrived(`${WEBHOOKS}/${id}?tab=history`);
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Dead-lettered' }).click();
    await visit.arrived(`${WEBHOOKS}/${id}?tab=history&outcome=DEAD_LETTERED`);
    await page.getByRole('button', { name: 'Older' }).waitFor({ state: 'detached' });
    await until(async () => (await rows.count()) === 1, 'only the dead letter is listed');
    await page.getByRole('button', { name: 'Filters' }).click();
    const form = page.getByRole('dialog', { name: 'Filters' });
    await form.getByRole('textbox', { name: 'Status code' }).fill('999');
    await form.getByRole('button', { name: 'Apply' }).click();
    await visit.arrived(`${WEBHOOKS}/${id}?tab=history&code=999&outcome=DEAD_LETTERED`);
  });

  it('leaves no entry in the browser’s history for a drawer that is closed', async () => {
    await using visit = await ui.visit('/administration/integrations/dead-letters');
    const { page } = visit;
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('link', { name: 'CRM', exact: true }).click();
    await page.getByRole('tab', { name: 'History' }).click();
    await visit.arrived(`${WEBHOOKS}/${id}?tab=history`);
    const length = await page.evaluate<number>('history.length');
    const rows = page.getByRole('link', { name: /, delivery \d+$/ });
    for (const at of [0, 1, 2]) {
      await rows.nth(at).click();
      await visit.arrived(/delivery=\d+/);
      await page.getByRole('dialog').getByText('Attempts', { exact: true }).first().waitFor();
      await page.keyboard.press('Escape');
      await visit.arrived(`${WEBHOOKS}/${id}?tab=history`);
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    // The entry in front, to go forward to, is always the last one that was opened.
    assert.equal(await page.evaluate<number>('history.length'), length + 1);
    await page.goBack();
    await visit.arrived(`${WEBHOOKS}/${id}`);
  });

  it('keeps rows in place under the pointer, says how many are new, and lets text in rows be selected', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/${id}?tab=history`);
    const { page } = visit;
    const rows = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
    const error = rows.first().getByText(/^418/).first();
    await error.waitFor();
    const before = await rows.first().textContent();
    await rows.nth(1).hover();
    await ui.service.api.create('/accounts', { name: 'New 1' });
    await ui.service.api.create('/accounts', { name: 'New 2' });
    await page.getByRole('button', { name: '2 new' }).waitFor();
    assert.equal(await rows.first().textContent(), before);
    await visit.assertAccessible();
    await rows.nth(1).hover();
    await page.getByRole('button', { name: '2 new' }).click();
    await page.getByRole('button', { name: '2 new' }).waitFor({ state: 'detached' });
    // Dragging over text selects it, and does not open the row.
    const { width } = await boxOf(error);
    await error.hover({ position: { x: width - 4, y: 10 } });
    await page.mouse.down();
    await error.hover({ position: { x: width - 60, y: 10 }, force: true });
    await page.mouse.up();
    assert.notEqual(await page.evaluate<string>('String(getSelection())'), '');
    assert.equal(await page.getByRole('dialog').count(), 0);
    assert.equal(await page.locator('time[tabindex]').count(), 0);
  });

  it('gives a command that sends the message manually, without credentials', async () => {
    const { data } = (await ui.service.api.get(`/webhooks/${id}/deliveries?status=DEAD_LETTERED`)).body;
    await using visit = await ui.visit(`${WEBHOOKS}/${id}?tab=history&delivery=${data[0].id}`);
    const { page } = visit;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const command = await page.evaluate<string>('navigator.clipboard.readText()');
    assert.match(command, /-u 'KEY:SECRET'/);
    assert.doesNotMatch(command, /crm-/);
    const sent = target.requests.at(-1);
    assert.ok(sent !== undefined);
    assert.ok(command.endsWith(`--data-binary '${sent.text.replaceAll("'", "'\\''")}'`), 'the bytes as sent');
  });

  it('shows attempts over time as a table, too', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/${id}?period=hour&table=yes`);
    const { page } = visit;
    // Counters are written every few seconds, and the attempts may have been made in two minutes.
    await until(async () => {
      const numbers = (await page.getByRole('cell').allInnerTexts()).map(Number).filter(Number.isInteger);
      return numbers.reduce((sum, each) => sum + each, 0) >= MESSAGES;
    }, 'the table has all attempts');
    await visit.assertAccessible();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByText('Chart', { exact: true }).click();
    await page.getByRole('img', { name: /Attempts in the last hour: \d+ successful, \d+ failed/ }).waitFor();
  });

  it('names the time zone of each row of such a table that has hours before and after a change of the clocks', async () => {
    await using visit = await ui.visit('/profile', { timezoneId: 'Europe/Berlin' });
    const { page } = visit;
    const buckets = ['2026-10-24T23:00:00.000Z', '2026-10-25T00:00:00.000Z', '2026-10-25T01:00:00.000Z'].map(
      (start_dt) => ({
        start_dt,
        success_count: 1,
        failure_count: 0,
        latency_ms: { mean: 1, max: 1, p50: 1, p95: 1 },
      }),
    );
    await page.route(/\/trend\?/, (route) =>
      route.fulfill({ json: { period: 'day', bucket_seconds: 3_600, buckets } }),
    );
    await visit.go(`${WEBHOOKS}/${id}?table=yes`);
    await page.getByRole('rowheader').first().waitFor();
    assert.deepEqual(await page.getByRole('rowheader').allTextContents(), [
      '25 Oct 2026, 02:00 CET',
      '25 Oct 2026, 02:00 CEST',
      '25 Oct 2026, 01:00 CEST',
    ]);
    assert.equal(await page.getByText(/Times are in/).count(), 0);
    buckets.shift();
    buckets.shift();
    await page.reload();
    await page.getByText(/Times are in CET\.$/).waitFor();
    assert.deepEqual(await page.getByRole('rowheader').allTextContents(), ['25 Oct 2026, 02:00']);
  });

  it('remains visible if the service does not respond', async () => {
    await using visit = await ui.visit(`${WEBHOOKS}/${id}?tab=history`);
    const { page } = visit;
    const rows = page.getByRole('link', { name: /, delivery \d+$/ });
    await rows.first().waitFor();
    await page.context().setOffline(true);
    await page.getByText('What you see may be out of date. Retrying…').waitFor();
    assert.equal(await rows.count(), 25);
    await page.context().setOffline(false);
    await page.getByText('What you see may be out of date. Retrying…').waitFor({ state: 'detached' });
  });

  it('goes to the page before the one that is shown, also after Back', async () => {
    const webhook = { name: 'Long', topic: 'ACCOUNT', target_url: target.url, enabled: false };
    const { id: long } = await ui.service.api.create('/webhooks', webhook);
    await runSql(
      ui.service.settings.data_dir,
      `insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 60)
       select ${long}, 'long-' || n, 'ACCOUNT_CREATED', 'SUCCEEDED', '{}', n, n, 1 from numbers`,
    );
    await using visit = await ui.visit(`${WEBHOOKS}/${long}?tab=history`);
    const { page } = visit;
    const first = visit.address();
    const older = page.getByRole('button', { name: 'Older' });
    const newer = page.getByRole('button', { name: 'Newer' });
    await older.click();
    await visit.arrived(/cursor=/);
    const second = visit.address();
    await older.and(page.locator(':enabled')).click();
    await page.waitForURL((url) => !url.href.endsWith(second));
    await page.goBack();
    await visit.arrived(second);
    await newer.click();
    await visit.arrived(first);
    // Back leads to the second page again, whichever buttons were pressed there.
    await page.goBack();
    await visit.arrived(second);
    await newer.click();
    await visit.arrived(first);
    await older.click();
    await visit.arrived(second);
    await older.and(page.locator(':enabled')).click();
    await page.waitForURL((url) => !url.href.endsWith(second));
    const third = visit.address();
    await newer.click();
    await visit.arrived(second);
    await page.goBack();
    await visit.arrived(third);
    await newer.click();
    await visit.arrived(second);
    // Another outcome has other pages.
    await page.getByRole('combobox', { name: 'Outcome' }).click();
    await page.getByRole('option', { name: 'Delivered' }).click();
    await visit.arrived(/outcome=DELIVERED$/);
    await page.goBack();
    await visit.arrived(second);
    await newer.click();
    await visit.arrived(first);
  });

  it('of a deleted webhook stays when nothing matches, and when the service fails once', async () => {
    const deleted = await deletedWebhook();
    await using visit = await ui.visit(`${WEBHOOKS}/${deleted}?outcome=DELIVERED`);
    const { page } = visit;
    await page.getByRole('heading', { name: 'Webhook not found' }).waitFor();
    await page.getByRole('heading', { name: 'No results' }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    const rows = page.getByRole('link', { name: /, delivery \d+$/ });
    await rows.first().waitFor();
    const failure = page.waitForResponse((response) => response.status() === 500);
    await page.route(/\/deliveries\?limit=25$/, failed);
    await failure;
    await visit.settled();
    assert.equal(await rows.count(), 1);
  });

  it('says that headers are not kept only of an attempt to which the target responded', async () => {
    const note = 'The headers of this attempt are not kept: the webhook’s logging mode omits them.';
    const deleted = await deletedWebhook();
    await using visit = await ui.visit(`${WEBHOOKS}/${deleted}?tab=history`);
    const { page } = visit;
    const drawer = page.getByRole('dialog');
    await page.getByRole('link', { name: /, delivery \d+$/ }).click();
    await drawer.getByText('target address 10.0.0.1 is not allowed', { exact: true }).first().waitFor();
    assert.equal(await drawer.getByText(note).count(), 0);
    await runSql(
      ui.service.settings.data_dir,
      `update delivery_attempts set response_status = 503 where delivery_id in
         (select id from deliveries where webhook_id = ${deleted})`,
    );
    await drawer.getByText(note).waitFor();
  });
});
