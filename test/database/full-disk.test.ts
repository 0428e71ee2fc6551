import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { databaseUrlOf, dropDatabaseOf, ON_POSTGRES } from '../support/postgres.ts';
import { type Answer, Api, createClient, requestToken, temporaryFolder } from '../support/service.ts';
import { runProgram, startProcess } from '../support/service-process.ts';
import { giveLike, mountSmallDisk } from '../support/small-disk.ts';
import { startTarget } from '../support/target.ts';
import { until } from '../support/until.ts';

const DISK_MIB = 48;
/** More than fits into the space that a database had reserved before the disk was full. */
const MANY = 20_000;

/** Lets PostgreSQL keep the accounts of a data folder's database on another disk, until it is disposed of. */
async function moveAccounts(dataDir: string, folder: string): Promise<AsyncDisposable> {
  const client = new Client((await databaseUrlOf(dataDir))!);
  await client.connect();
  const { rows } = await client.query('show data_directory');
  giveLike(folder, rows[0].data_directory);
  await client.query(`create tablespace small_disk location '${folder}'`);
  await client.query('alter table accounts set tablespace small_disk');
  return {
    async [Symbol.asyncDispose]() {
      await client.query('alter table accounts set tablespace pg_default');
      await client.query('drop tablespace small_disk');
      await client.end();
    },
  };
}

describe('a full disk', () => {
  it('makes the service unready with a reason, loses nothing that was confirmed, and has no effect once there is space again', {
    timeout: TEST_TIMEOUT_MS,
  }, async (t) => {
    const disk = await mountSmallDisk(DISK_MIB);
    if (typeof disk === 'string') return t.skip(disk);
    await using stack = new AsyncDisposableStack();
    stack.use(disk);
    const elsewhere = stack.use(temporaryFolder()).path;
    const dataDir = ON_POSTGRES ? elsewhere : disk.folder;
    stack.defer(() => dropDatabaseOf(dataDir));
    if (ON_POSTGRES) stack.use(await moveAccounts(dataDir, disk.folder));
    const target = stack.use(await startTarget());
    const { url } = stack.use(await startProcess({ data_dir: dataDir }));
    const { clientId, clientSecret } = await createClient(dataDir);
    const api = new Api(url, await requestToken(url, clientId, clientSecret));
    await api.create('/webhooks', { name: 'w', topic: 'ACCOUNT', target_url: target.url });
    const created: number[] = [];
    const create = async (): Promise<Answer> => {
      const answer = await api.post('/accounts', { name: `account ${'x'.repeat(180)}` });
      if (answer.status === 201) created.push(answer.body.id);
      return answer;
    };
    assert.equal((await create()).status, 201);
    assert.equal((await api.get('/health/ready')).status, 200);

    disk.fill();
    let refused: Answer | undefined;
    for (let n = 0; n < MANY && refused === undefined; n++) {
      const answer = await create();
      if (answer.status !== 201) refused = answer;
    }
    assert.equal(refused?.status, 503, JSON.stringify(refused?.body));
    // On PostgreSQL only the accounts are on the full disk: a delivery that is recorded in the meantime ends the
    // outage.
    let unready: Answer | undefined;
    await until(async () => {
      assert.equal((await create()).status, 503);
      unready = await api.get('/health/ready');
      return unready.status === 503;
    }, 'the service is not ready');
    assert.ok(unready);
    const failed = Object.entries(unready.body.checks).filter(([, result]) => result !== 'ok');
    assert.ok(failed.length > 0, JSON.stringify(unready.body));
    assert.equal((await api.get('/health/live')).status, 200);
    // Every confirmed account exists and can be read.
    assert.equal((await api.get(`/accounts/${created.at(-1)}`)).status, 200);

    disk.empty();
    await until(async () => (await api.get('/health/ready')).status === 200, 'the service is ready again');
    assert.equal((await create()).status, 201);
    const heard = () =>
      target.requests.map(
        ({ json }) => (json as { resource: { account: { id: number } } }).resource.account.id,
      );
    await target.waitFor(() => new Set(heard()).size >= created.length);
    assert.deepEqual([...new Set(heard())], created);
  });

  it('is what a command names that cannot open the embedded database', {
    skip: ON_POSTGRES ? 'the embedded database only' : false,
  }, async (t) => {
    const disk = await mountSmallDisk(DISK_MIB);
    if (typeof disk === 'string') return t.skip(disk);
    await using _mounted = disk;
    const settings = { data_dir: disk.folder };
    await runProgram(['client', 'create', '--name', 'First', '--email', 'me@example.com'], settings);
    disk.fill();
    const { code, errors } = await runProgram(['client', 'list'], settings);
    assert.equal(code, 1);
    assert.match(
      errors,
      /^coursewire: the database \S+ cannot be opened: the disk is full\. Make room on it\n$/,
    );
  });
});
