import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openDatabaseOf } from '../support/database.ts';
import { holdRequests } from './support/held-requests.ts';
import { startUi } from './support/ui.ts';

describe('a selection in a list of more rows than can be selected', () => {
  it('has the first 10,000, read in parts and selected at once, or those that were read when it is stopped', async () => {
    await using ui = await startUi();
    {
      await using database = await openDatabaseOf(ui.service.settings.data_dir);
      const names = Array.from({ length: 10_050 }, (_, at) => `Account ${String(at).padStart(5, '0')}`);
      await database.transaction((tx) =>
        tx.insertMany(
          'accounts',
          ['name', 'enabled', 'revision', 'created_at', 'updated_at'],
          names.map((name) => [name, 1, 1, 1, 1]),
        ),
      );
    }
    await using visit = await ui.visit('/accounts?sort=name');
    const { page } = visit;
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    const held = await holdRequests(page, '**/ui/api/accounts?*offset=400*');
    const asked = new Set<number>();
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/ui/api/accounts' && url.searchParams.get('limit') === '200')
        asked.add(Number(url.searchParams.get('offset')));
    });
    const all = page.getByRole('button', { name: 'Select the first 10,000' });
    await all.click();
    await page.getByRole('button', { name: 'Stop selecting (400 so far)' }).click();
    await page.getByText('400 selected', { exact: true }).waitFor();
    held.release();
    await all.click();
    await page.getByText('10,000 selected', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Select (all|the first) [0-9]/ }).count(), 0);
    assert.equal(Math.max(...asked), 9_800);
  });
});
