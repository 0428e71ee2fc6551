import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { ADMIN_EMAIL, signedInBrowser } from '../support/administration.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { startUi, type Ui } from './support/ui.ts';

/** Starts a page with a link to the address, on another port of the same host: another origin of the same site. */
async function startPortal(address: string): Promise<Server> {
  const page = `<!doctype html><title>Portal</title><a href="${address}">the admin UI</a>`;
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(page);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

describe('a page of another origin, in a browser in which an administrator has signed in', () => {
  let ui: Ui;
  before(async () => {
    ui = await startUi();
  });
  after(() => ui[Symbol.asyncDispose]());

  it('can link to the admin UI, but causes no reads', async () => {
    const { service, browser } = ui;
    const linked = `${service.url}/ui/administration/system`;
    const server = await startPortal(linked);
    const context = await browser.newContext();
    try {
      context.setDefaultTimeout(DEADLINE_MS);
      const { cookies } = await signedInBrowser(service.url, ADMIN_EMAIL);
      await context.addCookies(
        Array.from(cookies, ([name, value]) => ({
          name,
          value,
          url: service.url,
          httpOnly: true,
          sameSite: 'Strict' as const,
        })),
      );
      const page = await context.newPage();
      const portal = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
      await page.goto(portal);

      const isOfRead = (url: string) => url === `${service.url}/ui/api/search/assets?search=f`;
      const [response] = await Promise.all([
        page.waitForResponse((found) => isOfRead(found.url())),
        page.evaluate(
          (url) => fetch(url, { mode: 'no-cors', credentials: 'include' }).catch(() => null),
          `${service.url}/ui/api/search/assets?search=f`,
        ),
      ]);
      assert.equal(response.status(), 403, 'with the cookie, which another port of the host has, too');

      await page.getByRole('link').click();
      await page.getByRole('list', { name: 'Checks' }).waitFor();
      assert.equal(page.url(), linked);
      await page.reload();
      await page.getByRole('list', { name: 'Checks' }).waitFor();
      await page.goBack();
      await page.goForward();
      await page.getByRole('list', { name: 'Checks' }).waitFor();

      const docs = await context.newPage();
      await docs.goto(portal);
      await docs.evaluate((url) => void window.location.assign(url), `${service.url}/docs`);
      await docs.getByRole('heading', { level: 1 }).first().waitFor();
    } finally {
      await context.close();
      server.closeAllConnections();
      server.close();
    }
  });
});
