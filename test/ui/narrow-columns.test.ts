import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { scormPackage, uploadForm } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { boxOf, wordsOf } from './support/boxes.ts';
import { choiceDialog, fieldOf } from './support/choosing.ts';
import { startUi, type Ui } from './support/ui.ts';

const WEBHOOKS = '/administration/integrations/webhooks';
const EVENTS = '/administration/integrations/events';
const ARABIC = 'شركة النقل';
const LONG = 'Everything about forklifts, ladders, extinguishers and first aid that one has to know at work';
const UNBROKEN = 'extinguishers'.repeat(8);

/** The first word of an element that is broken across two lines. */
const brokenWord = async (locator: Locator) => {
  await wordsOf(locator);
  return await locator.evaluate((element) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode as Text;
      for (const { 0: word, index } of text.data.matchAll(/\S+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size > 1) return word;
      }
    }
    return null;
  });
};

describe('narrow columns and cards', () => {
  let ui: Ui;
  aroundTests(async (parts) => {
    ui = parts.use(await startUi());
    const { api } = ui.service;
    const make = new ContentMaker(ui.service);
    for (const [name, topic] of [
      ['Learning record store', 'REGISTRATION'],
      [UNBROKEN, 'ACCOUNT_CONTENT'],
    ]) {
      const target_url = 'https://learning-records.example.com/a/long/path/of/the/target';
      await api.create('/webhooks', { name, topic, target_url, enabled: false });
    }
    await make.account('Short name');
    const course = await make.course('Fire extinguishers');
    await api.post(`/courses/${course.id}/versions`, uploadForm(await scormPackage()));
    for (const name of [ARABIC, LONG, UNBROKEN]) {
      const account = await make.account(name);
      await make.add(account, course);
      await api.create('/registrations', {
        account_id: account,
        course_id: course.id,
        learner_id: 'katherine.johnson',
      });
    }
  });

  it('never break a topic or a course inside a word at desktop width', async () => {
    await using visit = await ui.visit(WEBHOOKS);
    const { page } = visit;
    for (const text of ['Registrations', 'Account content']) {
      assert.equal(await brokenWord(page.getByRole('cell').getByText(text, { exact: true })), null);
    }
    await visit.go('/content');
    assert.equal(await brokenWord(page.getByRole('link', { name: 'Fire extinguishers' })), null);
    await visit.go('/registrations');
    for (const text of ['katherine.johnson', 'Fire extinguishers']) {
      assert.equal(await brokenWord(page.getByRole('cell').getByText(text, { exact: true }).first()), null);
    }
  });

  for (const width of [769, 834, 1_024, 1_100, 1_280]) {
    it(`keep words whole and names in sight at ${width} px`, async () => {
      await using visit = await ui.visit(EVENTS);
      const { page } = visit;
      await page.setViewportSize({ width, height: 800 });
      for (const [address, list, texts] of [
        [EVENTS, 'Events', ['Account created', 'Short name']],
        ['/registrations', 'Registrations', ['katherine.johnson', 'Fire extinguishers']],
        [WEBHOOKS, 'Webhooks', ['Learning record store', 'Registrations']],
        ['/accounts', 'Accounts', ['Short name']],
      ] as const) {
        await visit.go(address);
        const rows = page.getByRole('table', { name: list }).or(page.getByRole('list', { name: list }));
        for (const text of texts) {
          const words = rows.getByText(text, { exact: true }).first();
          assert.equal(await brokenWord(words), null, `${text} in ${list}`);
          const { x, width: length } = await wordsOf(words);
          assert.ok(x >= 0 && x + length <= width, `${text} in ${list} is in the window`);
        }
        const scrolls = await rows.evaluate((each) => {
          const { scrollWidth, clientWidth } = each.parentElement!;
          return scrollWidth > clientWidth;
        });
        assert.ok(!scrolls, `${list} fits its place`);
        await visit.assertNoSidewaysScrolling();
      }
    });
  }

  it('show a registration without breaking words or scrolling sideways in small and middle windows', async () => {
    const { data } = (await ui.service.api.get('/ui/api/registrations?search=katherine')).body;
    await using visit = await ui.visit(`/registrations/${data[0].registration_id}`);
    const { page } = visit;
    for (const width of [320, 834, 1_024, 1_100]) {
      await page.setViewportSize({ width, height: 800 });
      await visit.settled();
      for (const text of ['katherine.johnson', 'Fire extinguishers']) {
        const fact = page.getByRole('definition').getByText(text, { exact: true });
        assert.equal(await brokenWord(fact), null, `${text} at ${width} px`);
      }
      await visit.assertNoSidewaysScrolling();
    }
  });

  it('show the events of a registration without covering the launch link', async () => {
    const { data } = (await ui.service.api.get('/ui/api/registrations?search=katherine')).body;
    const { registration_id: id } = data.at(-1);
    assert.equal((await ui.service.api.post(`/registrations/${id}/launch`)).status, 200);
    await using visit = await ui.visit(`/registrations/${id}`);
    const { page } = visit;
    await page.getByText('Registration launched').waitFor();
    const panel = (title: string) =>
      boxOf(page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) }));
    for (const width of [1_280, 1_100, 1_024]) {
      await page.setViewportSize({ width, height: 800 });
      await visit.settled();
      const [events, launch] = await Promise.all([panel('Events'), panel('Launch link')]);
      assert.ok(
        events.x + events.width <= launch.x,
        `${events.x} + ${events.width} and ${launch.x} at ${width} px`,
      );
    }
  });

  it('show the versions of a course without scrolling sideways in middle windows', async () => {
    const { data } = (await ui.service.api.get('/courses')).body;
    await using visit = await ui.visit(`/content/courses/${data[0].id}`);
    const { page } = visit;
    await page.getByText('Version 1').first().waitFor();
    for (const width of [769, 834, 1_024, 1_220]) {
      await page.setViewportSize({ width, height: 800 });
      await visit.assertNoSidewaysScrolling();
    }
  });

  it('offer the order of a list wherever it lacks column headers', async () => {
    await using visit = await ui.visit('/accounts');
    const { page } = visit;
    await page.setViewportSize({ width: 640, height: 800 });
    const first = page.getByRole('list', { name: 'Accounts' }).locator('> li').first();
    await page.getByRole('combobox', { name: 'Sort by' }).click();
    await page.getByRole('option', { name: 'Created' }).click();
    await first.getByText(UNBROKEN).waitFor();
    await page.getByRole('button', { name: 'Descending' }).click();
    await first.getByText('Short name').waitFor();
    await page.getByRole('button', { name: 'Ascending' }).click();
    await first.getByText(UNBROKEN).waitFor();
    // A table without its spare columns.
    await page.setViewportSize({ width: 1_024, height: 800 });
    await page.getByRole('columnheader', { name: 'Name' }).waitFor();
    assert.equal(await page.getByRole('columnheader', { name: 'Created' }).count(), 0);
    await page.getByRole('combobox', { name: 'Sort by' }).waitFor();
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole('columnheader', { name: 'Created' }).waitFor();
    await page.getByRole('table', { name: 'Accounts' }).waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Sort by' }).count(), 0);
  });

  it('align a name in Arabic with the other names', async () => {
    await using visit = await ui.visit('/registrations', { phone: true });
    const { page } = visit;
    const cards = page.getByRole('listitem').filter({ hasText: 'Account' });
    const arabic = await wordsOf(cards.filter({ hasText: ARABIC }).getByText(ARABIC));
    const course = await wordsOf(cards.filter({ hasText: ARABIC }).getByText('Fire extinguishers'));
    assert.ok(
      Math.abs(arabic.x + arabic.width - course.x - course.width) < 2,
      JSON.stringify({ arabic, course }),
    );
    await visit.go('/accounts');
    const names = page.getByRole('link');
    const name = await wordsOf(names.filter({ hasText: ARABIC }));
    const other = await wordsOf(names.filter({ hasText: LONG }));
    assert.ok(Math.abs(name.x - other.x) < 2, JSON.stringify({ name, other }));
  });

  it('draw a badge as wide as its words', async () => {
    await using visit = await ui.visit('/content', { phone: true });
    const badge = visit.page.getByText('Version 1 not published');
    const { width } = await wordsOf(badge);
    const box = await boxOf(badge);
    assert.ok(box.width < width + 32, `${box.width} px for words of ${width} px`);
    await visit.assertNoSidewaysScrolling();
  });

  it('truncate a name that is too long for a field with an ellipsis, and keep it inside a list of choices', async () => {
    await using visit = await ui.visit('/registrations?new=yes');
    const { page } = visit;
    const isInside = async (name: Locator, around: Locator) => {
      const outer = await boxOf(around);
      const inner = await boxOf(name);
      return inner.x + inner.width <= outer.x + outer.width;
    };
    const account = fieldOf(page, 'Account');
    for (const name of [LONG, UNBROKEN]) {
      await account.click();
      const list = choiceDialog(page).getByRole('region', { name: 'Accounts' });
      assert.ok(await isInside(list.getByText(name), list), name);
      await list.getByText(name).click();
      const chosen = account.getByText(name);
      await chosen.waitFor();
      assert.ok(await isInside(chosen, account), name);
      const textOverflow = await chosen.evaluate((element) => getComputedStyle(element).textOverflow);
      assert.equal(textOverflow, 'ellipsis');
    }
    await page.goto(`${ui.service.url}/ui/registrations`);
    await page.getByRole('combobox', { name: 'Account' }).click();
    for (const name of [LONG, UNBROKEN]) {
      const list = page.getByRole('listbox');
      assert.ok(await isInside(list.getByRole('option').getByText(name), list), name);
    }
  });
});
