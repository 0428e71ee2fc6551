import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { openDatabaseOf } from '../support/database.ts';
import { until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { countClicks } from './support/clicks.ts';
import { holdRequests } from './support/held-requests.ts';
import { loseFirstResponse } from './support/lost-responses.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const MANY = 10_000;
const PAGE_SIZE = 10;
/** The limit for a page with a list of ten rows: no other part of it grows with the amount of data. */
const MAX_ELEMENTS = 2_500;
/** Failed messages must not be retried during a test. */
const SLOW_RETRIES = { retry_initial_delay: 3_600, retry_max_delay: 3_600 };

describe('the waiting messages of a webhook in the admin UI', () => {
  let ui: Ui;
  let target: Target;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: SLOW_RETRIES }));
    target = parts.use(await startTarget());
  });

  /** A webhook whose first message failed, and the messages about these accounts behind it. */
  const blocked = async (name: string, ...accounts: string[]): Promise<number> => {
    const { api } = ui.service;
    target.respondWith(answer(503));
    target.requests.length = 0;
    const { id } = await api.create('/webhooks', { name, topic: 'ACCOUNT', target_url: target.url });
    for (const account of accounts) await api.create('/accounts', { name: account });
    await until(async () => {
      const { body } = await api.get(`/webhooks/${id}/line`);
      return body.state === 'RETRYING' && body.depth === accounts.length;
    }, 'the first message has failed');
    return id;
  };
  const remove = (id: number) => ui.service.api.delete(`/webhooks/${id}`);

  it('are listed in order with the person they are about; each is opened with its body and skipped (3 clicks)', async () => {
    const id = await blocked('CRM', 'Northwind', 'Contoso', 'Fabrikam');
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    const rows = page.getByRole('list', { name: 'Waiting messages' }).getByRole('listitem');
    await rows.nth(2).waitFor();
    const texts = await rows.allInnerTexts();
    for (const [at, pattern] of [/First in line.*1 attempt.*Northwind/s, /Contoso/, /Fabrikam/].entries())
      assert.match(texts[at]!, pattern);
    await visit.assertAccessible();
    const saved = page.waitForEvent('download');
    await page
      .getByRole('region', { name: 'Waiting messages' })
      .getByRole('button', { name: 'Export CSV' })
      .click();
    const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\r\n');
    assert.equal(lines.length, 4);
    for (const [at, account] of ['Northwind', 'Contoso', 'Fabrikam'].entries())
      assert.ok(lines[at + 1]!.includes(account), lines[at + 1]);
    await visit.showScheme('light');
    const clicks = await countClicks(page);
    await rows.nth(1).getByRole('link').click();
    const drawer = page.getByRole('dialog', { name: 'Waiting message' });
    await drawer.getByText('"name": "Contoso"').waitFor();
    await visit.arrived(new RegExp(`^${WEBHOOKS}/${id}\\?waiting=\\d+$`));
    await visit.assertAccessible();
    await visit.showScheme('light');
    await drawer.getByRole('button', { name: 'Move to dead letters…' }).click();
    await page.getByRole('button', { name: 'Move to dead letters', exact: true }).click();
    await page.getByText('The message was moved to dead letters.').waitFor();
    assert.equal(await clicks(), 3);
    await drawer.waitFor({ state: 'detached' });
    await page.getByText('Contoso').waitFor({ state: 'detached' });
    target.respondWith(answer(204));
    await page.getByRole('button', { name: 'Retry now' }).click();
    await target.waitFor(3);
    const sent = target.requests.map(({ text }) => JSON.parse(text).resource.account.name);
    assert.deepEqual(sent, ['Northwind', 'Northwind', 'Fabrikam']);
    await remove(id);
  });

  it('are opened and closed with the keyboard and by going back, and show if they were delivered before that', async () => {
    const id = await blocked('CRM', 'Northwind', 'Contoso');
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    const link = page.getByRole('list', { name: 'Waiting messages' }).getByRole('link').first();
    await link.focus();
    await page.keyboard.press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Waiting message' });
    await drawer.getByText('"name": "Northwind"').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await visit.arrived(`${WEBHOOKS}/${id}`);
    await link.click();
    await drawer.getByText('"name": "Northwind"').waitFor();
    await page.goBack();
    await drawer.waitFor({ state: 'detached' });
    await visit.go(`${WEBHOOKS}/${id}?waiting=987654321`);
    await page.getByText('This message no longer waits').waitFor();
    await remove(id);
  });

  it('open the page before the second one even if Next was clicked twice before that one arrived', async () => {
    const { api } = ui.service;
    const body = { name: 'CRM', topic: 'ACCOUNT', target_url: target.url, paused: true };
    const { id } = await api.create('/webhooks', body);
    for (let at = 0; at <= PAGE_SIZE; at += 1) await api.create('/accounts', { name: `Queued ${at}` });
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    const list = page.getByRole('list', { name: 'Waiting messages' });
    await list.getByText('Queued 0', { exact: true }).waitFor();
    const held = await holdRequests(page, '**/line/messages?*cursor=*');
    const pages = page.getByRole('navigation', { name: 'Pages of the waiting messages' });
    await pages.getByRole('button', { name: 'Next' }).dblclick();
    await held.begun;
    held.release();
    await list.getByText(`Queued ${PAGE_SIZE}`, { exact: true }).waitFor();
    await pages.getByRole('button', { name: 'Previous' }).click();
    await list.getByText('Queued 0', { exact: true }).waitFor();
    assert.ok(await pages.getByRole('button', { name: 'Previous' }).isDisabled());
    await remove(id);
  });

  it('of another webhook start at their first page, and Back closes the dialogs of a webhook', async () => {
    const { api } = ui.service;
    const ids: number[] = [];
    for (const name of ['First CRM', 'Second CRM']) {
      const body = { name, topic: 'ACCOUNT', target_url: target.url, paused: true };
      ids.push((await api.create('/webhooks', body)).id);
    }
    const [first, second] = ids as [number, number];
    for (let at = 0; at <= PAGE_SIZE; at += 1) await api.create('/accounts', { name: `Queued ${at}` });
    await using visit = await ui.visit(`${WEBHOOKS}/${first}`);
    const { page } = visit;
    const list = page.getByRole('list', { name: 'Waiting messages' });
    await list.getByText('Queued 0', { exact: true }).waitFor();
    await visit.go(`${WEBHOOKS}/${second}`);
    await page.getByRole('heading', { name: 'Second CRM', level: 1 }).waitFor();
    await list.getByText('Queued 0', { exact: true }).waitFor();
    const pages = page.getByRole('navigation', { name: 'Pages of the waiting messages' });
    await pages.getByRole('button', { name: 'Next' }).click();
    await list.getByText(`Queued ${PAGE_SIZE}`, { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Reset…' }).click();
    await page.getByRole('button', { name: 'Reset statistics' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'First CRM', level: 1, includeHidden: true }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await list.getByText('Queued 0', { exact: true }).waitFor();
    for (const id of ids) await remove(id);
  });

  it('are purged only once the name of the webhook is typed, and the history says so', async () => {
    const id = await blocked('CRM & <b>LMS</b>', 'Northwind', 'Contoso', 'Fabrikam');
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Purge…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Purge the line' });
    await dialog.getByText('The 3 messages that wait for').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    await dialog.getByRole('button', { name: 'Purge' }).click();
    await dialog.getByText('The name does not match.').waitFor();
    assert.equal((await ui.service.api.get(`/webhooks/${id}/line`)).body.depth, 3);
    await dialog.getByRole('textbox', { name: /^Type/ }).fill('CRM & <b>LMS</b>');
    await page.keyboard.press('Enter');
    await dialog.getByText('Done: 3 messages purged.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('No messages are waiting.').waitFor();
    await page.getByRole('list', { name: 'Waiting messages' }).waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'History' }).click();
    await page
      .getByRole('link', { name: /, delivery \d+$/ })
      .first()
      .click();
    await page.getByText('Purged manually.').waitFor();
    assert.equal(target.requests.length, 1);
    await remove(id);
  });

  it('are purged up to a time, and not while it is incomplete or impossible: the field has an error and the focus', async () => {
    const id = await blocked('CRM', 'Northwind', 'Contoso');
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    const purges: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/line/purge')) purges.push(request.url());
    });
    await page.getByRole('button', { name: 'Purge…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Purge the line' });
    const before = dialog.getByLabel('Only events before');
    // The day alone.
    await before.pressSequentially('01');
    await dialog.getByRole('textbox', { name: /^Type/ }).fill('CRM');
    await dialog.getByRole('button', { name: 'Purge' }).click();
    const fault = dialog.getByText('Enter a whole date and time, with a year of four digits');
    await fault.waitFor();
    await before.and(page.locator(':focus')).waitFor();
    assert.deepEqual(purges, []);
    await visit.assertAccessible();
    await before.fill('2020-01-01T00:00');
    await fault.waitFor({ state: 'detached' });
    // Browsers accept years of six digits.
    await before.fill('20260-01-01T00:00');
    await dialog.getByRole('button', { name: 'Purge' }).click();
    await fault.waitFor();
    await before.and(page.locator(':focus')).waitFor();
    assert.deepEqual(purges, []);
    await before.fill('2020-01-01T00:00');
    await dialog.getByRole('button', { name: 'Purge' }).click();
    await dialog.getByText('Done: 0 messages purged.').waitFor();
    // Messages of later events stay.
    assert.equal((await ui.service.api.get(`/webhooks/${id}/line`)).body.depth, 2);
    await remove(id);
  });

  it('stay if they are queued after a purge whose response was lost: Continue repeats it and changes nothing more', async () => {
    const id = await blocked('CRM', 'Northwind', 'Contoso');
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    await loseFirstResponse(page, '**/line/purge?*');
    await page.getByRole('button', { name: 'Purge…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Purge the line' });
    await dialog.getByRole('textbox', { name: /^Type/ }).fill('CRM');
    await dialog.getByRole('button', { name: 'Purge' }).click();
    await dialog.getByText('The service is not responding').waitFor();
    await ui.service.api.create('/accounts', { name: 'Fabrikam' });
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('Done: 2 messages purged.').waitFor();
    const { data } = (await ui.service.api.get(`/webhooks/${id}/line/messages`)).body;
    assert.deepEqual(
      data.map(({ about }: { about: { account: { name: string } } }) => about.account.name),
      ['Fabrikam'],
    );
    await remove(id);
  });

  it('fit on a phone', async () => {
    const id = await blocked('CRM', 'Northwind', 'Contoso');
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`, { phone: true });
    const { page } = visit;
    await page.getByRole('list', { name: 'Waiting messages' }).getByText('Contoso').waitFor();
    await visit.assertNoSidewaysScrolling();
    await page.getByRole('list', { name: 'Waiting messages' }).getByRole('link').last().click();
    await page.getByRole('dialog').getByText('"name": "Contoso"').waitFor();
    await visit.assertNoSidewaysScrolling();
    await remove(id);
  });

  it(`stay usable when there are ${MANY.toLocaleString('en')}: pages, and a purge that can be stopped and continued`, async () => {
    const { api } = ui.service;
    const { id } = await api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: target.url,
      paused: true,
    });
    {
      await using database = await openDatabaseOf(ui.service.settings.data_dir);
      const now = Date.now();
      await database.transaction(async (tx) => {
        await tx.insertMany(
          'queue_messages',
          ['line_id', 'message_id', 'label', 'stored_body', 'shared_body_id', 'enqueued_at'],
          Array.from({ length: MANY }, (_, n) => [
            id,
            `many-${id}-${n}`,
            'ACCOUNT_CREATED',
            JSON.stringify({ resource: { account: { id: n, name: `Account ${n}`, enabled: true } } }),
            null,
            now,
          ]),
        );
        await tx.insertMany(
          'queue_lines',
          ['line_id', 'pending', 'available_at', 'lease_token', 'receive_count', 'last_enqueued_at'],
          [[id, MANY, now + 3_600_000, null, 0, now]],
        );
      });
    }
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    const list = page.getByRole('list', { name: 'Waiting messages' });
    await list.getByText('Account 9', { exact: true }).waitFor();
    assert.equal(await list.getByRole('listitem').count(), PAGE_SIZE);
    const pages = page.getByRole('navigation', { name: 'Pages of the waiting messages' });
    await pages.getByRole('button', { name: 'Next' }).click();
    await list.getByText('Account 10', { exact: true }).waitFor();
    assert.equal(await list.getByText('First in line').count(), 0);
    await pages.getByRole('button', { name: 'Next' }).click();
    for (const before of ['Account 20', 'Account 10']) {
      await list.getByText(before, { exact: true }).waitFor();
      await pages.getByRole('button', { name: 'Previous' }).click();
    }
    await list.getByText('Account 0', { exact: true }).waitFor();
    assert.ok((await page.locator('*').count()) < MAX_ELEMENTS);
    // The second step is under way until the test lets it go on.
    const held = await holdRequests(page, '**/line/purge?*', { from: 2 });
    await page.getByRole('button', { name: 'Purge…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Purge the line' });
    await dialog.getByRole('textbox', { name: /^Type/ }).fill('CRM');
    await dialog.getByRole('button', { name: 'Purge' }).click();
    await held.begun;
    await dialog.getByText('500 of 10,000 purged').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await visit.settled();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    held.release();
    await dialog.getByText('Stopped: 1,000 purged, 9,000 still waiting.').waitFor();
    await visit.assertAccessible();
    assert.equal((await api.get(`/webhooks/${id}/line`)).body.depth, MANY - 1_000);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('Done: 10,000 messages purged.').waitFor();
    assert.equal((await api.get(`/webhooks/${id}/line`)).body.depth, 0);
    await remove(id);
  });

  it('name the message in the question about it, even if another one has become the first', async () => {
    const { api } = ui.service;
    const { id: account } = await api.create('/accounts', { name: 'Deleted at once' });
    const id = await blocked('Overtaken', 'Created first');
    await api.delete(`/accounts/${account}`);
    await using visit = await ui.visit(`${WEBHOOKS}/${id}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Move to dead letters…' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'Move this message to dead letters?' });
    await dialog.getByText('The first message in line (Account created)').waitFor();
    await api.post(`/webhooks/${id}/line/skip`);
    await page.locator('dd', { hasText: 'Account deleted' }).first().waitFor();
    await visit.settled();
    await dialog.getByText('The first message in line (Account created)').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await remove(id);
  });
});
