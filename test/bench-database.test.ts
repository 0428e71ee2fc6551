import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { sqliteBenchDatabase } from '../bench/bench-database.ts';
import { postgresBenchDatabase } from '../bench/postgres-bench-database.ts';
import { prepareFolder } from '../bench/prepared-folder.ts';
import { loadSettings } from '../src/settings/load-settings.ts';
import { openStorage } from '../src/storage.ts';
import { ON_POSTGRES, SERVER_VARIABLE } from './support/postgres.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const TARGET = 'http://localhost:9999/';

test('the bench fills the lines of signed webhooks and of others, and makes them due', async () => {
  using temporary = temporaryFolder();
  await using database = ON_POSTGRES
    ? await postgresBenchDatabase(process.env[SERVER_VARIABLE] ?? null)
    : sqliteBenchDatabase;
  const folder = await prepareFolder(path.join(temporary.path, 'data'), {
    targetUrl: TARGET,
    lines: 2,
    isSigned: true,
    otherWebhooks: 1,
    timing: null,
    databaseUrl: await database.create(),
  });
  await database.fill(folder, { messages: 6, state: 'due', targetUrl: TARGET });
  const { otherIds } = folder;
  // The webhooks are created at the same time, so their ids may be in any order.
  const lineIds = folder.lineIds.toSorted((a, b) => a - b);
  const settings = { ...loadSettings({ env: {} }), data_dir: folder.path, database_url: folder.databaseUrl };
  await using storage = await openStorage(settings, { exclusive: true, now: Date.now });
  const lines = await storage.database.reader.query
    .selectFrom('queue_lines')
    .select(['line_id', 'pending', 'available_at'])
    .orderBy('line_id')
    .execute();
  assert.deepEqual(
    lines.map(({ line_id, pending, available_at }) => [
      line_id,
      pending,
      available_at !== null && available_at <= Date.now(),
    ]),
    [...lineIds.map((id) => [id, 3, true]), ...otherIds.map((id) => [id, 0, false])],
  );
});
