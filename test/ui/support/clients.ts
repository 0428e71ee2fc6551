import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { COMMAND_LINE } from '../../../src/audit/actor.ts';
import { ClientService } from '../../../src/identity/clients/client-service.ts';
import { SCOPES } from '../../../src/identity/scopes.ts';
import { basic } from '../../support/basic.ts';
import { openDatabaseOf } from '../../support/database.ts';
import { requestToken, type TestService } from '../../support/service.ts';

/** Uses the page of API clients as people do, and makes changes of other administrators to the same clients. */

export const CLIENTS = '/administration/integrations/clients';

/** A new client, as its dialog showed it. */
export interface Made {
  id: string;
  secret: string;
}

export function rowOf(page: Page, text: string): Locator {
  return page.getByRole('row').filter({ hasText: text });
}

export function dialog(page: Page): Locator {
  return page.getByRole('dialog');
}

/** Closes the dialog that shows the secret, and returns what it showed. */
export async function takeSecret(page: Page): Promise<Made> {
  const secret = await page.getByLabel('Client secret').inputValue();
  const id = await dialog(page)
    .getByText(/^cw_[0-9a-f]{24}$/)
    .textContent();
  await page.getByRole('button', { name: 'I have copied the secret' }).click();
  await dialog(page).waitFor({ state: 'detached' });
  return { id: id ?? '', secret };
}

export async function create(page: Page, name: string, scopes: 'All' | 'Read-only' = 'All'): Promise<Made> {
  await page.getByRole('button', { name: 'Create client' }).click();
  await dialog(page).getByLabel('Name').fill(name);
  await dialog(page).getByLabel('E-mail').fill('it@example.com');
  await dialog(page).getByRole('button', { name: scopes }).click();
  await dialog(page).getByRole('button', { name: 'Create client' }).click();
  return takeSecret(page);
}

/** Chooses an action for a client from the menu of its row. */
export async function act(page: Page, name: string, item: string): Promise<void> {
  await rowOf(page, name)
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** The scopes of a new token, or the error in its place. */
export async function scopesOf(service: TestService, { id, secret }: Made): Promise<string> {
  const response = await fetch(`${service.url}/public/v1/auth`, {
    method: 'POST',
    headers: { authorization: basic(id, secret) },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const answer = (await response.json()) as { scope?: string; error?: string };
  return answer.scope ?? answer.error ?? '';
}

/** An access token of a client. */
export function tokenOf(service: TestService, { id, secret }: Made): Promise<string> {
  return requestToken(service.url, id, secret);
}

/** What somebody else does meanwhile. */
export async function beside<T>(
  service: TestService,
  work: (clients: ClientService) => Promise<T>,
): Promise<T> {
  await using database = await openDatabaseOf(service.settings.data_dir);
  return await work(new ClientService({ database, now: Date.now }));
}

/** A client with all scopes that somebody else has created. */
export async function createBeside(service: TestService, name: string): Promise<Made> {
  const input = { name, email: 'it@example.com', scopes: SCOPES };
  const { client, clientSecret } = await beside(service, (clients) => clients.create(input, COMMAND_LINE));
  return { id: client.clientId, secret: clientSecret };
}

export async function readBeside(service: TestService, id: string) {
  const client = await beside(service, (clients) => clients.get(id));
  assert.ok(client !== null);
  const { name, email, enabled } = client;
  return { name, email, scopes: SCOPES.filter((scope) => client.scopes.has(scope)), enabled };
}

export async function changeBeside(
  service: TestService,
  id: string,
  change: { name?: string; enabled?: boolean },
): Promise<void> {
  const current = await readBeside(service, id);
  await beside(service, (clients) => clients.update(id, { ...current, ...change }, COMMAND_LINE, null));
}
