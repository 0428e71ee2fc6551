import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startWithApi } from '../reliability/program-with-api.ts';
import { aroundTests } from '../support/around-tests.ts';
import { changedConstants } from '../support/changed-constants.ts';
import { openDatabaseAt } from '../support/database.ts';
import { beginTransaction } from '../support/open-transaction.ts';
import { databaseUrlOf, dropDatabaseOf } from '../support/postgres.ts';
import {
  type Answer,
  Api,
  createClient,
  requestToken,
  startTestService,
  type TestService,
  temporaryFolder,
} from '../support/service.ts';

/** How many requests a caller sends at once, and how many of them may be answered before one of another caller. */
const CHANGES = { count: 100, before: 50 };
const READS = { count: 400, before: 150 };
const ACCOUNTS = 200;
const FOLDERS = 50;
/** Shorter than the time after which a change no longer waits for a lock. */
const MAX_WAIT_MS = 500;
/** More changes than are handled at once. */
const WAITING = 12;

describe('a caller that sends hundreds of requests at once', () => {
  let service: TestService;
  let other: Api;
  let accounts: readonly number[];
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    const { url, settings } = service;
    const { clientId, clientSecret } = await createClient(settings.data_dir, { email: 'other@example.com' });
    other = new Api(url, await requestToken(url, clientId, clientSecret));
    accounts = await createMany('/accounts', ACCOUNTS);
  });

  async function createMany(path: string, count: number): Promise<number[]> {
    const created = Array.from({ length: count }, (_, n) =>
      service.api.create(path, { name: `Number ${n}` }),
    );
    return (await Promise.all(created)).map(({ id }) => id);
  }

  /**
   * Lets one caller send requests at once, and another a single one when the first of them is answered. All succeed.
   * Returns how many are answered before the single one.
   */
  async function answeredBefore(count: number, request: (by: Api) => Promise<Answer>): Promise<number> {
    let answered = 0;
    const { promise: firstIsAnswered, resolve: noteFirst } = Promise.withResolvers<void>();
    const many = Array.from({ length: count }, async () => {
      const { status } = await request(service.api);
      answered++;
      noteFirst();
      return status;
    });
    await firstIsAnswered;
    assert.equal((await request(other)).status, 200);
    const before = answered;
    assert.deepEqual(new Set(await Promise.all(many)), new Set([200]));
    return before;
  }

  it('does not delay the changes of others until all of its own are made', async () => {
    const folders = await createMany('/folders', FOLDERS);
    const body = {
      account_ids: accounts.slice(0, 10),
      contents: folders.map((id) => ({ type: 'FOLDER', id })),
    };
    const before = await answeredBefore(CHANGES.count, (by) => by.post('/account-content/add', body));
    assert.ok(before <= CHANGES.before, `${before} changes came first`);
  });

  it('does not delay the reads of others until all of its own are answered', async () => {
    const before = await answeredBefore(READS.count, (by) => by.get('/accounts?limit=200'));
    assert.ok(before <= READS.before, `${before} reads came first`);
  });
});

/** The service as a program, in which requests wait for a short time only. */
async function startImpatient() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  stack.defer(() => dropDatabaseOf(folder.path));
  const place = { data_dir: folder.path, database_url: await databaseUrlOf(folder.path) };
  const { program, api } = await startWithApi(
    { data_dir: folder.path },
    { preload: changedConstants({ 'src/http/caller-turns.ts': { MAX_WAIT_MS } }) },
  );
  stack.use(program);
  const database = stack.use(openDatabaseAt(place));
  const owned = stack.move();
  return { api, database, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

describe('requests behind others of their caller that wait for a lock', () => {
  it('get 503 if their turn does not come in time, and succeed once the lock is released', async () => {
    await using service = await startImpatient();
    const { api, database } = service;
    const { id } = await api.create('/accounts', { name: 'Acme' });
    const locking = await beginTransaction(database);
    await locking.tx.run('update accounts set name = name where id = ?', id);

    const changes = Array.from({ length: WAITING }, (_, n) =>
      api.put(`/accounts/${id}`, { name: `Number ${n}` }),
    );
    const { status, headers, body } = await Promise.race(changes);
    await locking.commit();
    assert.deepEqual([status, body.detail], [503, 'Earlier requests of the caller take too long']);
    assert.equal(headers.get('retry-after'), '1');
    const statuses = (await Promise.all(changes)).map((answer) => answer.status);
    assert.ok(statuses.includes(200), statuses.join());
    assert.equal((await api.put(`/accounts/${id}`, { name: 'Acme Corporation' })).status, 200);
  });
});
