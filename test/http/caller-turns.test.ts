import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import {
  type Answer,
  Api,
  createClient,
  requestToken,
  startTestService,
  type TestService,
} from '../support/service.ts';

/** How many requests a caller sends at once, and how many of them may be answered before one of another caller. */
const CHANGES = { count: 100, before: 50 };
const READS = { count: 400, before: 150 };
const ACCOUNTS = 200;
const FOLDERS = 50;

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
