import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { MINUTE_MS } from '../../src/time/units.ts';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { holdRequests } from './support/held-requests.ts';
import { Learning } from './support/learning.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('a deletion in the admin UI that takes minutes', () => {
  let ui: Ui;
  let learning: Learning;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    learning = await Learning.create(ui);
  });

  /** Makes the time limits of the page end only by {@link letPass}. */
  const holdTimeLimits = (page: Page) =>
    page.evaluate(() => {
      const limits: { ms: number; end: AbortController }[] = [];
      AbortSignal.timeout = (ms) => {
        const end = new AbortController();
        limits.push({ ms, end });
        return end.signal;
      };
      Object.assign(window, { limits });
    });
  /** Returns the limits that have not ended by then. */
  const letPass = (page: Page, ms: number) =>
    page.evaluate((passed) => {
      const { limits } = window as unknown as { limits: { ms: number; end: AbortController }[] };
      for (const { ms, end } of limits) if (ms <= passed) end.abort(new DOMException('', 'TimeoutError'));
      return limits.filter(({ end }) => !end.signal.aborted).map(({ ms }) => ms);
    }, ms);

  /** Begins to delete the record that the page shows. Returns a function that confirms the deletion. */
  async function ask(page: Page, typed: string | null): Promise<() => Promise<void>> {
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: /^(?:Actions for|More actions)/ }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    if (typed !== null) await dialog.getByRole('textbox').fill(typed);
    return () => dialog.getByRole('button', { name: 'Delete' }).click();
  }

  /** Confirms the deletion and lets five minutes pass, for which the page waits. */
  async function passMinutes(page: Page, confirm: () => Promise<void>): Promise<void> {
    await holdTimeLimits(page);
    const sent = page.waitForRequest((request) => request.method() === 'DELETE');
    await confirm();
    await sent;
    assert.deepEqual(
      await letPass(page, 5 * MINUTE_MS),
      [10 * MINUTE_MS],
      'only the deletion may take longer',
    );
  }

  const records = [
    {
      what: 'an account',
      async make() {
        const name = 'With many learners';
        const { id } = await ui.service.api.create('/accounts', { name });
        return { path: `/accounts/${id}`, typed: name, notice: `${isolate(name)} was deleted.` };
      },
    },
    {
      what: 'a registration',
      async make() {
        const account = await learning.accountWithCourses('Of registrations');
        const id = await learning.register(account, learning.courses[0]!, 'ada');
        return { path: `/registrations/${id}`, typed: null, notice: 'The registration was deleted.' };
      },
    },
  ];
  it('is awaited, and then shown', async () => {
    const { path, typed, notice } = await records[0]!.make();
    await using visit = await ui.visit(path);
    const { page } = visit;
    const held = await holdRequests(page, `**${path}`, { method: 'DELETE' });
    await passMinutes(page, await ask(page, typed));
    held.release();
    await page.getByText(notice).waitFor();
    assert.equal((await ui.service.api.get(path)).status, 404);
  });

  for (const { what, make } of records) {
    it(`is awaited, and succeeds when it is requested again after a proxy gave up, while the deletion of ${what} continues`, async () => {
      const { path, typed, notice } = await make();
      await using visit = await ui.visit(path);
      const { page } = visit;
      const held = await holdRequests(page, `**${path}`, {
        method: 'DELETE',
        respond: async (route) => {
          assert.equal((await route.fetch()).status(), 204);
          await route.fulfill({ status: 504, body: 'Gateway Timeout' });
        },
      });
      const confirm = await ask(page, typed);
      await passMinutes(page, confirm);
      held.release();
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await page.unroute(`**${path}`);
      await confirm();
      await page.getByText(notice).waitFor();
      assert.equal((await ui.service.api.get(path)).status, 404);
    });
  }

  it('succeeds for a course when it is requested again after the response of the first request was lost', async () => {
    const { id } = await new ContentMaker(ui.service).course('Deleted twice');
    const path = `/courses/${id}`;
    await using visit = await ui.visit(`/content${path}`);
    const { page } = visit;
    await page.route(`**${path}`, async (route) => {
      if (route.request().method() !== 'DELETE') return await route.continue();
      assert.equal((await route.fetch()).status(), 204);
      await route.fulfill({ status: 504, body: 'Gateway Timeout' });
    });
    await page.getByRole('button', { name: 'Course actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete course' });
    await confirm.click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await page.unroute(`**${path}`);
    await confirm.click();
    await page.getByText(`${isolate('Deleted twice')}” was deleted.`).waitFor();
  });
});
