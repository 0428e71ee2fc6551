import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAccounts, createWebhook, LONG_RETRIES, updateWebhook } from '../delivery/webhook-helpers.ts';
import { runSql } from '../support/database.ts';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { startUi, type Ui } from './support/ui.ts';

const EVENTS = '/administration/integrations/events';

/** The addresses of the events, the earliest first. */
async function eventPages(ui: Ui): Promise<string[]> {
  const { body } = await ui.service.api.get('/events?subtopic=ACCOUNT_CREATED');
  return body.data.map(({ id }: { id: number }) => `${EVENTS}/${id}`).reverse();
}

describe('the page of an event whose messages wait', () => {
  it('says which failing message blocks the line, when it is tried again, and that the webhook is paused', async () => {
    await using ui = await startUi({ settings: LONG_RETRIES });
    await using target = await startTarget({ respondWith: answer(503, { body: 'down for maintenance' }) });
    const { api } = ui.service;
    const id = await createWebhook(api, target.url, { name: 'CRM' });
    const asleep = { name: 'Asleep', paused: true };
    const asleepId = await createWebhook(api, target.url, asleep);
    await createAccounts(api, 'first', 'second');
    await until(async () => {
      const { body } = await api.get(`/webhooks/${id}/line`);
      return body.state === 'RETRYING';
    }, 'the line is blocked');
    const [first, second] = await eventPages(ui);
    await using visit = await ui.visit(second!);
    const { page } = visit;
    const rows = page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    const blocked = rows.filter({ hasText: 'CRM' });
    await blocked
      .getByText(
        /^Waits behind a message that has been failing since \d\d:\d\d: 503 Service Unavailable: down for maintenance. Next attempt: .*\d\d:\d\d\./,
      )
      .waitFor();
    const paused = rows.filter({ hasText: 'Asleep' });
    await paused.getByText(/^Waits until the webhook is resumed. Paused since \d\d:\d\d\./).waitFor();
    assert.equal(
      await paused.getByRole('link', { name: /^Show line of .*Asleep/ }).getAttribute('href'),
      `/ui/administration/integrations/webhooks/${asleepId}`,
    );
    await visit.assertAccessible();
    await page.emulateMedia({ colorScheme: 'light' });
    await blocked.getByRole('link', { name: 'a message that has been failing' }).click();
    await page.getByRole('dialog').getByText('503 Service Unavailable').first().waitFor();

    await visit.go(first!);
    await blocked
      .getByText(
        /^Blocks the line of this webhook. It has been failing since \d\d:\d\d. Next attempt: .*\d\d:\d\d\./,
      )
      .waitFor();
    target.respondWith(answer(200));
    await updateWebhook(api, asleepId, target.url, { ...asleep, paused: false });
    await rows.filter({ hasText: 'Asleep' }).getByText('Delivered').waitFor();
    assert.equal(await paused.getByText('Waits until').count(), 0);
  });

  it('says that the first message in line cannot be read, and links to the line, where it can be moved', async () => {
    await using ui = await startUi();
    await using target = await startTarget();
    const { api, settings } = ui.service;
    const asleep = { name: 'CRM', paused: true };
    const id = await createWebhook(api, target.url, asleep);
    await createAccounts(api, 'first', 'second');
    await runSql(
      settings.data_dir,
      `update queue_messages set shared_body_id = 4711
       where id = (select min(first.id) from queue_messages as first) returning id`,
    );
    await updateWebhook(api, id, target.url, { ...asleep, paused: false });
    const [, second] = await eventPages(ui);
    await using visit = await ui.visit(second!);
    const { page } = visit;
    await page
      .getByText(/^Waits because the first message in line cannot be read from the database\./)
      .waitFor();
    await page.getByRole('link', { name: /^Show line of / }).click();
    await page.getByText('the shared part 4711 of its body is missing').waitFor();
    await page.getByRole('button', { name: 'Move to dead letters…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Move to dead letters' }).click();
    await target.waitFor(1);
    assert.match(target.requests[0]!.text, /second/);
  });

  it('starts the facts of a message that was discarded without an attempt with their first one', async () => {
    await using ui = await startUi();
    const { api } = ui.service;
    const paused = { name: 'Asleep', paused: true };
    const id = await createWebhook(api, 'http://127.0.0.1:9/', paused);
    await createAccounts(api, 'first');
    await updateWebhook(api, id, 'http://127.0.0.1:9/', { ...paused, enabled: false });
    const [first] = await eventPages(ui);
    await using visit = await ui.visit(first!);
    const row = visit.page.getByRole('list', { name: 'Messages' }).getByRole('listitem');
    await row.getByText('Discarded').waitFor();
    assert.doesNotMatch((await row.textContent())!, / · /);
  });

  it('says that the settings turn delivery off, and fits on a phone', async () => {
    await using ui = await startUi({ settings: { enable_queue_polling: false } });
    const { api } = ui.service;
    await createWebhook(api, 'http://127.0.0.1:9/', { name: 'CRM' });
    await createAccounts(api, 'first');
    const [first] = await eventPages(ui);
    await using visit = await ui.visit(first!, { phone: true });
    await visit.page
      .getByText(/^Waits because the settings of this service currently turn delivery off\./)
      .waitFor();
    await visit.assertNoSidewaysScrolling();
  });
});
