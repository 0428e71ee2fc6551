import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import type { Database, Transaction } from '../../src/database/database.ts';
import { DocumentService } from '../../src/player/lrs/documents/document-service.ts';
import { upsertDocument } from '../../src/player/lrs/documents/document-store.ts';
import { openTestDatabase } from '../support/database.ts';
import { watchedDatabase, withMembers } from '../support/watched-database.ts';

/** The last learner of a page of profiles. */
type Found = [{ last: string | null }];

function profile(key: string, learner: { account: number; id: string } | null, content = '') {
  return {
    document_key: key,
    collection_key: 'c',
    registration_id: null,
    registration: '',
    document_id: key,
    content_type: 'application/json',
    content,
    etag: '""',
    updated_at: 1,
    learner_account_id: learner?.account ?? null,
    learner_id: learner?.id ?? null,
  };
}

async function addRegistration(tx: Transaction, account: number, learner: string): Promise<void> {
  await tx.run(
    `insert into registrations (registration_id, account_id, course_id, version_id, learner_id, completion, success, duration,
       revision, created_at, updated_at) values (?, ?, 1, 0, ?, 'Unknown', 'UNKNOWN', 0, 1, 1, 1)`,
    `${account} ${learner}`,
    account,
    learner,
  );
}

describe('profiles of learners without registrations', () => {
  test('are deleted in steps of limited size, however many there are, and no others', async () => {
    await using owned = await openTestDatabase();
    const { database } = owned;
    await database.transaction(async (tx) => {
      // One learner has more profiles than one step examines.
      for (let at = 0; at < 600; at++) await upsertDocument(tx, profile(`a${at}`, { account: 1, id: 'ann' }));
      for (let at = 0; at < 650; at++)
        await upsertDocument(tx, profile(`l${at}`, { account: 1, id: `learner ${at}` }));
      await upsertDocument(tx, profile('nobody', null));
      await upsertDocument(tx, profile('kept', { account: 1, id: 'learner 7' }));
      await addRegistration(tx, 1, 'learner 7');
    });
    const documents = new DocumentService({ database, now: Date.now });
    const deleted: number[] = [];
    do deleted.push(await documents.forgetLearners(500));
    while (deleted.at(-1) === 500);
    assert.deepEqual(deleted, [500, 500, 249]);
    const left = await database.reader.all('select document_key from lrs_documents order by document_key');
    assert.deepEqual(left, [{ document_key: 'kept' }, { document_key: 'l7' }, { document_key: 'nobody' }]);
  });

  test('are deleted in transactions of at most 8 MiB, or of one profile', async () => {
    await using owned = await openTestDatabase();
    const { database } = owned;
    for (const [at, size] of [3, 3, 3, 9, 3].entries())
      await database.transaction((tx) =>
        upsertDocument(tx, profile(`p${at}`, { account: 1, id: `learner ${at}` }, 'x'.repeat(size * MIB))),
      );
    const deleted: string[][] = [];
    const keys = async () =>
      (await database.reader.all<{ key: string }>('select document_key as key from lrs_documents')).map(
        ({ key }) => key,
      );
    const watched = withMembers<Database>(database, {
      async transaction(work, options) {
        const before = await keys();
        const result = await database.transaction(work, options);
        const after = new Set(await keys());
        deleted.push(before.filter((key) => !after.has(key)).sort());
        return result;
      },
    });
    assert.equal(await new DocumentService({ database: watched, now: Date.now }).forgetLearners(500), 5);
    assert.deepEqual(deleted.flat().sort(), ['p0', 'p1', 'p2', 'p3', 'p4']);
    for (const some of deleted) {
      const large = some.includes('p3');
      assert.ok(some.length <= (large ? 1 : 2), some.join(' '));
    }
  });

  test('are deleted wherever they are among profiles of the same learner in other accounts', async () => {
    await using owned = await openTestDatabase();
    const { database } = owned;
    await database.transaction(async (tx) => {
      for (let at = 0; at < 501; at++) {
        await upsertDocument(tx, profile(`a${at}`, { account: 1, id: 'ann' }));
        await upsertDocument(tx, profile(`b${at}`, { account: 2, id: 'bob' }));
      }
      await upsertDocument(tx, profile('stale', { account: 2, id: 'ann' }));
      await addRegistration(tx, 1, 'ann');
      await addRegistration(tx, 2, 'bob');
    });
    const documents = new DocumentService({ database, now: Date.now });
    assert.equal(await documents.forgetLearners(500), 1);
    assert.deepEqual(
      await database.reader.all("select 1 from lrs_documents where document_key = 'stale'"),
      [],
    );
  });

  test('are searched without blocking the event loop', async () => {
    await using owned = await openTestDatabase();
    const { database } = owned;
    const pages = 5;
    await database.transaction(async (tx) => {
      await addRegistration(tx, 1, 'learner');
      for (let at = 0; at < pages * 500; at++) {
        const id = `learner ${String(at).padStart(5, '0')}`;
        await upsertDocument(tx, profile(`l${at}`, { account: 1, id }));
        await addRegistration(tx, 1, id);
      }
    });
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    assert.equal(await new DocumentService({ database, now: Date.now }).forgetLearners(500), 0);
    isOver = true;
    assert.ok(turns >= pages, `${turns} turns of the event loop`);
  });

  test('are searched from where the step before ended, not from the first profile again', async () => {
    await using owned = await openTestDatabase();
    const { database } = owned;
    await database.transaction(async (tx) => {
      for (let at = 0; at < 1_500; at++) {
        const id = `learner ${String(at).padStart(5, '0')}`;
        await upsertDocument(tx, profile(`l${at}`, { account: 1, id }));
        // The others are stale.
        if (at < 500) await addRegistration(tx, 1, id);
      }
    });
    const from: unknown[] = [];
    const watched = watchedDatabase(database, ({ member, given: [sql, after] }) => {
      if (member === 'all' && String(sql).includes('max(learner_id)')) from.push(after);
    });
    const documents = new DocumentService({ database: watched, now: Date.now });
    assert.equal(await documents.forgetLearners(500), 500);
    assert.equal(await documents.forgetLearners(500), 500);
    assert.equal(await documents.forgetLearners(500), 0);
    const until = 'learner 00499';
    assert.deepEqual(from, ['', until, until, until]);
    // The next pass begins at the first again.
    assert.equal(await documents.forgetLearners(500), 0);
    assert.equal(from[4], '');
  });

  test('are searched among a limited number in a step, and the next steps search the others', async () => {
    await using owned = await openTestDatabase();
    const { database } = owned;
    const count = 60_000;
    await database.transaction(
      async (tx) => {
        const rows = Array.from({ length: count }, (_, at) => {
          const id = `learner ${String(at).padStart(5, '0')}`;
          return Object.entries(profile(`l${at}`, { account: 1, id }));
        });
        const columns = rows[0]!.map(([column]) => column);
        const values = rows.map((row) => row.map(([, value]) => value));
        await tx.insertMany('lrs_documents', columns, values);
        // All but the last learner have a registration.
        await tx.run(
          `insert into registrations (registration_id, account_id, course_id, version_id, learner_id, completion, success,
             duration, revision, created_at, updated_at)
           select document_key, 1, 1, 0, learner_id, 'Unknown', 'UNKNOWN', 0, 1, 1, 1 from lrs_documents
           where document_key <> ?`,
          `l${count - 1}`,
        );
      },
      { isLong: true },
    );
    let examined = 0;
    const watched = watchedDatabase(database, ({ member, given: [sql], result }) => {
      if (member === 'all' && String(sql).includes('max(learner_id)') && (result as Found)[0].last !== null)
        examined += 500;
    });
    const documents = new DocumentService({ database: watched, now: Date.now });
    assert.equal(await documents.forgetLearners(500), 0);
    assert.equal(examined, 50_000);
    assert.equal(await documents.forgetLearners(500), 1);
    assert.equal(examined, count);
  });
});
