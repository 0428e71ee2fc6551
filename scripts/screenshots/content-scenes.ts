import type { Page } from 'playwright-core';
import { cmi5Package, scorm12Package, zipOf } from '../../test/support/course-packages.ts';
import type { Scene } from './scene.ts';

const CONTENT = '/content';

/** The id of a folder or a course, by name. */
const folder =
  (name: string, rest = ''): Scene['address'] =>
  ({ data }) =>
    `${CONTENT}?folder=${data?.folders.get(name)}${rest}`;
const course =
  (name: string): Scene['address'] =>
  ({ data }) =>
    `${CONTENT}/courses/${data?.courses.get(name)}`;

async function choose(page: Page, button: string, files: { name: string; buffer: Buffer }[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: button }).first().click(),
  ]);
  await chooser.setFiles(files.map((file) => ({ ...file, mimeType: 'application/zip' })));
}

async function asFailing(page: Page): Promise<void> {
  await page.route('**/ui/api/courses*', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.reload({ waitUntil: 'networkidle' });
}

/** Folders, courses, uploads, equivalents and bundles. */
export const CONTENT_SCENES: readonly Scene[] = [
  { name: 'content', address: `${CONTENT}?below=yes` },
  { name: 'content-home', address: CONTENT },
  { name: 'content-folder', address: folder('Fire') },
  { name: 'content-search', address: `${CONTENT}?search=fire` },
  { name: 'content-empty-folder', address: folder('Machines', '&kind=bundles') },
  { name: 'content-viewer', address: folder('Fire'), as: 'viewer' },
  { name: 'content-failing', address: CONTENT, act: asFailing },
  { name: 'content-folder-gone', address: `${CONTENT}?folder=4711` },
  {
    name: 'content-tree-phone',
    address: folder('Fire'),
    act: async (page, phone) => {
      if (phone) await page.getByRole('button', { name: 'Choose folder' }).click();
      await page.getByRole('tree').focus();
    },
  },
  {
    name: 'content-selected',
    address: folder('Fire'),
    act: async (page) => {
      await page.getByRole('checkbox', { name: /Fire extinguishers/ }).check();
    },
  },
  {
    name: 'content-move',
    address: folder('Fire'),
    act: async (page) => {
      await page.getByRole('checkbox', { name: /Fire extinguishers/ }).check();
      await page.getByRole('checkbox', { name: /Brandschutz/ }).check();
      await page.getByRole('button', { name: 'Move…' }).click();
      await page
        .getByRole('dialog')
        .getByRole('treeitem', { name: /^Machines/ })
        .click();
    },
  },
  {
    name: 'content-delete-folder',
    address: folder('Safety'),
    act: async (page) => {
      await page.getByRole('button', { name: /^Actions for folder/ }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await page.getByText('cannot be deleted yet').waitFor();
    },
  },
  {
    name: 'content-uploads',
    address: folder('Onboarding'),
    act: async (page) => {
      await choose(page, 'Upload courses', [
        { name: 'how-we-work.zip', buffer: await scorm12Package({ title: 'How we work' }) },
        {
          name: 'house-rules.zip',
          buffer: await zipOf({ 'index.html': '<p>No manifest</p>' }),
        },
        { name: 'holiday-video.zip', buffer: Buffer.from('not a zip at all') },
        { name: 'expenses-cmi5.zip', buffer: await cmi5Package({ title: 'Expenses' }) },
      ]);
      await page.getByText('2 finished, 2 failed').waitFor();
    },
  },
  { name: 'course', address: course('Fire extinguishers') },
  {
    name: 'course-add-to-accounts',
    address: course('Fire extinguishers'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Add to accounts…' }).click();
      await page
        .getByRole('checkbox', { name: /Account/ })
        .first()
        .waitFor();
    },
  },
  {
    name: 'course-publish',
    address: course('Forklift basics'),
    act: async (page) => {
      const publish = page.getByRole('button', { name: /^Publish version/ });
      if ((await publish.count()) === 0) {
        const buffer = await scorm12Package({ title: 'Forklift basics, second edition' });
        await choose(page, 'Upload new version', [{ name: 'forklift-2.zip', buffer }]);
      }
      await publish.first().click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'course-delete',
    address: course('Fire extinguishers'),
    act: async (page) => {
      await page.getByRole('button', { name: 'Course actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete…' }).click();
      await page.getByText('cannot be deleted yet').waitFor();
    },
  },
  { name: 'course-gone', address: `${CONTENT}/courses/4711` },
  { name: 'equivalents', address: folder('Fire', '&kind=equivalents') },
  { name: 'equivalent', address: `${CONTENT}/equivalents/1` },
  {
    name: 'equivalent-wrong',
    address: `${CONTENT}/equivalents/new`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Add courses' }).click();
      await page.getByRole('checkbox', { name: /Anti-bribery/ }).check();
      await page.getByRole('checkbox', { name: /Brandschutz/ }).check();
      await page.getByRole('button', { name: 'Add 2' }).click();
      await page.getByRole('button', { name: 'Create' }).click();
    },
  },
  { name: 'bundle', address: `${CONTENT}/bundles/1` },
  {
    name: 'bundle-add',
    address: `${CONTENT}/bundles/1`,
    act: async (page) => {
      await page.getByRole('button', { name: 'Add contents' }).click();
      await page.getByRole('checkbox', { name: /Fire extinguishers/ }).check();
    },
  },
];
