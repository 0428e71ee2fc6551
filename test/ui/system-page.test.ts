import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startUi, type Ui } from './support/ui.ts';

const SYSTEM = '/administration/system';
const SECRET = 'a-secret-that-nobody-may-see-0123456789';

describe('the System page', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: { webhooks_auth_secret: SECRET } }));
  });

  it('shows that everything works, on which system, and since when', async () => {
    await using visit = await ui.visit(SYSTEM);
    const { page } = visit;
    await page.getByText('Everything works').waitFor();
    await page.getByText(process.versions.node, { exact: true }).waitFor();
    await page.getByText('In a folder').waitFor();
    await visit.assertAccessible();
  });

  it('shows settings with their defaults and without secrets, with search and filter in the address', async () => {
    await using visit = await ui.visit(SYSTEM);
    const { page } = visit;
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('retry_initial');
    await page.getByText('retry_max_delay', { exact: true }).waitFor({ state: 'detached' });
    await visit.arrived(`${SYSTEM}?search=retry_initial`);
    await page.getByRole('row', { name: /retry_initial_delay Changed .*0\.05/ }).waitFor();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await visit.arrived(SYSTEM);
    await page.getByRole('combobox', { name: 'Show' }).click();
    await page.getByRole('option', { name: /^Changed/ }).click();
    await visit.arrived(`${SYSTEM}?show=changed`);
    await page.getByText('webhooks_auth_secret', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('webhooks_auth_secret', { exact: true }).waitFor();
    assert.equal(await page.getByText('delivery_timeout', { exact: true }).count(), 0);
    assert.ok(!(await page.content()).includes(SECRET));
  });

  it('shows in which settings another instance differs, with both values', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    const difference = (setting: string, value: unknown, other_value: unknown) => ({
      setting,
      value,
      other_value,
      other_instance: 'other',
      other_host: 'machine-2',
    });
    await page.route('**/ui/api/health', async (route) => {
      const response = await route.fetch();
      const health = await response.json();
      const setting_differences = [
        difference('message_queue_max_receives', 3, 1_000),
        difference('enable_webhooks_service', true, false),
      ];
      await route.fulfill({ response, json: { ...health, setting_differences } });
    });
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByText('Instances have different settings').waitFor();
    const checks = page.getByRole('list', { name: 'Checks' });
    await checks.getByText('message_queue_max_receives. Here it is 3, on machine-2 it is 1000.').waitFor();
    await checks.getByText('enable_webhooks_service. Here it is true, on machine-2 it is false.').waitFor();
    await visit.assertAccessible();
  });

  it('shows what does not respond, what that means and what to do', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.route('**/ui/api/health*', async (route) => {
      const response = await route.fetch();
      const health = await response.json();
      const checks = { ...health.checks, content: 'failed', queue: 'failed' };
      const queue = { ...health.queue, obstacle: 'the queue holds a message of the installation theirs' };
      await route.fulfill({ response, json: { ...health, checks, queue } });
    });
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByRole('alert').getByText('Something is not working').waitFor();
    const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem');
    await checks
      .filter({ hasText: 'Course files' })
      .getByText(/bucket of content_store exists/)
      .waitFor();
    const queueCheck = checks.filter({ hasText: 'Message queue' });
    await queueCheck.getByText('Not responding').waitFor();
    await queueCheck.getByText(/holds a message of the installation theirs/).waitFor();
    await visit.assertAccessible();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('list', { name: 'At a glance' }).getByText('2 problems').waitFor();
  });

  it('shows since when and why this machine is unable to connect to targets', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.route('**/ui/api/health*', async (route) => {
      const response = await route.fetch();
      const connection_trouble = {
        since_dt: '2026-03-04T09:30:00.000Z',
        reason: 'no name server responds',
        webhooks: 3,
      };
      await route.fulfill({ response, json: { ...(await response.json()), connection_trouble } });
    });
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByRole('alert').getByText('Something is not working').waitFor();
    const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem');
    const delivery = checks.filter({ hasText: 'Delivery' });
    await delivery.getByText('Unable to connect', { exact: true }).waitFor();
    await delivery
      .getByText(/since .*2026.*: no name server responds\. The messages of 3 webhooks wait/)
      .waitFor();
    await visit.assertAccessible();
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('list', { name: 'At a glance' }).getByText('1 problem').waitFor();
  });

  it('shows how wrong the clock of the machine is', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.route('**/ui/api/health*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), clock_ahead_seconds: -72.4 } });
    });
    await page.getByRole('link', { name: 'System' }).click();
    await page.getByText('The clock of this machine is wrong').waitFor();
    const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem');
    await checks
      .filter({ hasText: 'Clock' })
      .getByText(/72\.4 s behind the database server’s/)
      .waitFor();
  });

  it('fits on a phone', async () => {
    await using visit = await ui.visit(SYSTEM, { phone: true });
    await visit.page.getByText('retry_max_delay', { exact: true }).waitFor();
    await visit.assertNoSidewaysScrolling();
    await visit.assertAccessible();
  });
});
