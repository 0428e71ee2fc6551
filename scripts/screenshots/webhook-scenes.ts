import type { Page } from 'playwright-core';
import { chooseFocus } from '../../test/ui/support/choosing.ts';
import type { Scene } from './scene.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const DEAD_LETTERS = '/administration/integrations/dead-letters';
const FAILING = 'Learning record store';
const WORKING = 'HR directory: accounts';

/** A part of a webhook's page. */
const of =
  (name: string, rest = ''): Scene['address'] =>
  ({ data }) =>
    `${WEBHOOKS}/${data?.webhooks.get(name)}${rest}`;

async function asReadOnly(page: Page): Promise<void> {
  await page.route('**/ui/api/session', async (route) => {
    const response = await route.fetch();
    const session = await response.json();
    session.service.read_only = true;
    await route.fulfill({ response, json: session });
  });
  await page.reload({ waitUntil: 'networkidle' });
}

async function asFailing(page: Page): Promise<void> {
  await page.route('**/webhooks*/**', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.route('**/ui/api/dead-letters*', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.route('**/ui/api/webhooks*', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.reload({ waitUntil: 'networkidle' });
}

/** Webhooks and dead letters. */
export const WEBHOOK_SCENES: readonly Scene[] = [
  { name: 'webhooks', address: WEBHOOKS },
  { name: 'webhooks-nothing-fits', address: `${WEBHOOKS}?search=nowhere` },
  { name: 'webhooks-read-only', address: WEBHOOKS, act: asReadOnly },
  { name: 'webhooks-failing', address: WEBHOOKS, act: asFailing },
  { name: 'webhook-overview', address: of(FAILING, '?period=hour') },
  { name: 'webhook-overview-table', address: of(WORKING, '?period=hour&table=yes') },
  { name: 'webhook-overview-read-only', address: of(FAILING), act: asReadOnly },
  { name: 'webhook-history', address: of(FAILING, '?tab=history') },
  {
    name: 'webhook-replay',
    address: of('Old reporting'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Activate and replay…' }).click();
      await page.getByText(/will be queued|missed no events/).waitFor();
    },
  },
  { name: 'webhook-history-empty', address: of('Old reporting', '?tab=history') },
  { name: 'webhook-configuration', address: of(FAILING, '?tab=configuration') },
  {
    name: 'webhook-delivery',
    address: of(FAILING, '?tab=history'),
    act: async (page) => {
      await page
        .getByRole('link', { name: /, delivery \d+$/ })
        .first()
        .click();
      await page.getByRole('dialog').getByText('Message id').waitFor();
    },
  },
  {
    name: 'webhook-test',
    address: of(FAILING),
    act: async (page) => {
      await page.getByRole('button', { name: 'Send test message' }).click();
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('It was not delivered').waitFor();
    },
  },
  {
    name: 'webhook-delete',
    address: of(FAILING),
    act: async (page) => {
      await page.getByText('Blocked by a failing message').waitFor();
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await page.getByRole('button', { name: 'Delete webhook' }).waitFor();
    },
  },
  { name: 'webhook-gone', address: `${WEBHOOKS}/4711` },
  { name: 'webhook-add', address: `${WEBHOOKS}/new` },
  {
    name: 'webhook-add-wrong',
    address: `${WEBHOOKS}/new`,
    act: async (page) => {
      await page.getByRole('radio', { name: 'Basic' }).check();
      await page.getByRole('button', { name: 'Create webhook' }).click();
      await page.getByText('Choose a topic.').waitFor();
    },
  },
  {
    name: 'webhook-add-leave',
    address: `${WEBHOOKS}/new`,
    act: async (page) => {
      await page.getByLabel('Name').fill('CRM');
      await page.getByRole('link', { name: 'Cancel' }).click();
      await page.getByText('Leave without saving?').waitFor();
    },
  },
  {
    name: 'webhook-edit-focus',
    address: of(WORKING, '/edit'),
    act: async (page) => {
      await chooseFocus(page, 'Choose accounts…', ['Northwind', 'Contoso']);
      await page.getByText('This focus excludes these events').scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'webhook-edit-choose',
    address: of(WORKING, '/edit'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Choose accounts…' }).click();
      await page.getByRole('checkbox', { name: /^Northwind/ }).check();
    },
  },
  {
    name: 'webhook-add-content',
    address: `${WEBHOOKS}/new`,
    act: async (page) => {
      await page.getByRole('radio', { name: 'Registrations' }).check();
      await page.getByRole('button', { name: 'Choose content…' }).click();
      await page.getByRole('button', { name: 'Select all shown' }).click();
      await page.getByRole('button', { name: /^Add \d+ items/ }).click();
      await page.getByRole('list', { name: 'Content' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'webhook-choose-failing',
    address: `${WEBHOOKS}/new`,
    act: async (page) => {
      await page.route('**/ui/api/search/assets?*', (route) => route.fulfill({ status: 500, body: '{}' }));
      await page.getByRole('radio', { name: 'Accounts' }).check();
      await page.getByRole('button', { name: 'Choose accounts…' }).click();
      await page.getByRole('dialog').getByRole('alert').first().waitFor();
    },
  },
  {
    name: 'webhook-history-selected',
    address: of(FAILING, '?tab=history'),
    act: async (page) => {
      await page
        .getByRole('checkbox', { name: /^Select/ })
        .and(page.locator(':enabled'))
        .first()
        .check();
      await page.getByText('1 selected').waitFor();
    },
  },
  {
    name: 'webhook-history-remove',
    address: of(FAILING, '?tab=history&code=503'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Remove matching…' }).click();
    },
  },
  {
    name: 'webhook-edit-tested',
    address: of(WORKING, '/edit'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Send test message' }).click();
      await page.getByText('The target accepted it').waitFor();
    },
  },
  {
    name: 'webhook-edit-refused',
    address: of(FAILING, '/edit'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Send test message' }).click();
      await page.getByText('It was not delivered').waitFor();
    },
  },
  { name: 'dead-letters', address: DEAD_LETTERS },
  { name: 'dead-letters-no-results', address: `${DEAD_LETTERS}?learner=nobody` },
  { name: 'dead-letters-failing', address: DEAD_LETTERS, act: asFailing },
  {
    name: 'dead-letters-selected',
    address: DEAD_LETTERS,
    act: async (page) => {
      await page
        .getByRole('checkbox', { name: /^Select .?[A-Z].*delivery/ })
        .first()
        .check();
    },
  },
  {
    name: 'dead-letters-remove',
    address: DEAD_LETTERS,
    act: async (page) => {
      await page.getByRole('button', { name: 'Remove all…' }).click();
    },
  },
  {
    name: 'webhook-waiting',
    address: of(FAILING),
    act: async (page) => {
      await page.getByRole('list', { name: 'Waiting messages' }).scrollIntoViewIfNeeded();
    },
  },
  {
    name: 'webhook-waiting-message',
    address: of(FAILING),
    act: async (page) => {
      await page.getByRole('list', { name: 'Waiting messages' }).getByRole('link').nth(1).click();
      await page.getByRole('dialog').getByText('Message id').waitFor();
    },
  },
  {
    name: 'webhook-purge',
    address: of(FAILING),
    act: async (page) => {
      await page.getByRole('button', { name: 'Purge…' }).click();
    },
  },
  {
    name: 'webhook-delivery-headers',
    address: of(FAILING, '?tab=history'),
    act: async (page) => {
      await page
        .getByRole('link', { name: /, delivery \d+$/ })
        .first()
        .click();
      await page.getByRole('dialog').getByText('Headers').first().click();
    },
  },
];
