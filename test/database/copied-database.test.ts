import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { type Outcome, outcomeOf } from '../support/command-in-process.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { Api, requestToken, startServiceOn, temporaryFolder } from '../support/service.ts';
import { startTarget } from '../support/target.ts';

const CREATE_CLIENT = ['client', 'create', '--name', 'LMS', '--email', 'lms@example.com', '--json'];

/** The message with which a start on the embedded database is refused. A service that starts anyway is stopped. */
async function refusalOf(dataDir: string): Promise<string> {
  try {
    await using service = await startServiceOn(dataDir);
    return `it started at ${service.url}`;
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
}

/** Fails if a service does not start on the embedded database. */
async function assertStarts(dataDir: string): Promise<void> {
  await using _service = await startServiceOn(dataDir);
}

/** Runs a command on the embedded database of the folder. */
function run(dataDir: string, ...args: string[]): Promise<Outcome> {
  return outcomeOf((output) => runCommandLine(args, { ...output, env: { DATA_DIR: dataDir } }));
}

/** A data folder with a client, and an empty PostgreSQL database. */
async function openPlaces() {
  await using stack = new AsyncDisposableStack();
  const { path: dataDir } = stack.use(temporaryFolder());
  const { url } = stack.use(await createPostgresDatabase());
  const client = await run(dataDir, ...CREATE_CLIENT);
  assert.equal(client.code, 0, client.err);
  const opened = stack.move();
  return {
    dataDir,
    url,
    client: JSON.parse(client.out) as { client_id: string; client_secret: string },
    copy: (to = url) => run(dataDir, 'database', 'copy', '--to', to),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function changeEmbedded(dataDir: string, sql: string): Promise<void> {
  await using database = new SqliteDatabase(path.join(dataDir, 'coursewire.db'));
  await database.transaction((tx) => tx.run(sql));
}

async function changePostgres(url: string, ...statements: string[]): Promise<void> {
  await using database = new PostgresDatabase(url);
  await database.transaction(async (tx) => {
    for (const sql of statements) await tx.run(sql);
  });
}

describe('an embedded database that was copied to PostgreSQL', { skip: !ON_POSTGRES }, () => {
  it('sends no message a second time, until an operator returns to it', async () => {
    await using places = await openPlaces();
    const { dataDir, url, client } = places;
    await using target = await startTarget();
    {
      await using service = await startServiceOn(dataDir, { enable_queue_polling: false });
      const token = await requestToken(service.url, client.client_id, client.client_secret);
      const api = new Api(service.url, token);
      await api.create('/webhooks', { name: 'Accounts', topic: 'ACCOUNT', target_url: target.url });
      await api.create('/accounts', { name: 'Waiting' });
    }
    const copied = await places.copy();
    assert.equal(copied.code, 0, copied.err);
    assert.match(
      copied.out,
      /DONE.*marked as copied: no service starts on it.*"coursewire database return"/s,
    );
    {
      await using _service = await startServiceOn(dataDir, { database_url: url });
      await target.waitFor(1);
    }

    const { host, pathname, password } = new URL(url);
    const said = await refusalOf(dataDir);
    assert.ok(said.includes(`was copied to PostgreSQL (${pathname.slice(1)} on ${host}) at 2`), said);
    assert.match(said, /waiting messages a second time\. Set database_url.*"coursewire database return"$/);
    assert.ok(!said.includes(password), 'the password is not shown');
    assert.equal(target.requests.length, 1);

    const returned = await run(dataDir, 'database', 'return');
    assert.equal(returned.code, 0, returned.err);
    assert.match(returned.out, /can start on the embedded database.* again, which was copied to PostgreSQL/);
    rmSync(path.join(dataDir, 'content', 'coursewire-installation'));
    await using _service = await startServiceOn(dataDir);
    await target.waitFor(2);
    const [first, second] = target.requests.map(({ headers }) => headers['webhook-id']);
    assert.equal(first, second);
  });

  it('can still be read by commands, and is not changed by them', async () => {
    await using places = await openPlaces();
    const { dataDir, client } = places;
    await places.copy();
    for (const args of [['client', 'list'], ['user', 'list'], ['installation']]) {
      const read = await run(dataDir, ...args);
      assert.equal(read.code, 0, args.join(' '));
      assert.match(read.err, /^Note: the database in .* was copied to PostgreSQL .* Set database_url.*\n$/);
    }
    for (const args of [
      CREATE_CLIENT,
      ['client', 'disable', client.client_id],
      ['user', 'create', '--email', 'ann@example.com', '--role', 'admin'],
      ['secrets', 're-encrypt'],
      ['installation', 'renew'],
    ]) {
      const refused = await run(dataDir, ...args);
      assert.deepEqual([refused.code, refused.out], [1, ''], args.join(' '));
      assert.match(
        refused.err,
        /was copied to PostgreSQL .* would not be in the copy\. Set database_url .*return"\n$/,
      );
    }
    await run(dataDir, 'database', 'return');
    const list = await run(dataDir, 'client', 'list', '--json');
    assert.equal(list.err, '');
    const [{ client_id, enabled }, ...others] = JSON.parse(list.out);
    assert.deepEqual([client_id, enabled, others], [client.client_id, true, []]);
    assert.equal((await run(dataDir, ...CREATE_CLIENT)).code, 0);
  });

  it('can be backed up, and no service starts on the backup either', async () => {
    await using places = await openPlaces();
    const { dataDir } = places;
    const before = path.join(dataDir, 'before');
    const after = path.join(dataDir, 'after');
    assert.equal((await run(dataDir, 'backup', '--to', before)).err, '');
    await places.copy();
    const backup = await run(dataDir, 'backup', '--to', after);
    assert.equal(backup.code, 0, backup.err);
    assert.match(backup.err, /^Note: .* was copied to PostgreSQL .* not of PostgreSQL\.\n$/);
    assert.match(await refusalOf(after), /was copied to PostgreSQL/);
    await assertStarts(before);
  });

  it('can be copied again, and the copies are not marked', async () => {
    await using places = await openPlaces();
    const { dataDir, url } = places;
    await using other = await createPostgresDatabase();
    await places.copy();
    const again = await places.copy(other.url);
    assert.equal(again.code, 0, again.err);
    assert.ok((await refusalOf(dataDir)).includes(`(${new URL(other.url).pathname.slice(1)} on `));
    for (const copy of [url, other.url]) {
      await using _service = await startServiceOn(dataDir, { database_url: copy });
      await using database = new PostgresDatabase(copy, { connections: 3 });
      const marks = await database.reader.all("select 1 from service_secrets where name like 'copied%'");
      assert.deepEqual(marks, []);
    }
    assert.match((await places.copy()).err, /not empty/);
    assert.match(await refusalOf(dataDir), /was copied/, 'a copy that fails does not remove the mark');
  });

  it('starts if the copy failed', async () => {
    await using places = await openPlaces();
    const { dataDir, url } = places;
    await changePostgres(
      url,
      `create function spoil() returns trigger language plpgsql as $$ begin new.name := 'spoilt'; return new; end $$`,
      'create trigger spoil before insert on service_secrets for each row execute function spoil()',
    );
    const failed = await places.copy();
    assert.equal(failed.code, 1, failed.out);
    await assertStarts(dataDir);
  });

  it('is copied even if it cannot be marked, with a warning', async () => {
    await using places = await openPlaces();
    const { dataDir } = places;
    await changeEmbedded(
      dataDir,
      `create trigger full before insert on service_secrets begin select raise(abort, 'the disk is full'); end`,
    );
    const copied = await places.copy();
    assert.equal(copied.code, 0, copied.err);
    assert.match(copied.out, /\nDONE: .*Start the service\.\n$/s);
    assert.match(
      copied.err,
      /^Warning: .*could not be marked as copied: the disk is full\nRename coursewire\.db/,
    );
  });
});

describe('coursewire database return', { skip: ON_POSTGRES }, () => {
  it('changes nothing in a database that was not copied, even if it has no tables yet', async () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'coursewire.db'), '');
    const returned = await run(folder.path, 'database', 'return');
    assert.deepEqual(
      [returned.code, returned.out],
      [
        0,
        `The embedded database in ${folder.path} was not copied to PostgreSQL. A service can start on it.\n`,
      ],
    );
    await assertStarts(folder.path);
  });

  it('is rejected while a service uses the data folder, and where there is no database', async () => {
    using folder = temporaryFolder();
    assert.match((await run(folder.path, 'database', 'return')).err, /there is no embedded database/);
    await using _service = await startServiceOn(folder.path);
    assert.match((await run(folder.path, 'database', 'return')).err, /is in use by another process/);
  });
});
