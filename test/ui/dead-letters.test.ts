import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { startUi, type Ui } from './support/ui.ts';

const DEAD_LETTERS = '/administration/integrations/dead-letters';

describe('dead letters', () => {
  let ui: Ui;
  let target: Target;
  before(async () => {
    ui = await startUi();
    target = await startTarget();
  });
  after(async () => {
    await ui[Symbol.asyncDispose]();
    await target[Symbol.asyncDispose]();
  });

  const total = async () => (await ui.service.api.get('/ui/api/dead-letters')).body.total;
  /** Makes webhooks with so many dead letters each, in place of those that there were. */
  const deadLetters = async (webhooks: readonly string[], each: number) => {
    target.respondWith(answer(410, { statusText: 'Gone' }));
    const { data: former } = (await ui.service.api.get('/webhooks')).body;
    for (const { id } of former) await ui.service.api.delete(`/webhooks/${id}`);
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

  it('say so while there are none', async () => {
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
    await page.getByText('Done: 5 queued. They are being sent now.').waitFor();
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

  it('are redelivered step by step: Stop ends it, says what was done and left, and it can go on', async () => {
    const count = 120;
    await deadLetters(
      Array.from({ length: count }, (_, n) => `Receiver ${n}`),
      1,
    );
    target.respondWith(answer(200));
    await using visit = await ui.visit(DEAD_LETTERS);
    const { page } = visit;
    // A step looks at 50 webhooks. The second one is under way until the test lets it go on.
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let steps = 0;
    await page.route('**/ui/api/dead-letters/redeliver', async (route) => {
      steps += 1;
      if (steps === 2) {
        begun.resolve();
        await held.promise;
      }
      await route.continue();
    });
    await page.getByRole('button', { name: 'Redeliver all…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Redeliver all' }).click();
    await begun.promise;
    await dialog.getByRole('status').getByText('50 of 120 queued').waitFor();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    held.resolve();
    await dialog.getByRole('status').getByText('Stopped: 100 queued, 20 still dead letters.').waitFor();
    assert.equal(steps, 2);
    assert.equal(await total(), 20);
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByRole('status').getByText('Done: 120 queued. They are being sent now.').waitFor();
    assert.equal(await total(), 0);
  });

  it('fit a phone', async () => {
    await using visit = await ui.visit(DEAD_LETTERS, { phone: true });
    await visit.page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor();
    await visit.assertNoSidewaysScrolling();
  });
});
