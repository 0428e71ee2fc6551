import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { until } from '../support/until.ts';
import { failed, holdRequests } from './support/held-requests.ts';
import { startUi, type Ui } from './support/ui.ts';

const INTEGRATIONS = '/administration/integrations';

/** A button whose action fails. */
interface Failing {
  what: string;
  address: string;
  /** Leads to the button. */
  lead: (page: Page) => Promise<unknown>;
  button: string;
  /** The request that fails. */
  request: string;
  method?: string;
  /** The label of the button after that, where it differs. */
  next?: string;
}

describe('the focus after an action that failed', () => {
  let ui: Ui;
  const ids = { account: 0, course: 0 };
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    const { api } = ui.service;
    const make = new ContentMaker(ui.service);
    ids.course = (await make.course('Ladders')).id;
    await make.folder('Safety');
    const webhook = { name: 'CRM', topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/', max_attempts: 1 };
    await api.create('/webhooks', webhook);
    ids.account = await make.account('Northwind');
    const letters = async () => (await api.get('/ui/api/dead-letters')).body.total;
    await until(async () => (await letters()) === 1, 'there is a dead letter');
  });

  const failing = (): Failing[] => [
    {
      what: 'adding content to an account',
      address: `/accounts/${ids.account}`,
      lead: async (page) => {
        await page.getByRole('button', { name: 'Add content' }).click();
        await page.getByRole('checkbox', { name: /^Ladders/ }).check();
      },
      button: 'Add 1 item',
      request: '**/account-content/add',
    },
    {
      what: 'redelivering all dead letters',
      address: `${INTEGRATIONS}/dead-letters`,
      lead: (page) => page.getByRole('button', { name: 'Redeliver all…' }).click(),
      button: 'Redeliver all',
      request: '**/dead-letters/redeliver',
      next: 'Continue',
    },
    {
      what: 'deleting selected accounts',
      address: '/accounts',
      lead: async (page) => {
        await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
        await page.getByRole('button', { name: 'Delete…' }).click();
        await page.getByRole('textbox', { name: 'Type 1 to confirm' }).fill('1');
      },
      button: 'Delete 1 account',
      request: '**/accounts/*',
      method: 'DELETE',
      next: 'Try these again',
    },
    {
      what: 'moving a course',
      address: `/content/courses/${ids.course}`,
      lead: async (page) => {
        await page.getByRole('button', { name: 'Course actions' }).click();
        await page.getByRole('menuitem', { name: 'Move…' }).click();
        await page.getByRole('treeitem', { name: 'Safety' }).click();
      },
      button: 'Move here',
      request: `**/courses/${ids.course}`,
      method: 'PUT',
    },
    {
      what: 'deleting a course',
      address: `/content/courses/${ids.course}`,
      lead: async (page) => {
        await page.getByRole('button', { name: 'Course actions' }).click();
        await page.getByRole('menuitem', { name: 'Delete…' }).click();
      },
      button: 'Delete course',
      request: `**/courses/${ids.course}`,
      method: 'DELETE',
    },
    {
      what: 'creating a webhook',
      address: `${INTEGRATIONS}/webhooks/new`,
      lead: async (page) => {
        await page.getByRole('textbox', { name: 'Name' }).fill('ERP');
        await page.getByRole('textbox', { name: 'Target URL' }).fill('https://erp.example.com/');
        await page.getByRole('radio', { name: /^Accounts/ }).check();
      },
      button: 'Create webhook',
      request: '**/webhooks',
      method: 'POST',
    },
  ];

  it('stays at the button, which repeats it, and the button has it while the request runs', async (t) => {
    for (const { what, address, lead, button, request, method, next = button } of failing()) {
      await t.test(what, async () => {
        await using visit = await ui.visit(address);
        const { page } = visit;
        await lead(page);
        const sending = await holdRequests(page, request, {
          respond: failed,
          ...(method === undefined ? {} : { method }),
        });
        const focused = page.locator(':focus');
        await page.getByRole('button', { name: button, exact: true }).press('Enter');
        await sending.begun;
        // A button that is disabled loses the focus when the page is drawn.
        await visit.settled();
        await page.locator('button[aria-disabled=true]').and(focused).waitFor();
        sending.release();
        await page.getByRole('button', { name: next, exact: true }).and(focused).waitFor();
        await page.getByText('Something went wrong').first().waitFor();
        // No button or status claims that it still runs.
        assert.equal(await page.getByText(/…$/).and(page.getByRole('status')).count(), 0);
      });
    }
  });
});
