import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { UI_BUILD_FOLDER } from '../../../src/ui/ui-build.ts';
import { ContentMaker, type NamedAsset } from '../../content/account-content-helpers.ts';
import { ADMIN_EMAIL, createAdministrator, PASSWORD } from '../../support/administration.ts';
import { scorm12Package } from '../../support/course-packages.ts';
import { startTestService, type TestService, temporaryFolder, until } from '../../support/service.ts';
import { startTarget } from '../../support/target.ts';
import { answer } from '../../support/target-behaviours.ts';
import { coveredControls } from '../support/covered-controls.ts';
import { Person } from './person.ts';
import { startDisplay } from './programs.ts';
import type { Remote } from './remote.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const DEAD_LETTERS = '/administration/integrations/dead-letters';
const DESK = [1_280, 800] as const;
/** Below the width at which tables become cards; some browsers have no narrower window. */
const PHONE = [480, 800] as const;
const WAIT_MS = 90_000;
const DIALOG = '[role="dialog"]';
const BESIDE_TEXT = { css: 'td:nth-child(2)', aim: 'corner' } as const;

/** Follows the main paths through the admin UI, as a person with mouse and keyboard. */
export function walkMainWays(browser: string, start: (display: string) => Promise<Remote>): void {
  describe(`in ${browser}`, () => {
    const parts = new AsyncDisposableStack();
    let service: TestService;
    let person: Person;
    let make: ContentMaker;
    before(async () => {
      assert.ok(existsSync(UI_BUILD_FOLDER), 'the UI is not built: npm run build:ui');
      service = parts.use(await startTestService());
      await createAdministrator(service.settings.data_dir);
      make = new ContentMaker(service);
      const display = await startDisplay(parts);
      const remote = parts.use(await start(display));
      await remote.resize(...DESK);
      person = new Person(remote, service.url, display);
    });
    after(() => parts.disposeAsync());

    it('an administrator signs in', async () => {
      await person.open('/accounts');
      await person.fill('E-mail', ADMIN_EMAIL);
      await person.fill('Password', PASSWORD);
      await person.press('enter');
      await person.sees('No accounts yet');
      assert.equal(await person.address(), '/accounts');
    });

    it('an account is created, found, and opened through its row', async () => {
      await make.account('Contoso');
      await person.open('/accounts');
      await person.click({ name: 'Create account' });
      await person.fill('Name', 'Northwind', DIALOG);
      await person.press('enter');
      await person.arrives(/^\/accounts\/\d+$/);
      const there = await person.address();
      await person.open('/accounts');
      await person.fill('Search by name or id', 'north');
      await person.arrives('/accounts?search=north');
      await person.seesNoLonger('Contoso');
      await person.click({ ...BESIDE_TEXT, row: 'Northwind' });
      await person.arrives(there);
    });

    it('the menu of a row opens above the list', async () => {
      await person.open('/accounts');
      await person.click({ name: 'Actions for Contoso' });
      await person.click({ name: 'Rename', css: '[role="menuitem"]' });
      await person.click({ name: 'Cancel', within: DIALOG });
      await person.seesNoLonger('Cancel');
      assert.equal(await person.address(), '/accounts');
    });

    it('a webhook is created on one page, and switched off in its row', async () => {
      await person.open(WEBHOOKS);
      await person.click({ name: 'Create your first webhook' });
      await person.fill('Name', 'CRM');
      await person.fill('Target URL', 'https://crm.example.com/hook');
      await person.click({ name: 'Accounts', css: 'input[type=radio]' });
      await person.sees('All events of this topic');
      await person.click({ name: 'Choose accounts…' });
      await person.fill('Search accounts', 'conto');
      await person.click({ name: 'Contoso', css: 'input[type=checkbox]' });
      await person.click({ name: 'Add 1 item' });
      await person.sees('This focus excludes these events');
      await person.click({ name: 'Create webhook' });
      await person.arrives(/^\/administration\/integrations\/webhooks\/\d+$/);
      await person.open(WEBHOOKS);
      await person.click({ name: 'Active: CRM', css: 'input', row: 'CRM' });
      await person.click({ name: 'Deactivate', within: DIALOG });
      await person.sees('CRM is inactive');
      assert.equal(await person.address(), WEBHOOKS);
    });

    it('a course is uploaded, and dragged to a folder', async () => {
      const folder = await make.folder('Safety');
      using files = temporaryFolder();
      const file = path.join(files.path, 'ladders.zip');
      writeFileSync(file, await scorm12Package({ title: 'Ladders' }));
      await person.open('/content');
      await person.sees('Upload courses');
      await person.remote.chooseFile('input[type=file]', file);
      await person.sees('Ladders');
      await person.drag(
        { css: 'td:nth-child(3)', row: 'Ladders' },
        { css: '[role="treeitem"]', name: 'Safety' },
      );
      await person.sees('Undo');
      const { body } = await service.api.get('/courses');
      assert.deepEqual(
        body.data.map(({ name, folder_id }: { name: string; folder_id: number }) => [name, folder_id]),
        [['Ladders', folder]],
      );
    });

    it('the contents of a bundle are reordered by dragging', async () => {
      const contents: NamedAsset[] = [];
      for (const name of ['First', 'Second', 'Third']) contents.push(await make.course(name));
      const { id } = await make.bundle('Week', contents);
      await person.open(`/content/bundles/${id}`);
      await person.drag({ css: '[draggable]', row: 'Third' }, { css: 'li', within: 'ol', name: 'First' });
      await person.click({ name: 'Save changes' });
      await person.sees('Saved.');
      const { body } = await service.api.get(`/bundles/${id}`);
      assert.deepEqual(
        body.contents.map(({ name }: { name: string }) => name),
        ['Third', 'First', 'Second'],
      );
    });

    it('a learner is registered, and the dialog closes with each choice', async () => {
      const account = await make.account('Fabrikam');
      await make.add(account, await make.course('Forklifts'));
      await person.open('/registrations?new=yes');
      await person.click({ name: 'Account:', css: 'button' });
      await person.fill('Search accounts', 'fabri');
      await person.click({ name: 'Fabrikam', css: 'li button' });
      await person.click({ name: 'Course or equivalent:', css: 'button' });
      await person.fill('Search content', 'fork');
      await person.click({ name: 'Forklifts', css: 'li button' });
      await person.fill('Learner id', 'ada', DIALOG);
      await person.click({ name: 'Register', within: DIALOG });
      await person.arrives(/^\/registrations\/[^?]+$/);
      await person.sees('ada');
    });

    it('dead letters are redelivered, one from its row and then all', async () => {
      await using target = await startTarget();
      target.respondWith(answer(410, { statusText: 'Gone' }));
      const webhook = { name: 'Gone', topic: 'ACCOUNT', target_url: target.url, max_attempts: 1 };
      await service.api.create('/webhooks', webhook);
      for (const name of ['One', 'Two']) await make.account(name);
      const left = async () => (await service.api.get('/ui/api/dead-letters')).body.total;
      await until(async () => (await left()) === 2, 'both are dead letters', WAIT_MS);
      target.respondWith(answer(200));
      await person.open(DEAD_LETTERS);
      await person.click({ name: 'Redeliver:', row: 'Gone' });
      await until(async () => (await left()) === 1, 'one is redelivered', WAIT_MS);
      await person.click({ name: 'Redeliver all…' });
      await person.click({ name: 'Redeliver all', within: DIALOG });
      await until(async () => (await left()) === 0, 'all are redelivered', WAIT_MS);
      await person.sees('No dead letters');
    });

    it('no control of a list or the dashboard is covered, on a desktop and on a phone', async () => {
      for (const [width, height] of [DESK, PHONE]) {
        await person.remote.resize(width, height);
        for (const [address, shown] of [
          ['/', 'Last hour'],
          [WEBHOOKS, 'CRM'],
          ['/administration/integrations/clients', 'tests'],
          ['/administration/administrators', 'Ann'],
          ['/accounts', 'Northwind'],
          ['/registrations', 'Fabrikam'],
          ['/content', 'Forklifts'],
          ['/content?kind=bundles', 'Week'],
          ['/profile', 'Where you are signed in'],
        ] as const) {
          await person.open(address);
          await person.sees(shown);
          const { looked, covered } = await person.call(coveredControls);
          assert.ok(looked > 1, `${address} has controls: ${looked}`);
          assert.deepEqual(covered, [], `${address}, ${width} px wide`);
        }
      }
    });

    it('a card on a phone opens its page', async () => {
      await person.remote.resize(...PHONE);
      await person.open('/accounts');
      await person.click({ css: 'dt', name: 'Content', row: 'Fabrikam' });
      await person.arrives(/^\/accounts\/\d+$/);
      await person.sees('Forklifts');
    });

    // This test is the last one, because the new tab covers this window.
    it('a middle click opens a row in a new tab', async () => {
      await person.remote.resize(...DESK);
      await person.open('/accounts');
      const windows = await person.remote.countWindows();
      await person.middleClick({ ...BESIDE_TEXT, row: 'Contoso' });
      await until(async () => (await person.remote.countWindows()) === windows + 1, 'it opened', WAIT_MS);
      assert.equal(await person.address(), '/accounts');
    });
  });
}
