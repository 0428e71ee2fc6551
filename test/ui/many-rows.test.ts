import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { aroundTests } from '../support/around-tests.ts';
import { openDatabaseOf } from '../support/database.ts';
import { nameOfMany, seedMany } from '../support/many-rows.ts';
import { startUi, type Ui } from './support/ui.ts';
import type { Visit } from './support/visit.ts';

const COUNT = 10_000;
const PAGE_SIZE = 50;
const LAST_PAGE = COUNT / PAGE_SIZE;
/** The limit of one response of the service to the page. */
const MAX_ANSWER_BYTES = 32 * 1_024;
/** The limit for a page with a list of 50 rows: no other part of it grows with the amount of data. */
const MAX_ELEMENTS = 4_000;

const INTEGRATIONS = '/administration/integrations';

/** A list: its first order, another order, a filter, and how many rows match. */
interface List {
  address: string;
  noun: string;
  sortBy: string;
  /** The numbers of the first row once it is sorted so, by each of two clicks. */
  sorted: readonly [number, number];
  filter: string;
  option: string;
  fits: string;
}

const LISTS: Record<string, List> = {
  webhooks: {
    // By default, webhooks in error are first.
    address: `${INTEGRATIONS}/webhooks?sort=name`,
    noun: 'Webhook',
    sortBy: 'Successes',
    sorted: [COUNT, 1],
    filter: 'State',
    option: 'In error',
    fits: '1,000',
  },
  'courses of a folder': {
    address: '/content',
    noun: 'Course',
    sortBy: 'Updated',
    sorted: [COUNT, 1],
    filter: 'Standard',
    option: 'SCORM 1.1',
    fits: '2,500',
  },
  accounts: {
    address: '/accounts',
    noun: 'Account',
    sortBy: 'Created',
    sorted: [COUNT, 1],
    filter: 'State',
    option: 'Inactive',
    fits: '2,500',
  },
};

/** Records the size of every response of the service to the page. The returned function fails if one was too large. */
function watchAnswers(page: Page): () => Promise<void> {
  const sizes: Promise<[url: string, bytes: number]>[] = [];
  page.on('response', (response) => {
    if (!response.url().includes('/ui/api/')) return;
    const size = response.body().then(
      (body) => body.length,
      () => 0,
    );
    sizes.push(size.then((bytes) => [response.url(), bytes]));
  });
  return async () => {
    const all = await Promise.all(sizes);
    assert.ok(
      all.some(([, bytes]) => bytes > 0),
      'answers were seen',
    );
    const large = all.filter(([, bytes]) => bytes > MAX_ANSWER_BYTES);
    assert.deepEqual(large, [], `answers of more than ${MAX_ANSWER_BYTES} bytes`);
  };
}

async function assertElements({ page }: Visit, rows: number): Promise<void> {
  assert.equal(await page.locator('tbody tr').count(), rows);
  const elements = await page.locator('*').count();
  assert.ok(elements < MAX_ELEMENTS, `${elements} elements`);
}

const range = (page: Page, words: string) => page.getByText(words, { exact: true }).waitFor();
const rowAt = (page: Page, at: number, text: string) =>
  page.locator('tbody tr').nth(at).getByText(text).first().waitFor();
const goToPage = (page: Page, number: number) =>
  page
    .getByRole('navigation', { name: 'Pages' })
    .getByRole('button', { name: `Page ${number}`, exact: true })
    .click();

