import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { importCourse } from '../content/packages.ts';
import { signedInBrowser } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { HOSTILE } from './support/hostile-name.ts';
import { startUi, type Ui } from './support/ui.ts';

const LOG = '/administration/audit-log';
const WEBHOOKS = '/administration/integrations/webhooks';
const OLD_URL = 'http://127.0.0.1:9/old';
const NEW_URL = 'http://127.0.0.1:9/new';

describe('the audit log in the admin UI', () => {
  let ui: Ui;
  let webhookId: number;
  let clientId: string;

  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    const { api } = ui.service;
    const input = { name: 'CRM', topic: 'ACCOUNT', target_url: OLD_URL };
    ({ id: webhookId } = await api.create('/webhooks', input));
    await api.create('/webhooks', { ...input, name: HOSTILE });
    const ann = await signedInBrowser(ui.service.url);
    const changed = { ...input, target_url: NEW_URL, subtopics: ['ACCOUNT_DELETED'] };
    const authentication = { type: 'BASIC', key: 'crm-key', secret: 'crm-secret' };
    assert.equal((await ann.put(`/webhooks/${webhookId}`, { ...changed, authentication })).status, 200);
    const client = { name: 'Reports', email: 'reports@example.com', scopes: ['content:read'] };
    clientId = (await ann.post('/ui/api/clients', client)).body.client_id;
  });

  it('says in a sentence who changed what, with the old and the new value', async () => {
    await using visit = await ui.visit('/');
    const { page } = visit;
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' }).click();
    await visit.arrived(LOG);
    const changes = page.getByRole('list', { name: 'Changes' });
    const entry = changes.getByRole('listitem').filter({ hasText: 'Ann changed webhook CRM' });
    await entry.getByText('ann@example.com from 127.0.0.1').waitFor();
    for (const text of [
      /Target URL.*\/old to .*\/new/,
      /Events.*added Account deleted/,
      /Secret.*changed \(not shown\)/,
      /Authentication.*None.*to.*Basic/,
    ])
      await entry.filter({ hasText: text }).waitFor();
    await changes.getByText('The command line created').first().waitFor();
    await changes.getByRole('link', { name: HOSTILE }).waitFor();
    for (const secret of ['crm-key', 'crm-secret'])
      assert.equal(await page.getByText(secret).count(), 0, secret);
    const created = changes.getByRole('listitem').filter({ hasText: 'created webhook CRM' });
    await created.getByRole('button', { name: /Show \d+ more fields/ }).click();
    await created.filter({ hasText: /Logging.*Full on error/ }).waitFor();
    await visit.assertAccessible();
  });

  it('is filtered by the changed object and the person, and links to the object and back', async () => {
    await using visit = await ui.visit(LOG);
    const { page } = visit;
    const entries = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    await page.getByRole('combobox', { name: 'What' }).click();
    await page.getByRole('option', { name: 'API client', exact: true }).click();
    await visit.arrived(`${LOG}?object_type=API_CLIENT`);
    await entries.filter({ hasText: 'CRM' }).first().waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Action' }).click();
    assert.equal(await page.getByRole('option', { name: 'Webhook changed' }).count(), 0);
    await page.getByRole('option', { name: 'API client deleted' }).click();
    await page.getByRole('heading', { name: 'No results' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByRole('link', { name: 'Ann', exact: true }).first().click();
    await visit.arrived(`${LOG}?user=ann%40example.com`);
    await entries.filter({ hasText: 'The command line' }).first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'CRM', exact: true }).first().click();
    await visit.arrived(`${WEBHOOKS}/${webhookId}`);
    await page.getByRole('tab', { name: 'Changes' }).click();
    await entries.filter({ hasText: 'Ann changed webhook CRM' }).waitFor();
    assert.equal(await entries.count(), 2);
    await visit.assertAccessible();
    await page.getByRole('link', { name: 'Show all' }).click();
    await visit.arrived(`${LOG}?object_type=WEBHOOK&object_id=${webhookId}`);
    await page
      .getByRole('button', { name: `Remove this filter: Webhook ${isolate(String(webhookId))}` })
      .click();
    await visit.arrived(`${LOG}?object_type=WEBHOOK`);
  });

  it('is exported as it is now, even if it was exported a moment before', async () => {
    await using visit = await ui.visit(LOG);
    const { page } = visit;
    const exported = async () => {
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      return await readFile(await (await saved).path(), 'utf8');
    };
    assert.doesNotMatch(await exported(), /Just now/);
    const webhook = { name: 'Just now', topic: 'ACCOUNT', target_url: OLD_URL };
    await ui.service.api.create('/webhooks', webhook);
    assert.match(await exported(), /Just now/);
  });

  it('names the content that an account received, and links to an alert but not to a deleted folder', async () => {
    const { api } = ui.service;
    const { id: accountId } = await api.create('/accounts', { name: 'Northwind' });
    const folders = [
      await api.create('/folders', { name: 'Safety' }),
      await api.create('/folders', { name: 'Old' }),
    ];
    const contents = [{ type: 'FOLDER', id: folders[0]?.id }];
    assert.equal(
      (await api.post('/account-content/add', { account_ids: [accountId], contents })).status,
      200,
    );
    assert.equal((await api.delete(`/folders/${folders[1]?.id}`)).status, 204);
    const target = { format: 'JSON', url: 'http://127.0.0.1:9/hooks/token' };
    const { id: alertId } = await api.create('/alerts', {
      name: 'On call',
      condition: 'WEBHOOK_IN_ERROR',
      webhook_ids: [webhookId],
      target,
    });
    await using visit = await ui.visit(LOG);
    const { page } = visit;
    const entries = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    const added = entries.filter({ hasText: 'added content to account Northwind' });
    await added.filter({ hasText: /Content.*added Folder Safety/ }).waitFor();
    const deleted = entries.filter({ hasText: 'deleted folder Old' });
    await deleted.waitFor();
    assert.equal(await deleted.getByRole('link', { name: 'Show triggered events' }).count(), 0);
    assert.equal(await deleted.getByRole('link', { name: 'Old' }).count(), 0);
    const created = entries.filter({ hasText: 'created alert On call' });
    await created.getByRole('button', { name: /Show \d+ more fields/ }).click();
    for (const text of [/Condition.*A webhook is in error/, /URL.*changed \(not shown\)/])
      await created.filter({ hasText: text }).waitFor();
    assert.equal(await page.getByText('hooks/token').count(), 0);
    await visit.assertAccessible();
    await created.getByRole('link', { name: 'On call' }).click();
    await visit.arrived(`/administration/alerts/${alertId}`);
  });

  it('leads from a change to the events that it triggered', async () => {
    const ann = await signedInBrowser(ui.service.url);
    const { id } = (await ann.post('/accounts', { name: 'Tailspin' })).body;
    for (const change of [
      { name: 'Tailspin', enabled: false },
      { name: 'Tailspin Toys', enabled: false },
    ])
      assert.equal((await ann.put(`/accounts/${id}`, change)).status, 200);
    await using visit = await ui.visit(`${LOG}?object_type=ACCOUNT&object_id=${id}`);
    const { page } = visit;
    const entries = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    const link = { name: 'Show triggered events' };
    const renamed = entries.filter({ hasText: 'Ann changed account Tailspin Toys' });
    await renamed.waitFor();
    assert.equal(await renamed.getByRole('link', link).count(), 0);
    await entries.filter({ hasText: 'Active' }).getByRole('link', link).first().click();
    await page.getByRole('link', { name: /^Activation updated, event / }).click();
    await page.getByRole('heading', { level: 1, name: 'Activation updated' }).waitFor();
  });

  it('shows on the page of a course or a bundle who changed it, with a link', async () => {
    const { service } = ui;
    const ann = await signedInBrowser(service.url);
    const { id } = await importCourse(service);
    assert.equal((await ann.put(`/courses/${id}`, { name: 'First aid', folder_id: 1 })).status, 200);
    const contents = [
      { type: 'COURSE', id },
      { type: 'COURSE', id: (await importCourse(service)).id },
    ];
    const bundle = await service.api.create('/bundles', { name: 'Basics', contents });
    const turned = { name: 'Basics', contents: contents.toReversed() };
    assert.equal((await ann.put(`/bundles/${bundle.id}`, turned)).status, 200);
    await using visit = await ui.visit(`/content/courses/${id}`);
    const { page } = visit;
    const entries = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    const renamed = entries.filter({ hasText: 'Ann changed course First aid' });
    await renamed.filter({ hasText: /Name.*Fire safety.*to.*First aid/ }).waitFor();
    await entries.filter({ hasText: 'imported course Fire safety' }).waitFor();
    await visit.assertAccessible();
    await visit.go(`${LOG}?object_type=BUNDLE`);
    const reordered = entries.filter({ hasText: 'Ann changed bundle Basics' });
    await reordered.filter({ hasText: /Order changed.*yes/ }).waitFor();
    await reordered.getByRole('link', { name: 'Basics' }).click();
    await visit.arrived(`/content/bundles/${bundle.id}`);
    await reordered.waitFor();
    await visit.assertAccessible();
  });

  it('shows the changes of an API client from its menu', async () => {
    await using visit = await ui.visit('/administration/integrations/clients');
    const { page } = visit;
    await page.getByRole('button', { name: `Actions for ${isolate('Reports')}` }).click();
    await page.getByRole('menuitem', { name: 'Show changes' }).click();
    await visit.arrived(`${LOG}?object_type=API_CLIENT&object_id=${clientId}`);
    const entries = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    await entries.filter({ hasText: 'Ann created API client Reports' }).waitFor();
    assert.equal(await entries.count(), 1);
  });

  it('shows from the menu of an administrator what they did, and what was done to them', async () => {
    await using visit = await ui.visit('/administration/administrators');
    const { page } = visit;
    const menu = page.getByRole('button', { name: `Actions for ${isolate('Ann')}` });
    await menu.click();
    await page.getByRole('menuitem', { name: 'Show what they did' }).click();
    await visit.arrived(`${LOG}?user=ann%40example.com`);
    const entries = page.getByRole('list', { name: 'Changes' }).getByRole('listitem');
    await entries.filter({ hasText: 'Ann created API client Reports' }).waitFor();
    await page.goBack();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Show changes to them' }).click();
    await visit.arrived(`${LOG}?object_type=ADMINISTRATOR&object_id=1`);
    await entries.filter({ hasText: 'created administrator Ann' }).waitFor();
  });

  it('fits on a phone', async () => {
    await using visit = await ui.visit(LOG, { phone: true });
    await visit.page.getByText('Ann changed webhook').waitFor();
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
  });
});
