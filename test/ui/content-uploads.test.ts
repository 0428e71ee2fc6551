import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { scormPackage, uploadForm } from '../content/packages.ts';
import { PASSWORD } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import {
  SCORM_12,
  scorm12Package,
  scorm2004Package,
  scormManifest,
  zipOf,
} from '../support/course-packages.ts';
import { HOSTILE } from './support/hostile-name.ts';
import { startUi, type Ui } from './support/ui.ts';

const MAX_PACKAGE_BYTES = 200_000;

interface Package {
  name: string;
  buffer: Buffer;
}

describe('uploads', () => {
  let ui: Ui;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: { max_package_size: MAX_PACKAGE_BYTES } }));
    make = new ContentMaker(ui.service);
  });

  const dock = (page: Page) => page.getByRole('region', { name: 'Uploads' });
  const row = (page: Page, name: string) => dock(page).getByRole('listitem').filter({ hasText: name });
  const coursesIn = async (folderId: number) =>
    (await ui.service.api.get(`/ui/api/courses?folder_id=${folderId}`)).body.data;

  async function choose(page: Page, files: Package[], button = 'Upload courses'): Promise<void> {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: button }).first().click(),
    ]);
    await chooser.setFiles(files.map((file) => ({ ...file, mimeType: 'application/zip' })));
  }

  /** Delays the responses to uploads. The returned function releases them. */
  async function holdUploads(page: Page, path = '**/courses'): Promise<() => void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route(path, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await promise;
      await route.continue().catch(() => undefined);
    });
    // The route stays: if it were removed during a request, that request would never get a response.
    return resolve;
  }

  it('accept many packages at once, show the result of each, and are accessible', async () => {
    const folderId = await make.folder('Many');
    await using visit = await ui.visit(`/content?folder=${folderId}`);
    const { page } = visit;
    const warned = await zipOf({
      'imsmanifest.xml': scormManifest({ ...SCORM_12, version: null }, { title: 'Odd' }),
      'index.html': '<p>Hello</p>',
    });
    await choose(page, [
      { name: 'good.zip', buffer: await scorm12Package({ title: 'Good one' }) },
      { name: `${HOSTILE.replaceAll(/[<>=]/g, '')}.zip`, buffer: await scorm12Package({ title: HOSTILE }) },
      { name: 'empty.zip', buffer: await zipOf({ 'readme.txt': 'no course' }) },
      { name: 'damaged.zip', buffer: Buffer.from('PK nothing') },
      { name: 'odd.zip', buffer: warned },
    ]);
    await dock(page).getByText('3 finished, 2 failed').waitFor();
    await row(page, 'good.zip').getByText('Imported').waitFor();
    await row(page, 'empty.zip').getByText('The zip contains no course').waitFor();
    await row(page, 'damaged.zip')
      .getByText(/may be damaged, incomplete, or another kind of file\.$/)
      .waitFor();
    const warnings = row(page, 'odd.zip').getByText(/^Imported with \d+ warnings?$/);
    await warnings.click();
    assert.equal(
      await row(page, 'damaged.zip')
        .getByRole('button', { name: /^Retry/ })
        .count(),
      0,
      'refused',
    );
    await page.getByRole('row').getByText(HOSTILE).waitFor();
    assert.notEqual(await page.title(), '1');
    assert.equal((await coursesIn(folderId)).length, 3);
    await visit.assertAccessible();
    await row(page, 'good.zip').getByRole('link', { name: 'Good one' }).click();
    await page.getByRole('heading', { name: 'Good one', level: 1 }).waitFor();
    await dock(page).getByRole('button', { name: 'Close' }).click();
    await dock(page).waitFor({ state: 'detached' });
  });

  it('accept packages that are dropped on the page or a folder, and reject other files', async () => {
    const folderId = await make.folder('Dropped');
    await using visit = await ui.visit('/content');
    const { page } = visit;
    const bytes = (await scorm12Package({ title: 'Dropped course' })).toString('base64');
    const drop = async (selector: string, names: string[]) => {
      const transfer = await page.evaluateHandle(`(() => {
        const data = new DataTransfer();
        const content = Uint8Array.from(atob('${bytes}'), (letter) => letter.charCodeAt(0));
        for (const name of ${JSON.stringify(names)})
          data.items.add(new File([name.endsWith('.zip') ? content : 'text'], name));
        return data;
      })()`);
      for (const type of ['dragenter', 'dragover', 'drop'])
        await page.dispatchEvent(selector, type, { dataTransfer: transfer });
    };
    await page.getByRole('treeitem', { name: /^Dropped ?,/ }).waitFor();
    await drop('[role=treeitem][title=Dropped]', ['course.zip', 'notes.pdf', 'film.mp4']);
    await page.getByText(/notes\.pdf, film\.mp4.*: course packages must be zip files/).waitFor();
    await row(page, 'course.zip').getByText('Imported').waitFor();
    assert.equal((await coursesIn(folderId)).length, 1);
    await drop('[role=tablist]', ['again.zip']);
    await row(page, 'again.zip').getByText('Imported').waitFor();
    assert.equal((await coursesIn(1)).length, 1);
  });

  it('show progress, and can be cancelled and retried', async () => {
    const folderId = await make.folder('Interrupted');
    await using visit = await ui.visit(`/content?folder=${folderId}`);
    const { page } = visit;
    const release = await holdUploads(page);
    const buffer = await scorm12Package({ title: 'Slow' });
    await choose(page, [
      { name: 'first.zip', buffer },
      { name: 'second.zip', buffer },
      { name: 'third.zip', buffer },
    ]);
    await dock(page).getByText('Uploading 0 of 3').waitFor();
    await row(page, 'third.zip').getByText('Waiting').waitFor();
    await row(page, 'first.zip')
      .getByRole('button', { name: /^Cancel/ })
      .click();
    await row(page, 'first.zip').getByText('Cancelled').waitFor();
    await row(page, 'third.zip').getByText('Waiting').waitFor({ state: 'detached' });
    release();
    await dock(page).getByText('2 uploads finished').waitFor();
    assert.equal((await coursesIn(folderId)).length, 2);
    await row(page, 'first.zip')
      .getByRole('button', { name: /^Retry/ })
      .click();
    await row(page, 'first.zip').getByText('Imported').waitFor();
    assert.equal((await coursesIn(folderId)).length, 3);
  });

  it('that were interrupted are retried without creating duplicates', async () => {
    const folderId = await make.folder('Broken');
    await using visit = await ui.visit(`/content?folder=${folderId}`);
    const { page } = visit;
    // The service imports it, and its response is lost.
    await page.route('**/courses', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort('connectionreset');
    });
    await choose(page, [{ name: 'lost.zip', buffer: await scorm12Package({ title: 'Lost' }) }]);
    await row(page, 'lost.zip').getByText('The connection was lost').waitFor();
    await page.unroute('**/courses');
    await row(page, 'lost.zip')
      .getByRole('button', { name: /^Retry/ })
      .click();
    await row(page, 'lost.zip').getByText('Imported').waitFor();
    assert.equal((await coursesIn(folderId)).length, 1);
  });

  it('explain if they are too large, their folder was deleted, or the session has ended', async () => {
    const folderId = await make.folder('Vanishing');
    await using visit = await ui.visit(`/content?folder=${folderId}`);
    const { page } = visit;
    await choose(page, [{ name: 'large.zip', buffer: Buffer.alloc(2 * MAX_PACKAGE_BYTES, 'PK') }]);
    await row(page, 'large.zip')
      .getByText(/larger than the 195 KB/)
      .waitFor();
    await ui.service.api.delete(`/folders/${folderId}`);
    const buffer = await scorm12Package();
    await choose(page, [{ name: 'homeless.zip', buffer }]);
    await row(page, 'homeless.zip').getByText('The folder no longer exists').waitFor();
    await visit.go('/content');
    await page.getByRole('button', { name: 'Upload courses' }).first().waitFor();
    await page.context().clearCookies();
    await choose(page, [{ name: 'late.zip', buffer }]);
    await row(page, 'late.zip').getByText('Your session has ended.').waitFor();
    await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('dialog').getByRole('button', { name: 'Sign in' }).click();
    await row(page, 'late.zip')
      .getByRole('button', { name: /^Retry/ })
      .click();
    await row(page, 'late.zip').getByText('Imported').waitFor();
  });

  it('ask before the page is left, and continue while other content is viewed', async () => {
    const folderId = await make.folder('Left');
    await using visit = await ui.visit(`/content?folder=${folderId}`);
    const { page } = visit;
    const release = await holdUploads(page);
    await choose(page, [{ name: 'left.zip', buffer: await scorm12Package({ title: 'Left' }) }]);
    await dock(page).getByText('Uploading 0 of 1').waitFor();
    await page.getByRole('treeitem', { name: /^Home/ }).click();
    await visit.arrived('/content');
    await dock(page).getByText('Uploading 0 of 1').waitFor();
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByText('An upload is not finished.').waitFor();
    await visit.assertAccessible();
    await page.getByRole('button', { name: 'Stay' }).click();
    await visit.arrived('/content');
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByRole('button', { name: 'Cancel uploads and leave' }).click();
    await visit.arrived('/accounts');
    release();
    assert.equal((await coursesIn(folderId)).length, 0);
  });

  it('that end while leaving is in question cancel nothing, and the page is left as requested', async () => {
    const folderId = await make.folder('Ended in time');
    await using visit = await ui.visit(`/content?folder=${folderId}`);
    const { page } = visit;
    // One that has failed before is not among them.
    await choose(page, [{ name: 'damaged.zip', buffer: Buffer.from('PK nothing') }]);
    await dock(page).getByText('1 failed').waitFor();
    const release = await holdUploads(page);
    await choose(page, [{ name: 'ended.zip', buffer: await scorm12Package({ title: 'Ended' }) }]);
    await dock(page).getByText('Uploading 1 of 2').waitFor();
    await page.getByRole('link', { name: 'Accounts' }).click();
    await page.getByText('An upload is not finished.').waitFor();
    release();
    await page.getByRole('heading', { level: 1, name: 'Accounts' }).waitFor();
    await visit.arrived('/accounts');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal((await coursesIn(folderId)).length, 1);
  });

  it('of a new version can be published after showing the changes, and reverted', async () => {
    const { id } = await make.course('Versioned');
    await using visit = await ui.visit(`/content/courses/${id}`);
    const { page } = visit;
    await page.getByRole('heading', { name: 'Versioned', level: 1 }).waitFor();
    const next = await scorm2004Package({ title: HOSTILE });
    await choose(page, [{ name: 'next.zip', buffer: next }], 'Upload new version');
    await row(page, 'next.zip').getByText('Version 1, not published yet').waitFor();
    await page.getByText(HOSTILE).waitFor();
    assert.equal((await ui.service.api.get(`/courses/${id}`)).body.published_version_id, 0);
    await page.getByRole('button', { name: 'Publish version 1' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('get version 1 instead of version 0').waitFor();
    await dialog.getByText('The standard changes: SCORM 1.2 → SCORM 2004 4th Ed.', { exact: true }).waitFor();
    await visit.assertAccessible();
    await dialog.getByRole('button', { name: 'Publish version 1' }).click();
    await page.getByText('Version 1 is published.').waitFor();
    await page.getByRole('button', { name: 'Publish version 0' }).click();
    await dialog.getByText('This version is older than the published one.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await ui.service.api.get(`/courses/${id}`)).body.published_version_id, 1);
  });

  it('of a version are not published over one that someone else has just published', async () => {
    const { id } = await make.course('Contested');
    await using visit = await ui.visit(`/content/courses/${id}`);
    const { page } = visit;
    await choose(page, [{ name: 'two.zip', buffer: await scorm12Package() }], 'Upload new version');
    await page.getByRole('button', { name: 'Publish version 1' }).click();
    await ui.service.api.put(`/courses/${id}`, { name: 'Contested, renamed', folder_id: 1 });
    await page.getByRole('dialog').getByRole('button', { name: 'Publish version 1' }).click();
    await page.getByText('Someone else changed this in the meantime').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish version 1' }).click();
    await page.getByText('Version 1 is published.').waitFor();
  });

  it('of one course are not published from the dialog of another one, which Back closes', async () => {
    const courses = [];
    for (const name of ['First of two', 'Second of two']) {
      const { id } = await make.course(name);
      await ui.service.api.create(`/courses/${id}/versions`, uploadForm(await scormPackage()));
      courses.push({ id, name });
    }
    const [first, second] = courses as [(typeof courses)[0], (typeof courses)[0]];
    await using visit = await ui.visit(`/content/courses/${first.id}`);
    const { page } = visit;
    await page.getByRole('heading', { name: first.name, level: 1 }).waitFor();
    await visit.go(`/content/courses/${second.id}`);
    await page.getByRole('heading', { name: second.name, level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Publish version 1' }).click();
    await page.getByRole('dialog').getByText('get version 1 instead of version 0').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: first.name, level: 1, includeHidden: true }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('leave courses that can be renamed and moved, and deleted only if nothing uses them', async () => {
    const folderId = await make.folder('Elsewhere');
    const course = await make.course('Used');
    const bundle = await make.bundle('Its bundle', [course]);
    await using visit = await ui.visit(`/content/courses/${course.id}`);
    const { page } = visit;
    const act = async (action: string) => {
      await page.getByRole('button', { name: 'Course actions' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await visit.assertAccessible();
    await act('Rename…');
    await page.getByRole('textbox', { name: 'Name' }).fill('Still used');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('heading', { name: 'Still used', level: 1 }).waitFor();
    await act('Move…');
    await page
      .getByRole('dialog')
      .getByRole('treeitem', { name: /^Elsewhere/ })
      .click();
    await page.getByRole('button', { name: 'Move here' }).click();
    await page.getByRole('navigation', { name: 'Folder path' }).getByText('Elsewhere').waitFor();
    await act('Delete…');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/cannot be deleted yet/).waitFor();
    await dialog.getByRole('link', { name: 'Its bundle' }).waitFor();
    await ui.service.api.delete(`/bundles/${bundle.id}`);
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await act('Delete…');
    await dialog.getByRole('button', { name: 'Delete course' }).click();
    await visit.arrived(`/content?folder=${folderId}`);
    await page.goto(`${ui.service.url}/ui/content/courses/${course.id}`);
    await page.getByText('This no longer exists').waitFor();
  });
});