describe(`with ${COUNT} webhooks, courses, accounts, API clients and dead letters`, () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    await using database = await openDatabaseOf(ui.service.settings.data_dir);
    await seedMany(database, COUNT);
  });

  it('folders show their counts with separators of thousands', async () => {
    await using visit = await ui.visit('/content');
    const home = visit.page.getByRole('treeitem').first();
    await home.getByText('10,000 courses').waitFor();
  });

  for (const [name, list] of Object.entries(LISTS)) {
    it(`${name} are read page by page, searched, ordered and filtered by the service`, async () => {
      await using visit = await ui.visit('/profile');
      const { page } = visit;
      const assertAnswers = watchAnswers(page);
      await visit.go(list.address);
      await range(page, '1–50 of 10,000');
      await rowAt(page, 0, nameOfMany(list.noun, 1));
      await assertElements(visit, PAGE_SIZE);

      await goToPage(page, LAST_PAGE);
      await range(page, '9,951–10,000 of 10,000');
      await visit.arrived(`${list.address}${list.address.includes('?') ? '&' : '?'}page=${LAST_PAGE}`);
      // Names with an umlaut are last.
      await rowAt(page, PAGE_SIZE - 1, nameOfMany(list.noun, COUNT));
      await assertElements(visit, PAGE_SIZE);

      await page.getByRole('searchbox').fill('ÄRZTE');
      await range(page, '1–50 of 100');
      await rowAt(page, 0, nameOfMany(list.noun, 100));
      await page.getByRole('searchbox').fill(' 04242');
      await range(page, '1–1 of 1');
      await rowAt(page, 0, nameOfMany(list.noun, 4_242));
      await page.getByRole('button', { name: 'Clear search' }).click();

      for (const first of list.sorted) {
        await page.getByRole('button', { name: list.sortBy, exact: true }).click();
        await rowAt(page, 0, nameOfMany(list.noun, first));
        await range(page, '1–50 of 10,000');
      }
      await page.getByRole('combobox', { name: list.filter }).click();
      await page.getByRole('option', { name: list.option, exact: true }).click();
      await range(page, `1–50 of ${list.fits}`);
      await assertElements(visit, PAGE_SIZE);
      await assertAnswers();
    });
  }

  it('an API client is found among all others', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    const assertAnswers = watchAnswers(page);
    await visit.go(`${INTEGRATIONS}/clients`);
    // The client of the tests is one of them.
    await range(page, '1–50 of 10,001');
    await assertElements(visit, PAGE_SIZE);
    await page.getByRole('searchbox').fill('ärzte-client 05');
    await range(page, '1–10 of 10');
    await rowAt(page, 0, nameOfMany('Client', 5_000));
    await assertAnswers();
  });

  it('dead letters are shown newest first, to the last page, and found by their webhook', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    const assertAnswers = watchAnswers(page);
    await visit.go(`${INTEGRATIONS}/dead-letters`);
    await range(page, '1–50 of 10,000');
    await rowAt(page, 0, nameOfMany('Webhook', COUNT));
    await assertElements(visit, PAGE_SIZE);
    await goToPage(page, LAST_PAGE);
    await range(page, '9,951–10,000 of 10,000');
    await rowAt(page, PAGE_SIZE - 1, nameOfMany('Webhook', 1));
    await page.getByRole('searchbox').fill('webhook 04242');
    await range(page, '1–1 of 1');
    await rowAt(page, 0, nameOfMany('Webhook', 4_242));
    await assertAnswers();
  });

  it('the dashboard counts all and shows few', async () => {
    await using visit = await ui.visit('/profile');
    const { page } = visit;
    const assertAnswers = watchAnswers(page);
    await visit.go('/');
    await page.getByText('10,000').first().waitFor();
    await page.waitForLoadState('networkidle');
    const elements = await page.locator('*').count();
    assert.ok(elements < MAX_ELEMENTS, `${elements} elements`);
    await assertAnswers();
  });

  it('a phone shows no more at once', async () => {
    await using visit = await ui.visit(`${INTEGRATIONS}/webhooks`, { phone: true });
    const { page } = visit;
    await range(page, '1–50 of 10,000');
    const elements = await page.locator('*').count();
    assert.ok(elements < MAX_ELEMENTS, `${elements} elements`);
    await visit.assertNoSidewaysScrolling();
  });
});
