import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { createAdministrator, INTEGRATOR_EMAIL } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { runSql } from '../support/database.ts';
import { until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { startUi, type Ui } from './support/ui.ts';

const INTEGRATIONS = '/administration/integrations';
const menu = (page: Page) => page.getByRole('navigation', { name: 'Main' });

describe('the pages and actions of a role', () => {
  let ui: Ui;
  let target: Target;
  let webhookId: number;
  let accountId: number;

  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    target = parts.use(await startTarget({ respondWith: answer(503) }));
    await createAdministrator(ui.service.settings.data_dir, {
      email: INTEGRATOR_EMAIL,
      role: 'integrator',
      name: 'Ivy',
    });
    const { api } = ui.service;
    const webhook = await api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT',
      target_url: target.url,
      max_attempts: 1,
      authentication: { type: 'BASIC', key: 'crm-key', secret: 'known to nobody' },
    });
    webhookId = webhook.id;
    ({ id: accountId } = await api.create('/accounts', { name: 'Northwind' }));
    await until(
      async () => (await api.get(`/webhooks/${webhookId}/deliveries?status=DEAD_LETTERED`)).body.data[0],
      'the message is dead-lettered',
    );
  });

  it('an integrator sees the pages of integrations, and a dashboard without content', async () => {
    await using visit = await ui.visit('/', { as: 'integrator' });
    const { page } = visit;
    await page.getByRole('list', { name: 'At a glance' }).waitFor();
    for (const name of ['Recent learning', 'Content'])
      assert.equal(await page.getByRole('region', { name }).count(), 0, name);
    const links = await menu(page).getByRole('link').allTextContents();
    assert.deepEqual(links, ['Dashboard', 'Webhooks', 'Events', 'Dead letters', 'Alerts', 'API reference']);
    await visit.assertAccessible();
    for (const address of ['/content', '/accounts', '/registrations', `${INTEGRATIONS}/clients`]) {
      await visit.go(address);
      await page.getByRole('heading', { name: 'Your role cannot open this page' }).waitFor();
      await page.getByText('You are signed in as Integrator.').waitFor();
    }
    await visit.assertAccessible();
  });

  it('an integrator sees which part of the service failed, and an admin also where and why', async () => {
    const { api, settings } = ui.service;
    const { id } = await api.create('/alerts', {
      name: 'Service',
      enabled: false,
      condition: 'SERVICE_IN_TROUBLE',
      target: { format: 'JSON', url: target.url },
    });
    const reason = 'only 812 MiB of 99 GiB are free on the disk of /srv/data';
    await runSql(
      settings.data_dir,
      `insert into alert_firings (rule_id, rule_name, condition, subject, subject_name, since, began_at, ended_at,
         end_reason, relapses, details, end_batch)
       values (?, 'Service', 'SERVICE_IN_TROUBLE', 'disk:host-a', 'A disk on host-a', 0, 60000, ?, 'RESOLVED', 0, ?, '')`,
      id,
      Date.now(),
      JSON.stringify({ reason, explanation: null, failures: 0, waiting: 0 }),
    );
    await using byAdmin = await ui.visit(`/administration/alerts/${id}`);
    await byAdmin.page.getByText('A disk on host-a').waitFor();
    await byAdmin.page.getByText(reason).waitFor();
    await using byIvy = await ui.visit(`/administration/alerts/${id}`, { as: 'integrator' });
    await byIvy.page.getByText('A disk', { exact: true }).waitFor();
    await byIvy.page.getByText('Only admins can see it').waitFor();
    assert.ok(!(await byIvy.page.content()).includes('host-a'));
  });

  it('an integrator creates a webhook with a focus found by name', async () => {
    await using visit = await ui.visit(`${INTEGRATIONS}/webhooks/${webhookId}`, { as: 'integrator' });
    const { page } = visit;
    await page.getByRole('link', { name: 'Edit' }).waitFor();
    await page.getByRole('button', { name: 'Send test' }).waitFor();
    const found = page.waitForResponse((response) => response.url().includes('/ui/api/search/assets'));
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('radio', { name: 'Accounts' }).click();
    await page.getByRole('button', { name: 'Choose accounts…' }).click();
    assert.equal((await found).status(), 200);
    await page.getByRole('checkbox', { name: /^Northwind/ }).check();
    await page.getByRole('button', { name: 'Add 1 item' }).click();
    await page.getByRole('list', { name: 'Accounts' }).getByText('Northwind').waitFor();
  });

  it('an integrator redelivers dead letters, and reads events without links to content', async () => {
    await using visit = await ui.visit(`${INTEGRATIONS}/dead-letters`, { as: 'integrator' });
    const { page } = visit;
    await page.getByRole('button', { name: 'Redeliver all…' }).waitFor();
    const { body } = await ui.service.api.get('/events');
    await visit.go(`${INTEGRATIONS}/events/${body.data[0].id}`);
    await page.getByText('Northwind').first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Northwind' }).count(), 0);
    await visit.assertAccessible();
  });

  it('a viewer sees webhooks, their history and messages, and why nothing can be changed', async () => {
    await using visit = await ui.visit(`${INTEGRATIONS}/webhooks`, { as: 'viewer' });
    const { page } = visit;
    await page.getByRole('link', { name: 'CRM', exact: true }).waitFor();
    await page.getByText('View only').first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Create webhook' }).count(), 0);
    assert.equal(await page.getByRole('switch').count(), 0);
    assert.equal(await page.getByRole('button', { name: /^Actions for/ }).count(), 0);
    await visit.assertAccessible();
    await page.getByText('View only').first().hover();
    await page.getByRole('tooltip', { name: /Your role, Viewer, can see webhooks/ }).waitFor();

    await page.getByRole('link', { name: 'CRM', exact: true }).click();
    await page.getByRole('tab', { name: 'History' }).waitFor();
    const forbidden = /Edit|Send test|Actions for|Redeliver|Retry|Skip(?! to content)|Reset/;
    assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0);
    assert.equal(await page.getByRole('button', { name: forbidden }).count(), 0);
    assert.equal(await page.getByRole('tab', { name: 'Changes' }).count(), 0);
    await page.getByRole('tab', { name: 'Configuration' }).click();
    await page.getByText('Basic, with a key that is not shown').waitFor();
    for (const secret of ['crm-key', 'known to nobody'])
      assert.equal(await page.getByText(secret).count(), 0);
    assert.equal(await page.getByRole('button', { name: /signing|secret/i }).count(), 0);
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByText('Account created').first().click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('Northwind').first().waitFor();
    assert.equal(await drawer.getByRole('button', { name: forbidden }).count(), 0);
    await visit.assertAccessible();

    await visit.go(`${INTEGRATIONS}/dead-letters`);
    await page.getByText('Account created').first().waitFor();
    assert.equal(await page.getByRole('button', { name: forbidden }).count(), 0);
    await visit.go(`/accounts/${accountId}?tab=events`);
    await page.getByText('Account created').first().waitFor();
    await visit.go(`${INTEGRATIONS}/webhooks/new`);
    await page.getByRole('heading', { name: 'Your role cannot open this page' }).waitFor();
  });

  it('a viewer can open no page about clients, alerts, administrators, changes or the system', async () => {
    await using visit = await ui.visit('/profile', { as: 'viewer' });
    const { page } = visit;
    for (const address of [
      `${INTEGRATIONS}/clients`,
      '/administration/alerts',
      '/administration/administrators',
      '/administration/audit-log',
      '/administration/system',
    ]) {
      await visit.go(address);
      await page.getByRole('heading', { name: 'Your role cannot open this page' }).waitFor();
      assert.equal(visit.address(), address);
      assert.equal(await menu(page).locator(`a[href$="${address}"]`).count(), 0, address);
      // The next page shows the same words.
      await visit.go('/profile');
      await page.getByRole('heading', { name: 'Your profile' }).waitFor();
    }
    await visit.go('/administration/administrators');
    await page.getByRole('heading', { name: 'Your role cannot open this page' }).waitFor();
    await visit.assertAccessible();
  });

  it('a viewer who follows a link to the changes of something, which viewers cannot see, sees its first tab', async () => {
    await using visit = await ui.visit(`${INTEGRATIONS}/webhooks/${webhookId}?tab=changes`, { as: 'viewer' });
    const { page } = visit;
    await page.getByRole('tab', { name: 'Overview', selected: true }).waitFor();
    await page.getByRole('region', { name: 'Line' }).waitFor();
    await visit.go(`/accounts/${accountId}?tab=changes`);
    await page.getByRole('tab', { name: 'Content', selected: true }).waitFor();
    await page.getByRole('heading', { name: 'No content yet' }).waitFor();
  });

  it('an administrator invites an integrator', async () => {
    await using visit = await ui.visit('/administration/administrators');
    const { page } = visit;
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByLabel('E-mail').fill('ida@example.com');
    await page.getByRole('radio', { name: 'Integrator' }).check();
    await page.getByRole('button', { name: 'Create invitation link' }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page
      .getByRole('row', { name: /ida@example\.com/ })
      .getByText('Integrator')
      .waitFor();
  });
});
