import type { Page } from 'playwright-core';
import { choiceDialog, choose, fieldOf } from '../../test/ui/support/choosing.ts';
import type { Scene } from './scene.ts';

const account =
  (name: string, rest = ''): Scene['address'] =>
  ({ data }) =>
    `/accounts/${data?.accounts.get(name)}${rest}`;
const registration =
  (at: number): Scene['address'] =>
  ({ data }) =>
    `/registrations/${data?.registrations[at]}`;

async function openMenu(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
  await page.getByRole('dialog').waitFor();
}

/** Accounts, their content, and registrations. */
export const ACCOUNT_SCENES: readonly Scene[] = [
  { name: 'accounts', address: '/accounts' },
  {
    name: 'accounts-delete-many',
    address: '/accounts',
    act: async (page) => {
      await page
        .getByRole('checkbox', { name: /^Select/ })
        .nth(1)
        .check();
      await page
        .getByRole('checkbox', { name: /^Select/ })
        .nth(3)
        .click({ modifiers: ['Shift'] });
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByText('Also deleted').waitFor();
    },
  },
  {
    name: 'accounts-selected',
    address: '/accounts',
    act: async (page) => {
      await page
        .getByRole('checkbox', { name: /^Select/ })
        .nth(1)
        .check();
    },
  },
  { name: 'accounts-new', address: '/accounts?new=yes', act: async () => {} },
  { name: 'account', address: account('Northwind Logistics') },
  { name: 'account-empty', address: account('Tailspin Toys') },
  { name: 'account-registrations', address: account('Northwind Logistics', '?tab=registrations') },
  {
    name: 'account-add',
    address: account('Tailspin Toys', '?add=yes'),
    act: async (page) => {
      await page.getByRole('checkbox', { name: /Anti-bribery/ }).check();
      await page.getByRole('checkbox', { name: /^Compliance/ }).check();
    },
  },
  {
    name: 'account-add-held',
    address: account('Northwind Logistics', '?add=yes'),
    act: async (page) => {
      await page
        .getByRole('checkbox', { name: /Already added/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'account-remove',
    address: account('Contoso Healthcare'),
    act: async (page) => {
      const boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ });
      if (!(await boxes.first().isChecked())) {
        await boxes.nth(0).check();
        await boxes.nth(1).check();
      }
      await page.getByRole('button', { name: 'Remove 2…' }).click();
    },
  },
  {
    name: 'account-delete',
    address: account('Fabrikam Energy'),
    act: async (page) => {
      await openMenu(page, 'Delete…');
      await page.getByText('registrations and their results').waitFor();
    },
  },
  { name: 'account-gone', address: '/accounts/4711' },
  { name: 'registrations', address: '/registrations' },
  { name: 'registrations-learner', address: '/registrations?learner=ada.lovelace' },
  {
    name: 'registrations-new',
    address: '/registrations?new=yes',
    act: async (page) => {
      await page.getByRole('button', { name: 'Register', exact: true }).click();
    },
  },
  {
    name: 'registrations-choose',
    address: '/registrations?new=yes',
    act: async (page) => {
      await choose(page, 'Account', 'Northwind');
      await fieldOf(page, 'Course or equivalent').click();
      await choiceDialog(page).getByText('of').first().waitFor();
    },
  },
  {
    name: 'registrations-chosen',
    address: '/registrations?new=yes',
    act: (page) => choose(page, 'Account', 'Northwind'),
  },
  {
    name: 'registrations-choose-empty',
    address: '/registrations?new=yes',
    act: async (page) => {
      await choose(page, 'Account', 'Tailspin');
      await fieldOf(page, 'Course or equivalent').click();
      await choiceDialog(page).getByText('The account has no courses').waitFor();
    },
  },
  {
    name: 'registrations-many',
    address: '/registrations?new=many',
    act: async (page) => {
      await page.getByLabel('Learner ids').fill('ada.lovelace\ngrace.hopper\n\nada.lovelace\nalan.turing');
    },
  },
  { name: 'registration', address: registration(0) },
  { name: 'registration-viewer', address: registration(1), as: 'viewer' },
  {
    name: 'registration-launch',
    address: registration(4),
    act: async (page) => {
      await page.getByRole('button', { name: 'Create launch link' }).click();
      await page.getByRole('button', { name: 'Create another link' }).waitFor();
    },
  },
];
