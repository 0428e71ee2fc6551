import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changedAssets } from '../../src/content/account-content/changed-assets.ts';
import { MAX_FOLDER_DEPTH } from '../../src/content/assets/folder-tree.ts';
import type { Database, Transaction } from '../../src/database/database.ts';
import { openTestDatabase } from '../support/database.ts';
import { processorMs } from '../support/processor-speed.ts';

const ASSETS = 5_000;
/** The shortest time counts, since other programs only add to it. */
const TIMES = 4;
/** It would be more if each level of the folder took time for each asset. */
const MOST_TIMES_AS_LONG = 2;

describe('finding the assets that an account gains', () => {
  it('takes about as long in a deep folder as in one at the top', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    const accountId = await database.transaction((tx) =>
      idOf(tx, `accounts (name, enabled, revision, created_at, updated_at) values ('A', 1, 1, 0, 0)`),
    );
    const top = await makeEquivalents(database, 1);
    const deep = await makeEquivalents(database, MAX_FOLDER_DEPTH - 1);
    const [atTop, below] = [await timeOf(database, accountId, top), await timeOf(database, accountId, deep)];
    assert.ok(below < MOST_TIMES_AS_LONG * atTop, `${below} ms instead of ${atTop} ms`);
  });
});

/** Makes many equivalents in a folder of this depth below Home, and returns the folder. */
async function makeEquivalents(database: Database, depth: number): Promise<{ folderId: number }> {
  return await database.transaction(async (tx) => {
    let folderId = await idOf(tx, folderIn(null));
    for (let level = 0; level < depth; level++) folderId = await idOf(tx, folderIn(folderId));
    await tx.run(
      `with recursive made (n) as (select 1 union all select made.n + 1 from made where made.n < ${ASSETS})
       insert into equivalents (name, folder_id, revision, created_at, updated_at)
       select 'Equivalent', ${folderId}, 1, 0, 0 from made`,
    );
    return { folderId };
  });
}

/** Processor time for finding the assets that an account gains with a folder of equivalents, in ms. */
async function timeOf(
  database: Database,
  accountId: number,
  { folderId }: { folderId: number },
): Promise<number> {
  const account = { id: accountId, name: 'A', enabled: true };
  const folder = { type: 'FOLDER', id: folderId, name: 'Folder', folderId } as const;
  let shortest = Number.POSITIVE_INFINITY;
  for (let time = 0; time < TIMES; time++) {
    const before = processorMs();
    const [gained] = await database.transaction((tx) =>
      changedAssets(tx, [
        { subtopic: 'CONTENT_ADDED_TO_ACCOUNT', account, assets: [folder], user: 'someone' },
      ]),
    );
    shortest = Math.min(shortest, processorMs() - before);
    assert.equal(gained?.length, ASSETS);
  }
  return shortest;
}

function folderIn(parentId: number | null): string {
  return `folders (name, parent_id, revision, created_at, updated_at) values ('Folder', ${parentId}, 1, 0, 0)`;
}

async function idOf(tx: Transaction, insertion: string): Promise<number> {
  const [row] = await tx.all<{ id: number }>(`insert into ${insertion} returning id`);
  return row!.id;
}
