import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import type { BrowserContext } from 'playwright-core';
import { ADMIN_EMAIL, signedInBrowser } from '../support/administration.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { listenOnFreePort } from '../support/free-port.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('a page of another origin, in a browser in which an administrator has signed in', () => {
  const parts = new AsyncDisposableStack();
  let ui: Ui;
  let context: BrowserContext;
  let systemPage: string;
  /** The port of a page with links. */
  let port: number;

  before(async () => {
    ui = parts.use(await startUi());
    const { service } = ui;
    systemPage = `${service.url}/ui/administration/system`;
    const links = `<a href="${systemPage}">the admin UI</a> <a href="${service.url}/docs">the docs</a>`;
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<!doctype html><title>Portal</title>${links}`);
    });
    port = await listenOnFreePort(server);
    parts.defer(() => {
      server.closeAllConnections();
      server.close();
    });
    context = await ui.browser.newContext();
    parts.defer(() => context.close());
    context.setDefaultTimeout(DEADLINE_MS);
    const { cookies } = await signedInBrowser(service.url, ADMIN_EMAIL);
    const attributes = { url: service.url, httpOnly: true, sameSite: 'Strict' as const };
    await context.addCookies(Array.from(cookies, ([name, value]) => ({ name, value, ...attributes })));
  });
  after(() => parts.disposeAsync());

  it('causes no reads, although it is on the same site', async () => {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${port}/`);
    const address = `${ui.service.url}/ui/api/search/assets?search=f`;
    const [response] = await Promise.all([
      page.waitForResponse((found) => found.url() === address),
      page.evaluate(
        (url) => fetch(url, { mode: 'no-cors', credentials: 'include' }).catch(() => null),
        address,
      ),
    ]);
    assert.equal(response.status(), 403, 'with the cookie, which another port of the host has, too');
  });

  for (const [site, host] of [
    ['the same site', '127.0.0.1'],
    ['another site', 'localhost'],
  ]) {
    it(`can link to the admin UI and the docs from ${site}`, async () => {
      const page = await context.newPage();
      await page.goto(`http://${host}:${port}/`);
      const checks = page.getByRole('list', { name: 'Checks' });
      await page.getByRole('link', { name: 'the admin UI' }).click();
      await checks.waitFor();
      assert.equal(page.url(), systemPage);
      await page.reload();
      await checks.waitFor();
      await page.goBack();
      await page.goForward();
      await checks.waitFor();

      await page.goto(`http://${host}:${port}/`);
      await page.getByRole('link', { name: 'the docs' }).click();
      await page.getByRole('heading', { level: 1 }).first().waitFor();
    });
  }
});
