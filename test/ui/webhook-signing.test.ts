import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { aroundTests } from '../support/around-tests.ts';
import type { Api } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

async function createWebhook(api: Api, targetUrl = 'https://crm.example.com/hook'): Promise<number> {
  return (await api.create('/webhooks', { name: 'CRM', topic: 'ACCOUNT', target_url: targetUrl })).id;
}

/** Creates a webhook whose postbacks are signed, and returns its id. */
async function createSigned(api: Api, targetUrl?: string): Promise<number> {
  const id = await createWebhook(api, targetUrl);
  await api.post(`/webhooks/${id}/signing-secret`);
  return id;
}

describe('the signing of a webhook’s postbacks in the admin UI', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
  });

  it('a signing secret is created, shown once, replaced and removed on the page of a webhook', async () => {
    await using target = await startTarget();
    const { api } = ui.service;
    const id = await createWebhook(api, target.url);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}?tab=configuration`);
    const { page } = visit;
    const secretShown = async () => {
      const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue();
      await page.getByRole('button', { name: 'I have copied the secret' }).click();
      await page.getByLabel('Signing secret', { exact: true }).waitFor({ state: 'detached' });
      return secret;
    };
    const verifies = async (...secrets: string[]) => {
      const before = target.requests.length;
      await api.create('/accounts', { name: 'Northwind' });
      await target.waitFor(before + 1);
      const { text, headers } = target.requests[before]!;
      for (const secret of secrets) new Webhook(secret).verify(text, headers as Record<string, string>);
    };

    await page.getByText('Postbacks are not signed.').waitFor();
    await page.getByRole('button', { name: 'Sign postbacks…' }).click();
    await page.getByRole('button', { name: 'Create secret' }).click();
    const first = await secretShown();
    await page.getByText('Signed since').waitFor();
    await visit.assertAccessible();
    await verifies(first);

    await page.getByRole('button', { name: 'Replace the secret…' }).click();
    await page.getByRole('button', { name: 'Replace the secret', exact: true }).click();
    const second = await secretShown();
    assert.notEqual(second, first);
    await page.getByText('Old secret also signs until').waitFor();
    await verifies(first, second);

    await page.getByRole('button', { name: 'Stop signing…' }).click();
    await page.getByRole('button', { name: 'Stop signing', exact: true }).click();
    await page.getByText('Postbacks are not signed.').waitFor();
    assert.equal((await api.get(`/webhooks/${id}`)).body.signing_since_dt, null);
    await ui.service.api.delete(`/webhooks/${id}`);
  });

  it('a signing secret is replaced once if the response is lost, over plain http too', async () => {
    await using target = await startTarget();
    const { api } = ui.service;
    const id = await createWebhook(api, target.url);
    const { signing_secret: first } = (await api.post(`/webhooks/${id}/signing-secret`)).body;
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}?tab=configuration`);
    const { page } = visit;
    // Browsers offer it only over HTTPS.
    await page.evaluate('delete Crypto.prototype.randomUUID');
    const keys: (string | undefined)[] = [];
    await page.route('**/signing-secret', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 3) return await route.continue();
      // The first two do not reach the service.
      if (keys.length === 3) await route.fetch();
      await route.abort();
    });
    const open = page.getByRole('button', { name: 'Replace the secret…' });
    const dialog = page.getByRole('dialog');
    const replace = async () => {
      const failed = page.waitForEvent('requestfailed', (request) =>
        request.url().endsWith('/signing-secret'),
      );
      await dialog.getByRole('button', { name: 'Replace the secret' }).click();
      await failed;
      await dialog.getByText('The service is not responding').waitFor();
    };
    await open.click();
    await replace();
    await dialog.getByRole('combobox').click();
    await page.getByRole('option', { name: 'After 7 days' }).click();
    await replace();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await open.click();
    await replace();
    await dialog.getByRole('button', { name: 'Replace the secret' }).click();
    const second = await page.getByLabel('Signing secret', { exact: true }).inputValue();
    assert.equal(keys[2], keys[3], 'it is the same request');
    assert.equal(new Set(keys).size, 3, 'others are requests of their own');
    await api.create('/accounts', { name: 'Northwind' });
    await target.waitFor(1);
    const { text, headers } = target.requests[0]!;
    for (const secret of [first, second]) new Webhook(secret).verify(text, headers as Record<string, string>);
    await ui.service.api.delete(`/webhooks/${id}`);
  });

  it('a new signing secret is shown even if the dialog was closed before it arrived', async () => {
    const id = await createWebhook(ui.service.api);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}?tab=configuration`);
    const { page } = visit;
    const closed = Promise.withResolvers<void>();
    await page.route('**/signing-secret', async (route) => {
      await closed.promise;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Sign postbacks…' }).click();
    const sent = page.waitForRequest('**/signing-secret');
    await page.getByRole('button', { name: 'Create secret' }).click();
    await sent;
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    closed.resolve();
    const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue();
    assert.match(secret, /^whsec_/);
    await page.getByRole('button', { name: 'I have copied the secret' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await ui.service.api.delete(`/webhooks/${id}`);
  });

  it('a test of a new target on another server says that it is not signed', async () => {
    await using target = await startTarget();
    await using other = await startTarget();
    const { api } = ui.service;
    const id = await createSigned(api, target.url);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}/edit`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText('The target accepted it').waitFor();
    assert.equal(await page.getByText('This message was not signed').count(), 0);
    assert.match(String(target.requests[0]?.headers['webhook-signature']), /^v1,/);
    await page.getByLabel('Target URL').fill(other.url);
    await page.getByRole('button', { name: 'Send test message' }).click();
    await page.getByText('This message was not signed').waitFor();
    assert.equal(other.requests[0]?.headers['webhook-signature'], undefined);
    await visit.assertAccessible();
    await ui.service.api.delete(`/webhooks/${id}`);
  });

  it('a second replacement warns that it ends the secret that targets still use, and a shown secret is not lost by going back', async () => {
    const id = await createSigned(ui.service.api);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}`);
    const { page } = visit;
    await page.getByRole('tab', { name: 'Configuration' }).click();
    const dialog = page.getByRole('dialog', { name: 'Replace the signing secret?' });
    const warning = dialog.getByText('An older secret also signs until');
    await page.getByRole('button', { name: 'Replace the secret…' }).click();
    await dialog.waitFor();
    assert.equal(await warning.count(), 0);
    await dialog.getByRole('button', { name: 'Replace the secret' }).click();
    const secret = await page.getByLabel('Signing secret', { exact: true }).inputValue();

    const leaving = page.getByRole('dialog', { name: 'Leave without copying?' });
    await page.goBack();
    await leaving.waitFor();
    await visit.assertAccessible();
    await page.keyboard.press('Escape');
    await leaving.waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Signing secret', { exact: true }).inputValue(), secret);
    await page.getByRole('button', { name: 'I have copied the secret' }).click();

    await page.getByText('Old secret also signs until').waitFor();
    await page.getByRole('button', { name: 'Replace the secret…' }).click();
    await warning.waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.goBack();
    await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor();
    await ui.service.api.delete(`/webhooks/${id}`);
  });

  it('a change of the signing that fails after its dialog was closed is reported, and not again in the next dialog', async () => {
    const id = await createSigned(ui.service.api);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}?tab=configuration`);
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    for (const [opener, confirm] of [
      ['Stop signing…', 'Stop signing'],
      ['Replace the secret…', 'Replace the secret'],
    ] as const) {
      const closed = Promise.withResolvers<void>();
      await page.route('**/signing-secret', async (route) => {
        await closed.promise;
        await route.fulfill({ status: 500 });
      });
      await page.getByRole('button', { name: opener }).click();
      const sent = page.waitForRequest('**/signing-secret');
      await dialog.getByRole('button', { name: confirm }).click();
      await sent;
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
      closed.resolve();
      const notice = page.getByRole('alert').filter({ hasText: 'Something went wrong' });
      await notice.waitFor();
      await page.getByRole('button', { name: opener }).click();
      await dialog.getByRole('button', { name: confirm }).waitFor();
      assert.equal(await dialog.getByRole('alert').count(), 0, opener);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await notice.getByRole('button').click();
      await notice.waitFor({ state: 'detached' });
      await page.unroute('**/signing-secret');
    }
    await ui.service.api.delete(`/webhooks/${id}`);
  });

  it('asks before a new secret is lost because its tab is left before it arrives, and shows it then', async () => {
    const id = await createWebhook(ui.service.api);
    await using visit = await ui.visit(`/administration/integrations/webhooks/${id}?tab=configuration`);
    const { page } = visit;
    const held = await holdRequests(page, '**/signing-secret');
    await page.getByRole('button', { name: 'Sign postbacks…' }).click();
    await page.getByRole('button', { name: 'Create secret' }).click();
    await held.begun;
    // The request may be sent before the page has drawn that it waits.
    await visit.settled();
    const question = page.getByRole('dialog', { name: 'Leave now?' });
    await page.evaluate(`void __TSR_ROUTER__.navigate({ href: '/accounts' })`);
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'History' }).click();
    await question.getByText('What you requested is still being created. It is shown only once.').waitFor();
    await visit.assertAccessible();
    held.release();
    await question.waitFor({ state: 'detached' });
    assert.match(await page.getByLabel('Signing secret', { exact: true }).inputValue(), /^whsec_/);
    await page.getByRole('tab', { name: 'Configuration', selected: true, includeHidden: true }).waitFor();
    await page.getByRole('button', { name: 'I have copied the secret' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('tab', { name: 'History', selected: true }).waitFor();
    await ui.service.api.delete(`/webhooks/${id}`);
  });
});
