import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startUi, type Ui } from './support/ui.ts';

const MAX_ASSETS = 10;
const ACCOUNTS = 7;

describe('a folder with many assets for many accounts', () => {
  let ui: Ui;
  let make: ContentMaker;
  const accounts: number[] = [];
  aroundTests(async (parts) => {
    ui = parts.use(await startUi({ settings: { max_assets_per_call: MAX_ASSETS } }));
    make = new ContentMaker(ui.service);
    for (let at = 0; at < ACCOUNTS; at += 1) accounts.push(await make.account(`Account ${at}`));
  });

  async function folderOf(name: string, count: number): Promise<number> {
    const folder = await make.folder(name);
    const course = await make.course(`Course for ${name}`);
    for (let at = 0; at < count; at += 1) await make.equivalent(`${name} ${at}`, [course], folder);
    return folder;
  }
  const contentsOf = async () =>
    await Promise.all(
      accounts.map(async (id) =>
        (await ui.service.api.get(`/accounts/${id}/content`)).body.data.map(
          (each: { id: number }) => each.id,
        ),
      ),
    );
  /** The accounts that the events are about, sorted. */
  const accountsInEvents = async (subtopic: string): Promise<number[]> =>
    (await ui.service.api.get(`/events?subtopic=${subtopic}&limit=200`)).body.data
      .map(({ account }: { account: { id: number } }) => account.id)
      .sort((a: number, b: number) => a - b);

  it('is added to all of them and removed again, in steps that the service accepts', async () => {
    const folder = await folderOf('Safety', 3);
    await using visit = await ui.visit(`/content?folder=${folder}`);
    const { page } = visit;
    const panel = page.getByRole('region', { name: 'Accounts with access' });
    await panel.getByRole('button', { name: 'Add to accounts…' }).click();
    const dialog = page.getByRole('dialog');
    for (let at = 0; at < ACCOUNTS; at += 1) {
      await dialog.getByRole('checkbox', { name: new RegExp(`^Account ${at}`) }).check();
    }
    await dialog.getByRole('button', { name: `Add to ${ACCOUNTS} accounts` }).click();
    await page.getByText(`${ACCOUNTS} accounts: ${ACCOUNTS} items were added.`).waitFor();
    assert.deepEqual(await contentsOf(), Array(ACCOUNTS).fill([folder]));
    await panel.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await panel.getByRole('button', { name: 'Remove from accounts…' }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByText(`Removed from ${ACCOUNTS} accounts.`).waitFor();
    assert.deepEqual(await contentsOf(), Array(ACCOUNTS).fill([]));
    for (const subtopic of ['CONTENT_ADDED_TO_ACCOUNT', 'CONTENT_REMOVED_FROM_ACCOUNT']) {
      assert.deepEqual(await accountsInEvents(subtopic), accounts, 'one event for each account');
    }
  });

  it('is removed again even if it has grown beyond the limit since', async () => {
    const folder = await folderOf('Grown', 3);
    const [course] = (await ui.service.api.get('/courses')).body.data;
    for (const id of accounts.slice(0, 2)) await make.add(id, { type: 'FOLDER', id: folder });
    for (let at = 0; at < MAX_ASSETS; at += 1)
      await make.equivalent(`Later ${at}`, [{ type: 'COURSE', id: course.id }], folder);
    await using visit = await ui.visit(`/content?folder=${folder}`);
    const { page } = visit;
    const panel = page.getByRole('region', { name: 'Accounts with access' });
    await panel.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await panel.getByRole('button', { name: 'Remove from accounts…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Removed from 2 accounts.').waitFor();
    assert.deepEqual(await contentsOf(), Array(ACCOUNTS).fill([]));
  });

  it('is refused with the limit if one account alone would exceed it', async () => {
    const folder = await folderOf('Everything', MAX_ASSETS + 1);
    await using visit = await ui.visit(`/content?folder=${folder}`);
    const { page } = visit;
    await page.getByRole('button', { name: 'Add to accounts…' }).click();
    const dialog = page.getByRole('dialog');
    for (const at of [0, 1]) await dialog.getByRole('checkbox', { name: `Account ${at}` }).check();
    await dialog.getByRole('button', { name: 'Add to 2 accounts' }).click();
    await dialog.getByText(`more than ${MAX_ASSETS} courses, equivalents and bundles`).waitFor();
    assert.deepEqual((await contentsOf()).slice(0, 2), [[], []]);
  });
});
