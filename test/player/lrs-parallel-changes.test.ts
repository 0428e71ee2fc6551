import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { storeDefinitions } from '../../src/player/lrs/statements/activity-store.ts';
import { openDatabaseOf, openTestDatabase } from '../support/database.ts';
import { beginTransaction, countWaiting, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startTestService, until } from '../support/service.ts';
import { ANN, activity, lrsClient } from './lrs-helpers.ts';

describe('changes of learning records at the same time', {
  skip: !ON_POSTGRES && 'on SQLite, transactions run one after another',
}, () => {
  test('do not merge a document with the members of one that is just being deleted', async () => {
    await using service = await startTestService();
    const client = await lrsClient(service);
    const query = { activityId: activity('golf').id, agent: JSON.stringify(ANN), stateId: 'bookmark' };
    await client.call('POST', 'activities/state', { query, body: { name: 'Ann' } });
    await using database = await openDatabaseOf(service.settings.data_dir);
    const deletion = await beginTransaction(database);
    await deletion.tx.run('delete from lrs_documents');
    const merged = client.call('POST', 'activities/state', { query, body: { page: 2 } });
    await untilOneWaits(database);
    await deletion.commit();
    assert.equal((await merged).status, 204);
    assert.deepEqual((await client.call('GET', 'activities/state', { query })).json, { page: 2 });
  });

  test('merge two first writes of a document', async () => {
    await using service = await startTestService();
    const client = await lrsClient(service);
    const query = { activityId: activity('golf').id, agent: JSON.stringify(ANN), stateId: 'bookmark' };
    const merge = (body: object) => client.call('POST', 'activities/state', { query, body });
    await using database = await openDatabaseOf(service.settings.data_dir);
    const blocking = await beginTransaction(database);
    // Both may look for the document, and neither may store it.
    await blocking.tx.run('lock table lrs_documents in share mode');
    const merged = [merge({ name: 'Ann' }), merge({ page: 2 })];
    await until(async () => (await countWaiting(database)) === 2, 'both wait');
    await blocking.commit();
    for (const { status } of await Promise.all(merged)) assert.equal(status, 204);
    assert.deepEqual((await client.call('GET', 'activities/state', { query })).json, {
      name: 'Ann',
      page: 2,
    });
  });

  test('merge two first definitions of an activity', async () => {
    await using test = await openTestDatabase();
    const { database } = test;
    const named = (name: object) => [{ id: activity('golf').id, definition: { name } }];
    const first = await beginTransaction(database);
    await storeDefinitions(first.tx, null, named({ en: 'Golf' }), 1);
    const second = database.transaction((tx) => storeDefinitions(tx, null, named({ de: 'Golfspiel' }), 2));
    await untilOneWaits(database);
    await first.commit();
    await second;
    const [row] = await database.reader.all<{ definition: string }>('select definition from lrs_activities');
    assert.deepEqual(JSON.parse(row!.definition), { name: { en: 'Golf', de: 'Golfspiel' } });
  });
});
