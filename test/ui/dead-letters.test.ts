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
  /** Webhooks with so many dead letters each. */
  const deadLetters = async (webhooks: readonly string[], each: number) => {
    target.respondWith(answer(410, { statusText: 'Gone' }));
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

  it('are searched, opened, and sent again one by one or all, in order', async () => {
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
    await page.goBack();
    target.respondWith(answer(200));
    await page
      .getByRole('button', { name: /^Send again:/ })
      .first()
      .click();
    await page.getByText('The message waits to be sent again.').waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await page.getByRole('button', { name: 'Send all again…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send all again' }).click();
    await page.getByText('Done: 5 put in line. They are being sent now.').waitFor();
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

  it('fit a phone', async () => {
    await using visit = await ui.visit(DEAD_LETTERS, { phone: true });
    await visit.page.getByRole('heading', { level: 1, name: 'Dead letters' }).waitFor();
    await visit.assertNoSidewaysScrolling();
  });
});
