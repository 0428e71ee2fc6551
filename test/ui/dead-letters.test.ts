import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { holdRequests } from './support/held-requests.ts';
import { loseFirstResponse } from './support/lost-responses.ts';
import { startUi, type Ui } from './support/ui.ts';

const DEAD_LETTERS = '/administration/integrations/dead-letters';

describe('dead letters in the admin UI', () => {
  let ui: Ui;
  let target: Target;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    target = parts.use(await startTarget());
  });

  const total = async () => (await ui.service.api.get('/ui/api/dead-letters')).body.total;
  /** Replaces all webhooks by new ones with this many dead letters each. */
  const deadLetters = async (webhooks: readonly string[], each: number) => {
    target.respondWith(answer(410, { statusText: 'Gone' }));
    const { data: former } = (await ui.service.api.get('/webhooks?limit=200')).body;
    for (const { id } of former) {
      await ui.service.api.delete(`/webhooks/${id}`);
      await ui.service.api.post(`/webhooks/${id}/deliveries/remove`);
    }
    for (const name of webhooks) {
      await ui.service.api.create('/webhooks', {
        name,
        topic: 'ACCOUNT',
        target_url: target.url,
        max_attempts: 1,
      });
    }
    for (let made = 0; made < each; made++) await ui.service.api.create('/accounts', { name: `${made}` });
    await until(async () => (await total()) === webhooks.length * each, 'all are dead letters');
  };

  it('have an explanation while there are none', async () => {
    await using visit = await ui.visit(DEAD_LETTERS);
    await visit.page.getByText('No dead letters').waitFor();
    await visit.assertAccessible();
  });

  it('are searched, opened, and redelivered one by one or all, in order', async () => {
    await deadLetters(['CRM', '<b>LMS</b>'], 3);
    await using visit = await ui.visit(DEAD_LETTERS);
    const { page } = visit;
    await page.getByText('410 Gone').first().waitFor();
    await visit.assertAccessible();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('searchbox').fill('lms');
    await page.getByRole('link', { name: 'CRM' }).first().waitFor({ state: 'detached' });
    await visit.arrived(`${DEAD_LETTERS}?search=lms`);
    await page
      .getByRole('link', { name: /Account created, delivery/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('All attempts failed.').waitFor();
    await visit.arrived(new RegExp(`^${DEAD_LETTERS}\\?search=lms&delivery=\\d+&of=\\d+$`));
    await page.keyboard.press('Escape');
    await visit.arrived(`${DEAD_LETTERS}?search=lms`);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    target.respondWith(answer(200));
    await page
      .getByRole('button', { name: /^Redeliver:/ })
      .first()
      .click();
    await page.getByText('The message was queued for redelivery.').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('button', { name: 'Redeliver all…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redeliver all' }).click();
    await page.getByText('Done: 5 messages queued.', { exact: true }).waitFor();
    await visit.assertAccessible();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('No dead letters').waitFor();
    const ofCrm = await target.waitFor(
      (requests) => requests.filter((each) => each.text.includes('"name":"CRM"')).length === 6,
    );
    const names = ofCrm
      .filter((each) => each.text.includes('"name":"CRM"'))
      .map((each) => JSON.parse(each.text).resource.account.name);
    assert.deepEqual(names, ['0', '1', '2', '0', '1', '2']);
  });

  it('are redelivered again when they are dead letters once more', async () => {
    await deadLetters(['CRM'], 1);
    const [{ id }] = (await ui.service.api.get('/webhooks')).body.data;
    const attempts = async () =>
      (await ui.service.api.get(`/webhooks/${id}/deliveries`)).body.data[0].attempts;
    await using visit = await ui.visit(DEAD_LETTERS);
    const { page } = visit;
    // The list that the page has read stays, as it does if a redelivery fails before the next one.
    const list = await (await page.request.get(`${ui.service.url}/ui/api/dead-letters`)).json();
    await page.route('**/ui/api/dead-letters?*', (route) => route.fulfill({ json: list }));
    for (const total of [2, 3]) {
      await page.getByRole('button', { name: /^Redeliver:/ }).click();
      await until(async () => (await attempts()) === total, `attempt ${total}`);
    }
  });

  it('are redelivered step by step; Stop shows what is done and left, and it can be continued', async () => {
    const count = 120;
    await deadLetters(
      Array.from({ length: count }, (_, n) => `Receiver ${n}`),
      1,
    );
    target.respondWith(answer(200));
    await using visit = await ui.visit(DEAD_LETTERS);
    const { page } = visit;
    const steps: { until_dt?: string }[] = [];
    page.on('request', (request) => request.method() === 'POST' && steps.push(request.postDataJSON()));
    // A step looks at 50 webhooks. The second one is under way until the test lets it go on.
    const held = await holdRequests(page, '**/ui/api/dead-letters/redeliver', { from: 2 });
    await page.getByRole('button', { name: 'Redeliver all…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Redeliver all' }).click();
    await held.begun;
    await dialog.getByRole('status').getByText('50 of 120 queued').waitFor();
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await visit.settled();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    held.release();
    await dialog.getByRole('status').getByText('Stopped: 100 queued, 20 still dead letters.').waitFor();
    assert.equal(held.count(), 2);
    assert.equal(await total(), 20);
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('status').getByText('Done: 120 messages queued.').waitFor();
    assert.equal(await total(), 0);
    const ends = new Set(steps.slice(1).map(({ until_dt }) => typeof until_dt));
    assert.deepEqual([...ends], ['string'], 'later ones are not part of any step');
  });

  it('are neither removed nor redelivered if they come after a step whose response was lost, and Continue repeats that one', async () => {
    for (const [action, done] of [
      ['remove', 'Done: 4 removed.'],
      ['redeliver', 'Done: 4 messages queued.'],
    ] as const) {
      await deadLetters(['CRM', 'LMS'], 2);
      await using visit = await ui.visit(DEAD_LETTERS);
      const { page } = visit;
      await loseFirstResponse(page, `**/ui/api/dead-letters/${action}`);
      const button = action === 'remove' ? 'Remove all' : 'Redeliver all';
      await page.getByRole('button', { name: `${button}…` }).click();
      const dialog = page.getByRole('dialog');
      target.requests.length = 0;
      await dialog.getByRole('button', { name: button }).click();
      await dialog.getByText('The service is not responding').waitFor();
      // What was redelivered fails again.
      const before = action === 'remove' ? 0 : 4;
      await until(async () => (await total()) === before, 'the step was carried out');
      await ui.service.api.create('/accounts', { name: 'Later' });
      await until(async () => (await total()) === before + 2, 'later ones are dead letters');
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await dialog.getByRole('status').getByText(done).waitFor();
      assert.equal(await total(), before + 2);
      assert.equal(target.requests.length, before + 2);
    }
  });

  it('that match in the history are removed once if the response was lost, and Continue counts them', async () => {
    await deadLetters(['CRM'], 2);
    const [{ about }] = (await ui.service.api.get('/ui/api/dead-letters')).body.data;
    const [{ id: webhookId }] = (await ui.service.api.get('/webhooks')).body.data;
    const history = `/administration/integrations/webhooks/${webhookId}?tab=history`;
    await using visit = await ui.visit(`${history}&account=${about.account.id}`);
    const { page } = visit;
    await loseFirstResponse(page, '**/deliveries/remove?*');
    await page.getByRole('button', { name: 'Remove matching…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Remove dead letters' });
    await dialog.getByRole('button', { name: 'Remove matching' }).click();
    await dialog.getByText('The service is not responding').waitFor();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('Done: 1 dead letter removed.').waitFor();
    assert.equal(await total(), 1);
  });

  it('are filtered by outcome and person, and all matches are redelivered or removed', async () => {
    await deadLetters(['CRM', 'LMS'], 3);
    const { data } = (await ui.service.api.get('/ui/api/dead-letters')).body;
    const accountOf = (name: string): number =>
      data.find((letter: { about: { account: { name: string } } }) => letter.about.account.name === name)
        .about.account.id;
    await using visit = await ui.visit(DEAD_LETTERS);
    const { page } = visit;
    const filter = async (account: number | '') => {
      await page.getByRole('button', { name: /^(1 filter|Filters)$/ }).click();
      const form = page.getByRole('dialog', { name: /^(1 filter|Filters)$/ });
      await form.getByRole('textbox', { name: 'Account id' }).fill(String(account));
      await form.getByRole('button', { name: 'Apply' }).click();
      await visit.arrived(account === '' ? DEAD_LETTERS : `${DEAD_LETTERS}?account=${account}`);
    };
    await page.getByText('0', { exact: true }).first().waitFor();
    await filter(accountOf('1'));
    await page.getByText('1–2 of 2').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    target.respondWith(answer(200));
    target.requests.length = 0;
    await page.getByRole('button', { name: 'Redeliver matching…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Redeliver matching' }).click();
    await page.getByText('Done: 2 messages queued.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await target.waitFor(2);
    assert.equal(await total(), 4);
    await filter(accountOf('2'));
    await page.getByRole('button', { name: 'Remove matching…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove matching' }).click();
    await page.getByText('Done: 2 removed.').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    assert.equal(await total(), 2);
    assert.equal(target.requests.length, 2);
    await page.getByText('No results').waitFor();
    await filter('');
    await page.getByText('1–2 of 2').waitFor();
  });

  it('can be searched beyond the newest 10,000, and all matches can be redelivered', async () => {
    await deadLetters(['CRM'], 1);
    const [{ id }] = (await ui.service.api.get('/webhooks')).body.data;
    await runSql(
      ui.service.settings.data_dir,
      `insert into deliveries (webhook_id, message_id, subtopic, status, body, enqueued_at, updated_at, attempts)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 10001)
       select ${id}, 'old-' || n, case when n = 1 then 'ACCOUNT_DELETED' else 'ACCOUNT_CREATED' end,
         'DEAD_LETTERED', '{"n":' || n || '}', n, n, 1 from numbers`,
    );
    await using visit = await ui.visit(`${DEAD_LETTERS}?event=ACCOUNT_DELETED`);
    const { page } = visit;
    await page.getByText('No results so far').waitFor();
    await page.getByText('Only 10,000 dead letters are searched at a time. There are older ones.').waitFor();
    assert.equal(await page.getByText('Nothing matches').count(), 0);
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Search older' }).click();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByText('Only older ones').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Show the newest' }).click();
    await page.getByText('No results so far').waitFor();
    await visit.arrived(`${DEAD_LETTERS}?event=ACCOUNT_DELETED`);
    target.respondWith(answer(200));
    target.requests.length = 0;
    await page.getByRole('button', { name: 'Redeliver matching…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Redeliver dead letters' });
    await dialog.getByRole('button', { name: 'Redeliver matching' }).click();
    await dialog.getByText('Done: 1 message queued.').waitFor();
    await target.waitFor(1);
    assert.deepEqual(
      target.requests.map(({ text }) => text),
      ['{"n":1}'],
    );
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await visit.go(`${DEAD_LETTERS}?event=ACCOUNT_CREATED&page=200`);
    await page.getByText('9,951–10,000 of 10,000').waitFor();
    const held = await holdRequests(page, '**/ui/api/dead-letters/remove', { from: 2 });
    await page.getByRole('button', { name: 'Remove matching…' }).click();
    const removal = page.getByRole('dialog', { name: 'Remove dead letters' });
    await removal.getByRole('button', { name: 'Remove matching' }).click();
    await held.begun;
    await removal.getByText('500 removed so far…').waitFor();
    await removal.getByRole('button', { name: 'Stop' }).click();
    held.release();
    await removal.getByText('Stopped: 1,000 removed. Other matches may be left.').waitFor();
    // The service would remove the others step by step, and each of the next tests would wait for that.
    await runSql(ui.service.settings.data_dir, "delete from deliveries where message_id like 'old-%'");
  });

  it('are removed only as asked: Back closes the question about matches, which would now be about all', async () => {
    await deadLetters(['CRM'], 2);
    const { data } = (await ui.service.api.get('/ui/api/dead-letters')).body;
    const [{ about, webhook_id: webhookId }] = data;
    const pages = [DEAD_LETTERS, `/administration/integrations/webhooks/${webhookId}?tab=history`];
    for (const address of pages) {
      await using visit = await ui.visit(address);
      const { page } = visit;
      await page.getByRole('button', { name: 'Filters' }).click();
      const form = page.getByRole('dialog', { name: 'Filters' });
      await form.getByRole('textbox', { name: 'Account id' }).fill(String(about.account.id));
      await form.getByRole('button', { name: 'Apply' }).click();
      await page.getByRole('button', { name: 'Remove matching…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Remove dead letters' });
      await dialog.getByRole('button', { name: 'Remove matching' }).waitFor();
      await page.goBack();
      await dialog.waitFor({ state: 'detached' });
      await visit.arrived(address);
    }
    assert.equal(await total(), 2);
  });

  it('are redelivered or removed only if they are selected', async () => {
    await deadLetters(['CRM'], 4);
    await using visit = await ui.visit(DEAD_LETTERS);
    const { page } = visit;
    const ticks = page.getByRole('checkbox', { name: /^Select .?Account created, delivery/ });
    await ticks.nth(3).waitFor();
    await ticks.nth(0).check();
    await ticks.nth(2).check();
    await page.getByText('2 selected').waitFor();
    await visit.assertAccessible();
    await visit.showScheme('light');
    target.respondWith(answer(200));
    target.requests.length = 0;
    await page.getByRole('button', { name: 'Redeliver selected' }).click();
    await page.getByText('2 messages were queued for redelivery.').waitFor();
    // The button has disappeared.
    await page.locator('h1:focus').waitFor();
    await target.waitFor(2);
    const names = target.requests.map(({ text }) => JSON.parse(text).resource.account.name);
    assert.deepEqual(names, ['1', '3'], 'in the order of their events');
    await ticks.nth(2).waitFor({ state: 'detached' });
    await ticks.first().check();
    await page.getByRole('button', { name: 'Select all on this page' }).click();
    await page.getByRole('button', { name: 'Remove selected…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    assert.equal(await total(), 2);
    await page.getByRole('button', { name: 'Remove selected…' }).click();
    await visit.assertAccessible();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('2 dead letters were removed.').waitFor();
    await page.locator('h1:focus').waitFor();
    await page.getByText('No dead letters').waitFor();
    assert.equal(await total(), 0);
    assert.equal(target.requests.length, 2);
  });

  it('are no longer selected when they have left the list, and are not sent a second time', async () => {
    await deadLetters(['CRM'], 4);
    await using visit = await ui.visit(DEAD_LETTERS);
    const { page } = visit;
    const ticks = page.getByRole('checkbox', { name: /^Select .?Account created, delivery/ });
    await ticks.nth(3).waitFor();
    for (const at of [0, 1, 3]) await ticks.nth(at).check();
    await page.getByText('3 selected').waitFor();
    target.respondWith(answer(200));
    target.requests.length = 0;
    await page
      .getByRole('button', { name: /^Redeliver:/ })
      .first()
      .click();
    await page.getByText('The message was queued for redelivery.').waitFor();
    await page.getByText('2 selected').waitFor();
    await target.waitFor(1);
    const { data } = (await ui.service.api.get('/ui/api/dead-letters')).body;
    const { id, webhook_id: webhookId } = data[0];
    await ui.service.api.post(`/webhooks/${webhookId}/deliveries/remove?delivery_id=${id}`);
    await page.getByText('1 selected').waitFor();
    await page.getByRole('button', { name: 'Redeliver selected' }).click();
    await page.getByText('1 message was queued for redelivery.').waitFor();
    await target.waitFor(2);
    const names = target.requests.map(({ text }) => JSON.parse(text).resource.account.name);
    assert.deepEqual(names, ['3', '0']);
  });

  it('are not changed when they are no longer dead letters, even if the page still lists them', async () => {
    await deadLetters(['CRM'], 3);
    await using visit = await ui.visit(DEAD_LETTERS);
    const { page } = visit;
    const list = await (await page.request.get(`${ui.service.url}/ui/api/dead-letters`)).json();
    await page.route('**/ui/api/dead-letters?*', (route) => route.fulfill({ json: list }));
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByText('3 selected').waitFor();
    target.respondWith(answer(200));
    target.requests.length = 0;
    const [last, middle] = list.data;
    const of = `/webhooks/${last.webhook_id}/deliveries`;
    await ui.service.api.post(`${of}/${last.id}/redeliver`);
    await target.waitFor(1);
    await ui.service.api.post(`${of}/remove?delivery_id=${middle.id}`);
    await page
      .getByRole('button', { name: /^Redeliver:/ })
      .first()
      .click();
    await page.getByText('The message was not sent, because it is no longer a dead letter.').waitFor();
    await page.getByRole('button', { name: 'Redeliver selected' }).click();
    await page
      .getByText('1 message was queued for redelivery. 2 were skipped, because their outcomes have changed.')
      .waitFor();
    await target.waitFor(2);
    const names = target.requests.map(({ text }) => JSON.parse(text).resource.account.name);
    assert.deepEqual(names, ['2', '0']);
  });

  it('fit on a phone', async () => {
    await deadLetters(['CRM'], 2);
    await using visit = await ui.visit(DEAD_LETTERS, { phone: true });
    await visit.page.getByRole('checkbox').first().check();
    await visit.page.getByText('1 selected').waitFor();
    await visit.assertNoSidewaysScrolling();
  });
});
