import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isolate } from '../../web/src/utilities/isolate.ts';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { until } from '../support/until.ts';
import { boxOf } from './support/boxes.ts';
import { startUi, type Ui } from './support/ui.ts';

describe('actions on many rows at once', () => {
  let ui: Ui;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    make = new ContentMaker(ui.service);
  });

  const select = (name: string) => ({ name: `Select ${isolate(name)}` });
  const accountsNamed = async (prefix: string): Promise<string[]> => {
    const { data } = (await ui.service.api.get('/accounts?limit=200')).body;
    return data.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith(prefix));
  };

  it('Shift selects a range, the header a page; deleting accounts asks for their number', async () => {
    const [first = 0] = await make.accounts('Range 1', 'Range 2', 'Range 3', 'Range 4');
    const course = await make.course('In a range');
    await ui.service.api.post(`/accounts/${first}/content`, {
      contents: [{ type: 'COURSE', id: course.id }],
    });
    await ui.service.api.create('/registrations', {
      account_id: first,
      course_id: course.id,
      learner_id: 'ada',
    });
    await using visit = await ui.visit('/accounts?search=Range');
    const { page } = visit;
    await page.getByRole('checkbox', select('Range 1')).click();
    await page.getByRole('checkbox', select('Range 3')).click({ modifiers: ['Shift'] });
    await page.getByText('3 selected').waitFor();
    assert.equal(await page.getByRole('checkbox', select('Range 4')).isChecked(), false);
    await page.getByRole('checkbox', select('Range 3')).focus();
    await page.keyboard.press('Space');
    await page.getByText('2 selected').waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByText('4 selected').waitFor();
    await page.getByRole('checkbox', select('Range 4')).uncheck();
    await visit.assertAccessible();

    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3 accounts?' });
    await dialog.getByText('access to 1 item of content').waitFor();
    await dialog.getByText('1 registration and its results').waitFor();
    await dialog.getByRole('button', { name: 'Delete 3 accounts' }).click();
    await dialog.getByText('This is not the number of selected rows.').waitFor();
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await visit.assertAccessible();
    await page.keyboard.press('Enter');
    await page.getByText('3 accounts deleted.').waitFor();
    assert.deepEqual(await accountsNamed('Range'), ['Range 4']);
    await dialog.waitFor({ state: 'detached' });
  });

  it('rows that cannot be deleted are shown with the reason, and can be retried', async () => {
    const [account = 0] = await make.accounts('Holding');
    const held = await make.course('Held course');
    await make.course('Held by nobody');
    await ui.service.api.post(`/accounts/${account}/content`, {
      contents: [{ type: 'COURSE', id: held.id }],
    });
    await using visit = await ui.visit('/content?search=Held');
    const { page } = visit;
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('All their versions and files are also deleted.').waitFor();
    // In an outage, no other one is tried.
    await page.route(/\/courses\/\d+$/, (route) => route.abort(), { times: 1 });
    await dialog.getByRole('button', { name: 'Delete 2 courses' }).click();
    await dialog.getByText('The service is not responding').waitFor();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText('1 course deleted.').waitFor();
    await dialog.getByText('1 course could not be deleted:').waitFor();
    await dialog.getByText(/Held course: The course is in use by 1 account/).waitFor();
    await visit.assertAccessible();
    await ui.service.api.delete(`/accounts/${account}/content/COURSE/${held.id}`);
    await dialog.getByRole('button', { name: 'Try these again' }).click();
    await page.getByText('2 courses deleted.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    assert.equal((await ui.service.api.get(`/courses/${held.id}`)).status, 404);
  });

  it('Stop ends the action after the current call, and it can be continued', async () => {
    await make.accounts('Stopping 1', 'Stopping 2', 'Stopping 3');
    await using visit = await ui.visit('/accounts?search=Stopping');
    const { page } = visit;
    let deleted = 0;
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route(/\/accounts\/\d+$/, async (route) => {
      if (route.request().method() !== 'DELETE') return route.fallback();
      deleted += 1;
      if (deleted === 2) await held;
      await route.continue();
    });
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await page.keyboard.press('Enter');
    await dialog.getByText('1 of 3 deleted').waitFor();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    release();
    await dialog.getByText('Stopped: 2 deleted, 1 left.').waitFor();
    assert.equal((await accountsNamed('Stopping')).length, 1);
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('3 accounts deleted.').waitFor();
    assert.deepEqual(await accountsNamed('Stopping'), []);
  });

  it('cannot be closed while it runs, and says how far it got, with the failures, if its page is left', async () => {
    await make.accounts('Leaving 1', 'Leaving 2', 'Leaving 3');
    await using visit = await ui.visit('/accounts?search=Leaving');
    const { page } = visit;
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let calls = 0;
    await page.route(/\/accounts\/\d+$/, async (route) => {
      if (route.request().method() !== 'DELETE') return await route.fallback();
      calls += 1;
      if (calls === 1) return await route.fulfill({ status: 500, body: '{}' });
      begun.resolve();
      await held.promise;
      await route.fallback();
    });
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete 3 accounts?' });
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await page.keyboard.press('Enter');
    await begun.promise;
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await visit.settled();
    await dialog.getByText('0 of 3 deleted').waitFor();
    await page.evaluate(`void __TSR_ROUTER__.navigate({ href: '/content' })`);
    await page
      .getByRole('dialog', { name: 'Leave while this is running?' })
      .getByRole('button', { name: 'Leave' })
      .click();
    await page.getByRole('heading', { level: 1, name: 'Content' }).waitFor();
    held.resolve();
    await page
      .getByText(`Stopped: 1 deleted, 1 left. 1 account could not be deleted: ${isolate('Leaving 1')}`)
      .waitFor();
    assert.deepEqual(await accountsNamed('Leaving'), ['Leaving 1', 'Leaving 3']);
  });

  it('registrations, clients and webhooks are deleted from their lists; all pages can be selected', async () => {
    const { api } = ui.service;
    const [account = 0] = await make.accounts('Registrar');
    const course = await make.course('Registered course');
    await api.post(`/accounts/${account}/content`, { contents: [{ type: 'COURSE', id: course.id }] });
    for (let number = 0; number < 27; number++) {
      const learner_id = `bulk-${number}`;
      await api.create('/registrations', { account_id: account, course_id: course.id, learner_id });
    }
    // The search does not find it.
    await api.create('/registrations', { account_id: account, course_id: course.id, learner_id: 'kept' });
    for (const name of ['Bulk hook 1', 'Bulk hook 2']) {
      await api.create('/webhooks', { name, topic: 'COURSE', target_url: 'http://127.0.0.1:9/' });
    }
    await using visit = await ui.visit('/registrations?search=bulk-&size=25');
    const { page } = visit;
    const dialog = page.getByRole('dialog');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Select all 27' }).click();
    await page.getByText('27 selected').waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByText('and 19 more').waitFor();
    await dialog.getByText(/launch links stop working/).waitFor();
    await dialog.getByRole('button', { name: 'Delete 27 registrations' }).click();
    await page.getByText('27 registrations deleted.').waitFor();
    await page.locator('h1:focus').waitFor();
    const { body } = await api.get(`/registrations?account_id=${account}`);
    assert.deepEqual(
      body.data.map((each: { learner_id: string }) => each.learner_id),
      ['kept'],
    );

    await visit.go('/administration/integrations/webhooks?search=Bulk');
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByText('Nothing more is sent to their targets').waitFor();
    await dialog.getByRole('button', { name: 'Delete 2 webhooks' }).click();
    await page.getByText('2 webhooks deleted.').waitFor();
    await api.create('/webhooks', {
      name: 'Bulk hook 3',
      topic: 'COURSE',
      target_url: 'http://127.0.0.1:9/',
    });
    await api.create('/webhooks', {
      name: 'Bulk hook 4',
      topic: 'COURSE',
      target_url: 'http://127.0.0.1:9/',
    });
    await page.getByRole('button', { name: /^Actions for .*Bulk hook 4/ }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await dialog.getByRole('button', { name: 'Delete webhook' }).click();
    await page.getByRole('row', { name: /Bulk hook 4/ }).waitFor({ state: 'detached' });
    await page.locator('h1:focus').waitFor();
  });

  it('webhooks that are no longer visible are deleted only after their number is typed, since messages may have come', async () => {
    const { api } = ui.service;
    const webhook = { topic: 'ACCOUNT', target_url: 'http://127.0.0.1:9/', paused: true };
    const { id } = await api.create('/webhooks', { ...webhook, name: 'Unseen' });
    await api.create('/webhooks', { ...webhook, name: 'In its place' });
    await using visit = await ui.visit('/administration/integrations/webhooks?search=Unseen');
    const { page } = visit;
    await page.getByRole('checkbox', select('Unseen')).check();
    await page.getByRole('button', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete' });
    await dialog.getByText('Nothing more is sent').waitFor();
    assert.equal(await dialog.getByRole('textbox').count(), 0, 'nothing waits for a visible webhook');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await make.accounts('Sent while it is selected');
    await page
      .getByRole('row', { name: /Unseen/ })
      .getByRole('cell', { name: '1', exact: true })
      .waitFor();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog.getByLabel('Type 1 to confirm').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('In its place');
    await page.getByRole('checkbox', select('Unseen')).waitFor({ state: 'detached' });
    await make.accounts('Sent to it');
    await page.getByRole('button', { name: 'Delete…' }).click();
    await dialog
      .getByText('will be discarded: 1 when they were last shown, and any that have arrived since.')
      .waitFor();
    await dialog.getByRole('button', { name: 'Delete 1 webhook' }).click();
    await dialog.getByText('This is not the number of selected rows.').waitFor();
    await visit.assertAccessible();
    await dialog.getByLabel('Type 1 to confirm').fill('1');
    await page.keyboard.press('Enter');
    await page.getByText('1 webhook deleted.').waitFor();
    assert.equal((await api.get(`/webhooks/${id}`)).status, 404);
  });

  it('the headers of a table stay visible while the page scrolls', async () => {
    await make.accounts(...Array.from({ length: 40 }, (_, at) => `Tall ${at}`));
    await using visit = await ui.visit('/accounts?search=Tall');
    const { page } = visit;
    const head = page.getByRole('columnheader', { name: 'Created' });
    await page.getByRole('link', { name: 'Tall 39' }).scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 2_000);
    await until(
      async () => ((await head.boundingBox())?.y ?? -1) === 0,
      'the head is at the top of the window',
    );
    assert.ok(await page.evaluate(() => window.scrollY > 200));
  });

  for (const phone of [false, true]) {
    const where = phone ? 'on a phone' : 'on a desktop';

    it(`what gets the focus is not behind the headers, also backwards, ${where}`, async () => {
      const prefix = phone ? 'Card' : 'Line';
      await make.accounts(...Array.from({ length: 30 }, (_, at) => `${prefix} ${10 + at}`));
      await using visit = await ui.visit(`/accounts?search=${prefix}&sort=name`, { phone });
      const { page } = visit;
      await page.getByRole('link', { name: `${prefix} 20` }).evaluate((link) => {
        window.scrollBy(0, link.getBoundingClientRect().top - 8);
      });
      await page.getByRole('link', { name: `${prefix} 21` }).focus();
      for (let press = 0; press < 12; press++) {
        await page.keyboard.press('Shift+Tab');
        const { name, isHidden } = await page.evaluate(() => {
          const focused = document.activeElement!;
          const { left, top, width, height } = focused.getBoundingClientRect();
          const hits = [top + 1, top + height / 2].map((y) => document.elementFromPoint(left + width / 2, y));
          return {
            name: focused.ariaLabel ?? focused.textContent,
            isHidden: hits.some((hit) => !focused.contains(hit) && !hit?.closest('label')?.contains(focused)),
          };
        });
        assert.ok(!isHidden, `${name} is in sight`);
      }
    });

    it(`a click that narrowly misses a box ticks it instead of opening the row, ${where}`, async () => {
      const prefix = phone ? 'Tapped' : 'Clicked';
      const names = [1, 2, 3, 4].map((number) => `${prefix} ${number}`);
      await make.accounts(...names);
      await using visit = await ui.visit(`/accounts?search=${prefix}&sort=name`, { phone });
      const { page } = visit;
      const box = (at: number) => page.getByRole('checkbox', select(names[at] ?? ''));
      const clickBeside = async (at: number, right: number, down: number) => {
        // So that no bar covers it.
        await box(at).focus();
        const { x, y, width, height } = await boxOf(box(at));
        await page.mouse.click(x + width / 2 + right, y + height / 2 + down);
      };
      await clickBeside(0, 11, 0);
      await page.getByText('1 selected').waitFor();
      await clickBeside(2, 0, 11);
      await page.getByText('2 selected').waitFor();
      await clickBeside(2, -11, 0);
      await page.getByText('1 selected').waitFor();
      await page.keyboard.down('Shift');
      await clickBeside(3, 11, -11);
      await page.keyboard.up('Shift');
      await page.getByText('3 selected').waitFor();
      assert.equal(await box(1).isChecked(), false);
      assert.match(visit.address(), /^\/accounts\?search=/);
    });
  }

  it('a phone has room for the selection and the dialog', async () => {
    await make.accounts('Phone 1', 'Phone 2');
    await using visit = await ui.visit('/accounts?search=Phone', { phone: true });
    const { page } = visit;
    await page.getByRole('checkbox', select('Phone 1')).check();
    await page.getByRole('button', { name: 'Select all on this page' }).click();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog', { name: 'Delete 2 accounts?' }).waitFor();
    await visit.assertAccessible();
  });
});
