import type { Scene } from './scene.ts';

/** Signing in, setup, profile, administrators, and pages without content. */
export const SHELL_SCENES: readonly Scene[] = [
  { name: 'sign-in', address: '/sign-in', as: 'nobody' },
  {
    name: 'sign-in-wrong',
    address: '/sign-in',
    as: 'nobody',
    act: async (page) => {
      await page.getByLabel('E-mail').fill('ann@example.com');
      await page.getByRole('textbox', { name: 'Password' }).fill('not the password');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  { name: 'setup-required', address: '/', as: 'nobody', empty: true },
  {
    name: 'setup',
    address: ({ announced }) => `/setup${/#token=[\w-]+/.exec(announced)?.[0] ?? ''}`,
    as: 'nobody',
    empty: true,
  },
  { name: 'setup-invalid', address: '/setup', as: 'nobody' },
  { name: 'profile', address: '/profile' },
  { name: 'administrators', address: '/administration/administrators' },
  {
    name: 'administrators-invite',
    address: '/administration/administrators',
    act: async (page) => {
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByLabel('E-mail').fill('not an address');
      await page.getByRole('button', { name: 'Create invitation link' }).click();
    },
  },
  {
    name: 'administrators-link',
    address: '/administration/administrators',
    act: async (page) => {
      await page.getByRole('button', { name: 'Invite' }).click();
      await page.getByLabel('E-mail').fill('grace@example.com');
      await page.getByRole('button', { name: 'Create invitation link' }).click();
      await page.getByLabel('One-time link').waitFor();
    },
  },
  {
    name: 'administrators-menu',
    address: '/administration/administrators',
    act: async (page) => {
      await page.getByRole('button', { name: /^Actions for .*Vic/ }).click();
    },
  },
  {
    name: 'administrators-edit',
    address: '/administration/administrators',
    act: async (page) => {
      await page.getByRole('button', { name: /^Actions for .*Vic/ }).click();
      await page.getByRole('menuitem', { name: 'Edit' }).click();
    },
  },
  {
    name: 'navigation',
    address: '/profile',
    act: async (page, phone) => {
      if (phone) await page.getByRole('button', { name: 'Open menu' }).click();
      await page.getByRole('button', { name: /^Your account/ }).click();
    },
  },
  { name: 'not-found', address: '/nothing/here' },
  { name: 'not-for-viewers', address: '/administration/administrators', as: 'viewer' },
];
