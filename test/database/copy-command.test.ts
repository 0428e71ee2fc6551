import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { lockDataFolder, openDataFolder } from '../../src/database/data-folder.ts';
import type { Database } from '../../src/database/database.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { SCOPES } from '../../src/identity/scopes.ts';
import type { Service } from '../../src/service.ts';
import type { Settings } from '../../src/settings/settings-table.ts';
import { scormPackage, uploadForm } from '../content/packages.ts';
import { basic } from '../support/basic.ts';
import { runCommand } from '../support/command-line-in-process.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { Api, requestToken, startServiceOn, temporaryFolder } from '../support/service.ts';
import { runProgram } from '../support/service-process.ts';
import { writeMigratedDatabase } from '../support/sqlite-template.ts';
import { startTarget } from '../support/target.ts';

function serve(dataDir: string, settings: Partial<Settings>): Promise<Service> {
  return startServiceOn(dataDir, { webhooks_auth_secret: 's'.repeat(64), ...settings });
}

describe('coursewire database copy', { skip: !ON_POSTGRES }, () => {
  it('moves a service: credentials, tokens, courses and waiting messages work on PostgreSQL', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    await using postgres = await createPostgresDatabase();
    let token: string;
    {
      await using service = await serve(folder.path, { database_url: null, enable_queue_polling: false });
      await using database = new SqliteDatabase(path.join(folder.path, 'coursewire.db'));
      const clients = new ClientService({ database, now: Date.now });
      const { client, clientSecret } = await clients.create(
        {
          name: 'a',
          email: 'a@b.example',
          scopes: SCOPES,
        },
        COMMAND_LINE,
      );
      token = await requestToken(service.url, client.clientId, clientSecret);
      const api = new Api(service.url, token);
      await api.create('/webhooks', {
        name: 'Accounts',
        topic: 'ACCOUNT',
        target_url: target.url,
        authentication: { type: 'BASIC', key: 'postbacks', secret: 'open sesame' },
      });
      await api.create('/courses', uploadForm(await scormPackage()));
      for (const name of ['done with', 'first', 'second']) await api.create('/accounts', { name });
      // As after the crash of a process that had not deleted its delivered messages yet.
      await database.transaction((tx) =>
        tx.run(
          'update queue_lines set pending = pending - 1, done_to = (select min(id) from queue_messages)',
        ),
      );
    }
    const ended = await runProgram(['database', 'copy', '--to', postgres.url], { data_dir: folder.path });
    assert.equal(ended.code, 0, ended.errors);
    assert.match(ended.output, /accounts +3 +[0-9a-f]{12}\n/);
    assert.match(ended.output, /DONE: \d+ rows in \d+ tables/);
    assert.ok(!ended.output.includes(new URL(postgres.url).password), 'the password is not shown');

    {
      await using copy = new PostgresDatabase(postgres.url, { connections: 3 });
      const [waiting] = await copy.reader.all<{ count: number }>(
        'select count(*) as count from queue_messages',
      );
      assert.equal(waiting?.count, 2, 'what was delivered is not copied');
    }
    {
      await using service = await serve(folder.path, { database_url: postgres.url });
      await target.waitFor(2);
      const sent = target.requests.map(({ json, headers }) => [
        (json as { resource: { account: { name: string } } }).resource.account.name,
        headers.authorization,
      ]);
      const authorization = basic('postbacks', 'open sesame');
      assert.deepEqual(sent, [
        ['first', authorization],
        ['second', authorization],
      ]);
      const courses = await new Api(service.url, token).get('/courses');
      assert.equal(courses.status, 200, 'a token from before is taken');
      assert.equal(courses.body.data.length, 1);
    }

    const content = path.join(folder.path, 'content');
    const files = readdirSync(content);
    await runCommand(['database', 'return'], { data_dir: folder.path });
    await assert.rejects(serve(folder.path, { database_url: null }), /set database_url/);
    assert.deepEqual(readdirSync(content), files, 'the embedded database from before the move removes none');
  });

  it('is rejected while a service uses the data folder', async () => {
    using folder = temporaryFolder();
    await using postgres = await createPostgresDatabase();
    const places = openDataFolder(folder.path);
    using _lock = lockDataFolder(places);
    const ended = await runCommand(['database', 'copy', '--to', postgres.url], { data_dir: folder.path });
    assert.equal(ended.code, 1);
    assert.match(ended.err, /is in use by another process/);
  });

  it('says which of the databases is newer than this release, and how to copy nevertheless', async () => {
    using folder = temporaryFolder();
    await using postgres = await createPostgresDatabase();
    const file = path.join(folder.path, 'coursewire.db');
    await writeMigratedDatabase(file);
    const copy = async () => {
      const ended = await runCommand(['database', 'copy', '--to', postgres.url], { data_dir: folder.path });
      assert.equal(ended.code, 1);
      return ended.err;
    };
    const apply = (database: Database) =>
      database.transaction((tx) => tx.run("insert into migrations values (9999, 'later', 1, 0)"));
    {
      await using source = new SqliteDatabase(file);
      await apply(source);
    }
    const newer = String.raw`is newer than this release: it has migration 9999 \(later\), and this release knows migrations up to \d+\.`;
    assert.match(
      await copy(),
      new RegExp(
        `: the embedded database ${newer} Copy it with the newer release, into a new database\\.\n$`,
      ),
    );
    await using target = new PostgresDatabase(postgres.url, { connections: 3 });
    await apply(target);
    assert.match(
      await copy(),
      new RegExp(
        `: the target of the copy ${newer} Give a new database, or copy with the newer release\\.\n$`,
      ),
    );
  });

  it('creates no source database if there is none', async () => {
    using folder = temporaryFolder();
    await using postgres = await createPostgresDatabase();
    const ended = await runCommand(['database', 'copy', '--to', postgres.url], { data_dir: folder.path });
    assert.equal(ended.code, 1);
    assert.match(ended.err, /there is no embedded database in the data folder/);
    assert.equal(existsSync(path.join(folder.path, 'coursewire.db')), false);
  });
});

describe('coursewire database', { skip: ON_POSTGRES }, () => {
  it('reports wrong usage with exit code 2, and repeats no URL', async () => {
    using folder = temporaryFolder();
    for (const [args, said] of [
      [[], /A command is missing/],
      [['drop'], /Unknown command "drop"/],
      [['copy'], /--to is missing, and database_url is not set/],
      [['copy', 'postgres://u:hunter2@h/d'], /Unexpected argument/],
      [['copy', '--to', 'mysql://u:hunter2@h/d'], /must be a postgres:\/\/ URL/],
      [['copy', '--from', 'x'], /--from/],
      [['return', '--to', 'postgres://u:hunter2@h/d'], /"return" has no arguments/],
      [
        ['copy', '--to', 'postgres://u:hunter2@h/d', '--to', 'postgres://u:hunter2@h/e'],
        /Use --to only once/,
      ],
      [['return', 'postgres://u:hunter2@h/d'], /"return" has no arguments/],
    ] as const) {
      const ended = await runCommand(['database', ...args], { data_dir: folder.path });
      assert.equal(ended.code, 2, args.join(' '));
      assert.match(ended.err, said);
      assert.ok(!ended.err.includes('hunter2'));
    }
  });
});
