import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ApiError, PROBLEM_TYPE, UnreachableError } from '../../web/src/api/errors.ts';
import { problemFrom } from '../../web/src/api/request.ts';
import { aroundTests } from '../support/around-tests.ts';
import { Learning } from './support/learning.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('a 404 of a proxy while the service is being replaced', () => {
  let ui: Ui;
  let learning: Learning;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    learning = await Learning.create(ui);
  });

  /** Answers requests as a proxy does that cannot reach the service. Returns a function that ends this. */
  const replaceService = async (page: Page, address: string | RegExp, method: string, json?: object) => {
    await page.route(address, async (route) => {
      if (route.request().method() !== method) await route.fallback();
      else if (json !== undefined) await route.fulfill({ status: 404, json });
      else await route.fulfill({ status: 404, contentType: 'text/plain', body: '404 page not found' });
    });
    return () => page.unroute(address);
  };

  const bodies = [
    { what: 'text', json: undefined },
    { what: 'a problem', json: { type: 'about:blank', title: 'Not Found', status: 404 } },
  ];
  for (const { what, json } of bodies) {
    it(`does not count as a deletion if its body is ${what}`, async () => {
      const { id } = await ui.service.api.create('/accounts', { name: 'Not deleted' });
      await using visit = await ui.visit(`/accounts/${id}`);
      const { page } = visit;
      const end = await replaceService(page, `**/accounts/${id}`, 'DELETE', json);
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: /^Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await dialog.getByRole('textbox').fill('Not deleted');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await dialog.getByRole('alert').getByText('The service is not responding').waitFor();
      assert.equal(await page.getByText(/was deleted/).count(), 0);
      await end();
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByText(/was deleted/).waitFor();
      assert.equal((await ui.service.api.get(`/accounts/${id}`)).status, 404);
    });
  }

  it('is no response of the service, whatever its JSON; a problem of the service is one', () => {
    for (const body of [{ message: 'no Route matched' }, [], 'not found', 404, null, { type: 404 }])
      assert.ok(problemFrom(404, body, null) instanceof UnreachableError, JSON.stringify(body));
    const own = problemFrom(404, { type: `${PROBLEM_TYPE}not-found` }, null);
    assert.ok(own instanceof ApiError && own.status === 404);
  });

  it('stops a deletion of many, which can be continued once the service responds', async () => {
    for (const name of ['Many 1', 'Many 2']) await ui.service.api.create('/accounts', { name });
    await using visit = await ui.visit('/accounts?search=Many');
    const { page } = visit;
    const end = await replaceService(page, /\/accounts\/\d+$/, 'DELETE');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type 2 to confirm').fill('2');
    await page.keyboard.press('Enter');
    await dialog.getByRole('alert').getByText('The service is not responding').waitFor();
    await end();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('2 accounts deleted.').waitFor();
    await page.getByText('Nothing matches your search and filters.').waitFor();
  });

  it('keeps a page whose record was read before, with its unsaved input', async () => {
    const account = await learning.accountWithCourses('Of a replaced service');
    const id = await learning.register(account, learning.courses[0]!, 'ada');
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    await page.clock.install();
    await page.goto(`${ui.service.url}/ui/registrations/${id}`);
    const score = page.getByLabel('Score');
    await score.fill('77');
    await replaceService(page, `**/registrations/${id}`, 'GET');
    const answered = page.waitForResponse((response) => response.status() === 404);
    await page.clock.runFor(30_000);
    await answered;
    // Until the next attempts have failed, too.
    await page.clock.runFor(30_000);
    await page.getByText('What you see may be out of date').waitFor();
    assert.equal(await score.inputValue(), '77');
    assert.equal(await page.getByRole('heading', { level: 1, name: 'ada' }).count(), 1);
  });
});
