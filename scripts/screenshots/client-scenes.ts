import type { Page } from 'playwright-core';
import type { Scene } from './scene.ts';

const CLIENTS = '/administration/integrations/clients';
const READS = ['content:read', 'webhooks:read'];
const EXAMPLES = [
  { name: 'CRM production', email: 'crm@northwind.example', scopes: [...READS, 'webhooks:write'] },
  { name: 'Payroll import', email: 'it@northwind.example', scopes: ['content:read', 'content:write'] },
  { name: 'Reports', email: 'data-team@northwind.example', scopes: READS },
];

/** Creates the missing clients, and shows all of them. */
async function fill(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  const list = `${origin}/ui/api/clients`;
  const { data } = await (await page.request.get(list)).json();
  const names = new Set(data.map(({ name }: { name: string }) => name));
  const headers = { origin };
  for (const client of EXAMPLES.filter(({ name }) => !names.has(name))) {
    const answer = await page.request.post(list, { headers, data: client });
    const made = await answer.json();
    if (client.name !== 'Reports') continue;
    await page.request.put(`${list}/${made.client_id}`, {
      headers,
      data: { ...client, enabled: false },
    });
  }
  await page.reload({ waitUntil: 'networkidle' });
}

async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: /^Actions for .*CRM production/ }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** The systems that use the automation API. */
export const CLIENT_SCENES: readonly Scene[] = [
  {
    name: 'clients-empty',
    address: CLIENTS,
    act: async (page) => {
      const none = { data: [], total: 0, limit: 50, offset: 0 };
      await page.route('**/ui/api/clients?*', (route) => route.fulfill({ json: none }));
      await page.reload({ waitUntil: 'networkidle' });
    },
  },
  { name: 'clients', address: CLIENTS, act: fill },
  {
    name: 'clients-failing',
    address: CLIENTS,
    act: async (page) => {
      await page.route('**/ui/api/clients?*', (route) => route.fulfill({ status: 500, body: '{}' }));
      await page.reload({ waitUntil: 'networkidle' });
    },
  },
  {
    name: 'clients-create',
    address: CLIENTS,
    act: async (page) => {
      await page.getByRole('button', { name: 'Create client' }).click();
      await page.getByLabel('Name', { exact: true }).fill('LMS');
      await page.getByRole('button', { name: 'Create client' }).last().click();
    },
  },
  {
    name: 'clients-secret',
    address: CLIENTS,
    act: async (page) => {
      await fill(page);
      await choose(page, 'New secret…');
      await page.getByRole('button', { name: 'Create new secret' }).click();
      await page.getByLabel('Client secret').waitFor();
    },
  },
  {
    name: 'clients-edit',
    address: CLIENTS,
    act: async (page) => {
      await fill(page);
      await choose(page, 'Edit…');
    },
  },
  {
    name: 'clients-conflict',
    address: CLIENTS,
    act: async (page) => {
      await fill(page);
      await choose(page, 'Edit…');
      await page.getByLabel('Name', { exact: true }).fill('CRM in production');
      await page.getByRole('checkbox', { name: 'webhooks:write' }).uncheck();
      const { origin } = new URL(page.url());
      const list = `${origin}/ui/api/clients`;
      const { data } = await (await page.request.get(`${list}?search=CRM`)).json();
      const { client_id: id, name, email, scopes } = data[0];
      const headers = { origin };
      const theirs = { name, email: 'crm-team@northwind.example', scopes, enabled: true };
      await page.request.put(`${list}/${id}`, { headers, data: theirs });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('alert').waitFor();
      await page.request.put(`${list}/${id}`, { headers, data: { ...theirs, email } });
    },
  },
  {
    name: 'clients-delete',
    address: CLIENTS,
    act: async (page) => {
      await fill(page);
      await choose(page, 'Delete…');
    },
  },
];
