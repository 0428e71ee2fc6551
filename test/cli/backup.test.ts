import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { MIGRATIONS, migrate } from '../../src/database/migrate.ts';
import { SqliteDatabase } from '../../src/database/sqlite/sqlite-database.ts';
import { environmentName } from '../../src/settings/load-settings.ts';
import type { SettingName } from '../../src/settings/settings-table.ts';
import { filesOf, importCourse } from '../content/packages.ts';
import { retryHead } from '../delivery/webhook-helpers.ts';
import { basic } from '../support/basic.ts';
import { outcomeOf } from '../support/command-in-process.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { Api, startTestService, temporaryFolder, until } from '../support/service.ts';
import { runProgram } from '../support/service-process.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';

const MAIN = path.resolve(import.meta.dirname, '../../bin/coursewire.js');
/** A user that is neither root nor that of the tests. */
const OTHER_USER = 65_534;
const BASIC = { type: 'BASIC', key: 'postbacks', secret: 'open sesame' };
const AUTHORIZATION = basic('postbacks', 'open sesame');
/** Runs the program in this process, as the first test runs it in its own. */
async function runHere(args: string[], settings: Record<string, string | number>) {
  const named = Object.entries(settings).map(([name, value]) => [
    environmentName(name as SettingName),
    String(value),
  ]);
  const env = Object.fromEntries(named) as Record<string, string>;
  const { code, out, err } = await outcomeOf((output) => runCommandLine(args, { ...output, env }));
  return { code, output: out, errors: err };
}

async function installationOf(dataDir: string): Promise<string> {
  const { code, output, errors } = await runHere(['installation'], { data_dir: dataDir });
  assert.equal(code, 0, errors);
  return output;
}

const ONLY_EMBEDDED = { skip: ON_POSTGRES ? 'the embedded database only' : false };

describe('coursewire backup', ONLY_EMBEDDED, () => {
  it('by another user than that of the service is refused with the owner of the data folder', {
    skip: process.getuid?.() !== 0 && 'only root can start a process of another user',
  }, async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const client = ['client', 'create', '--name', 'a', '--email', 'a@example.com'];
    assert.equal((await runHere(client, { data_dir: dataDir })).code, 0);
    chmodSync(folder.path, 0o777);
    const place = path.join(folder.path, 'monday');
    const back = () => {
      const program = [MAIN, 'backup', '--to', place];
      const env = { DATA_DIR: dataDir };
      const { status, stderr } = spawnSync(process.execPath, program, {
        uid: OTHER_USER,
        gid: OTHER_USER,
        cwd: '/',
        env,
        encoding: 'utf8',
        timeout: DEADLINE_MS,
      });
      return { status, stderr };
    };
    const refusal = (file: string) => ({
      status: 1,
      stderr:
        `coursewire: the data folder ${dataDir} cannot be used: ${file} belongs to the user with the id 0, and this process runs ` +
        `as the user with the id ${OTHER_USER}. Give the folder to the user ${OTHER_USER}: ` +
        `chown -R ${OTHER_USER}:${OTHER_USER} ${dataDir}/\n`,
    });
    assert.deepEqual(back(), refusal(dataDir));
    chmodSync(dataDir, 0o755);
    assert.deepEqual(back(), refusal(path.join(dataDir, 'coursewire.db')));
    assert.deepEqual(readdirSync(folder.path), ['data']);
  });

  it('is usable if made while the service is running: content, tokens, credentials, waiting messages', async () => {
    await using target = await startTarget();
    using folder = temporaryFolder();
    const place = path.join(folder.path, 'backups', 'monday');
    await using service = await startTestService({
      settings: { retry_initial_delay: 60, retry_max_delay: 60 },
    });
    await importCourse(service);
    target.respondWith(answer(503));
    const webhook = await service.api.create('/webhooks', {
      name: 'Accounts',
      topic: 'ACCOUNT',
      target_url: target.url,
      authentication: BASIC,
    });
    for (const name of ['First', 'Second', 'Third']) await service.api.create('/accounts', { name });
    await until(() => target.requests.length === 1, 'the head of the line failed once');

    const ended = await runProgram(['backup', '--to', place], { data_dir: service.settings.data_dir });
    assert.equal(ended.code, 0, ended.errors);
    assert.match(ended.output, /^DONE: .* 1 course version\.\nIt contains webhooks_auth_secret/);
    await service.api.create('/accounts', { name: 'After the backup' });
    const content = filesOf(service).content;
    assert.equal(
      await installationOf(place),
      await installationOf(service.settings.data_dir),
      'it still owns its queues and its content_store',
    );
    await service.stop();

    target.respondWith(answer(204));
    const before = target.requests.length;
    await using restored = await startTestService({ dataDir: place });
    const api = new Api(restored.url, service.api.token);
    const accounts = await api.get('/accounts');
    assert.deepEqual(
      accounts.body.data.map((account: { name: string }) => account.name),
      ['First', 'Second', 'Third'],
    );
    assert.deepEqual(filesOf(restored).content, content);
    await retryHead(api, webhook.id);
    await until(() => target.requests.length === before + 3, 'all that waited is delivered');
    const delivered = target.requests.slice(before);
    assert.deepEqual(
      delivered.map((request) => JSON.parse(request.body.toString('utf8')).resource.account.name),
      ['First', 'Second', 'Third'],
    );
    assert.ok(delivered.every((request) => request.headers.authorization === AUTHORIZATION));
  });

  it('has the id of the installation also if it is made before the first start', async () => {
    using folder = temporaryFolder();
    const [dataDir, place] = [path.join(folder.path, 'data'), path.join(folder.path, 'copy')];
    const create = ['client', 'create', '--name', 'LMS', '--email', 'lms@example.com'];
    for (const args of [create, ['backup', '--to', place]])
      assert.equal((await runHere(args, { data_dir: dataDir })).code, 0, args[0]);
    assert.equal(await installationOf(place), await installationOf(dataDir));
  });

  it('is readable only by its owner, and leaves no incomplete file', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService();
    const ended = await runHere(['backup', '--to', path.join(folder.path, 'copy')], {
      data_dir: service.settings.data_dir,
    });
    assert.equal(ended.code, 0, ended.errors);
    assert.deepEqual(readdirSync(folder.path), ['copy']);
    assert.equal(statSync(path.join(folder.path, 'copy')).mode & 0o777, 0o700);
    for (const file of readdirSync(path.join(folder.path, 'copy')))
      assert.equal(statSync(path.join(folder.path, 'copy', file)).mode & 0o077, 0, file);
  });

  it('refuses a folder with something in it, and a data folder without a database', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService();
    const taken = path.join(folder.path, 'taken');
    mkdirSync(taken);
    writeFileSync(path.join(taken, 'mine.txt'), 'mine');
    const refused = await runHere(['backup', '--to', taken], { data_dir: service.settings.data_dir });
    assert.equal(refused.code, 1);
    assert.match(refused.errors, /is not empty: name a new folder, such as .*taken.20\d\d-\d\d-\d\d/);
    const lost = await runHere(['backup', '--to', path.join(folder.path, 'new')], {
      data_dir: path.join(folder.path, 'nowhere'),
    });
    assert.equal(lost.code, 1);
    assert.match(lost.errors, /there is no database in/);
    assert.ok(!existsSync(path.join(folder.path, 'nowhere')), 'nothing was made');
  });

  it('refuses a place that is a file or below one with the path of that file', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService();
    const file = path.join(folder.path, 'file');
    writeFileSync(file, 'mine');
    for (const to of [file, path.join(file, 'copy')]) {
      const { code, errors } = await runHere(['backup', '--to', to], { data_dir: service.settings.data_dir });
      const text = `coursewire: no backup was made in ${to}: ${file} is a file. Name a folder\n`;
      assert.deepEqual([code, errors], [1, text]);
    }
  });

  it('fills an empty folder in place, because it may be a mounted disk, which cannot be replaced', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService();
    await importCourse(service);
    const place = path.join(folder.path, 'disk');
    mkdirSync(place);
    const { ino } = statSync(place);
    const ended = await runHere(['backup', '--to', place], { data_dir: service.settings.data_dir });
    assert.equal(ended.code, 0, ended.errors);
    assert.equal(statSync(place).ino, ino);
    assert.deepEqual(readdirSync(folder.path), ['disk']);
    assert.deepEqual(readdirSync(place).sort(), ['content', 'coursewire.db', 'webhooks_auth_secret']);
    for (const file of readdirSync(place))
      assert.equal(statSync(path.join(place, file)).mode & 0o077, 0, file);
    await service.stop();
    await using restored = await startTestService({ dataDir: place });
    assert.equal((await restored.api.get('/courses')).body.data.length, 1);
  });

  it('treats a disk that was just formatted as empty', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService();
    mkdirSync(path.join(folder.path, 'lost+found'));
    const ended = await runHere(['backup', '--to', folder.path], { data_dir: service.settings.data_dir });
    assert.equal(ended.code, 0, ended.errors);
    assert.ok(existsSync(path.join(folder.path, 'coursewire.db')));
    assert.ok(existsSync(path.join(folder.path, 'lost+found')));
  });

  it('is made even if someone left a folder behind that it may not look into', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService();
    // A loop of links. Missing permissions do not stop tests that run as root.
    const name = `monday.partial-${randomUUID()}`;
    symlinkSync(name, path.join(folder.path, name));
    const ended = await runHere(['backup', '--to', path.join(folder.path, 'monday')], {
      data_dir: service.settings.data_dir,
    });
    assert.equal(ended.code, 0, ended.errors);
    assert.deepEqual(readdirSync(folder.path).sort(), ['monday', name].sort());
  });

  it('leaves an empty folder empty if it fails', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    const place = path.join(folder.path, 'disk');
    for (const each of [dataDir, place]) mkdirSync(each);
    writeFileSync(path.join(dataDir, 'coursewire.db'), 'this is no database '.repeat(200));
    const ended = await runHere(['backup', '--to', place], { data_dir: dataDir });
    assert.equal(ended.code, 1);
    assert.deepEqual([readdirSync(place), readdirSync(folder.path).sort()], [[], ['data', 'disk']]);
  });

  it('removes what a killed backup to the same place left more than a day ago, and nothing else', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService();
    const place = path.join(folder.path, 'monday');
    const disk = path.join(folder.path, 'disk');
    const left = (name: string, hours: number) => {
      const partial = path.join(folder.path, name);
      mkdirSync(path.join(partial, 'content'), { recursive: true });
      const time = new Date(Date.now() - hours * 3_600_000);
      for (const each of [path.join(partial, 'content'), partial]) utimesSync(each, time, time);
    };
    const id = randomUUID();
    const young = `monday.partial-${randomUUID()}`;
    left(`monday.partial-${id}`, 25);
    left(young, 23);
    left(`tuesday.partial-${id}`, 25);
    left('monday.partial-mine', 25);
    left(`disk/.partial-${id}`, 25);
    for (const to of [place, disk]) {
      const ended = await runHere(['backup', '--to', to], { data_dir: service.settings.data_dir });
      assert.equal(ended.code, 0, ended.errors);
    }
    assert.deepEqual(
      readdirSync(folder.path).sort(),
      ['disk', 'monday', young, 'monday.partial-mine', `tuesday.partial-${id}`].sort(),
    );
    assert.ok(!readdirSync(disk).includes(`.partial-${id}`));
  });

  it('fails if files of an existing course version are missing', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService();
    await importCourse(service);
    const content = path.join(service.settings.data_dir, 'content');
    for (const name of readdirSync(content)) rmSync(path.join(content, name), { recursive: true });
    const ended = await runHere(['backup', '--to', path.join(folder.path, 'copy')], {
      data_dir: service.settings.data_dir,
    });
    assert.equal(ended.code, 1, ended.output);
    assert.match(ended.errors, /the files of 1 course version are missing in .*content/);
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('refuses a damaged database and leaves no backup', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    mkdirSync(dataDir);
    writeFileSync(
      path.join(dataDir, 'coursewire.db'),
      'this is no database, however long it may be '.repeat(200),
    );
    const ended = await runHere(['backup', '--to', path.join(folder.path, 'copy')], { data_dir: dataDir });
    assert.equal(ended.code, 1);
    assert.match(ended.errors, /no backup was made/);
    assert.deepEqual(readdirSync(folder.path), ['data']);
  });

  it('is made even if the secret is missing or wrong, with a warning; startup with it says what to do', async () => {
    using folder = temporaryFolder();
    const data_dir = path.join(folder.path, 'data');
    await using service = await startTestService({ dataDir: data_dir });
    await service.stop();
    const secretFile = path.join(data_dir, 'webhooks_auth_secret');
    const secret = readFileSync(secretFile, 'utf8');
    const cases = [
      { name: 'lost', file: null, says: /webhooks_auth_secret is missing in / },
      {
        name: 'wrong',
        file: 'W'.repeat(64),
        says: /webhooks_auth_secret of .* does not decrypt the stored data/,
      },
      { name: 'damaged', file: 'half', says: /webhooks_auth_secret must contain 64 characters/ },
    ];
    for (const { name, file, says } of cases) {
      rmSync(secretFile, { force: true });
      if (file !== null) writeFileSync(secretFile, file);
      const place = path.join(folder.path, name);
      const ended = await runHere(['backup', '--to', place], { data_dir });
      assert.deepEqual([ended.code, ended.output], [1, ''], name);
      assert.match(
        ended.errors,
        /^NOT COMPLETE: .* contains the database \([\d.]+ MiB\) and the files of 0 course versions\./,
      );
      assert.match(ended.errors, says);
      assert.deepEqual(
        [existsSync(path.join(place, 'webhooks_auth_secret')), existsSync(secretFile)],
        [false, file !== null],
        `${name}: no secret that does not fit is part of it, and none was made`,
      );
      const start = await runHere(['serve'], { data_dir: place, port: 0 });
      assert.equal(start.code, 1);
      assert.match(start.errors, /webhooks_auth_secret is missing.*restore that file from a backup/);
      writeFileSync(path.join(place, 'webhooks_auth_secret'), secret);
      await using restored = await startTestService({ dataDir: place });
      assert.equal((await restored.api.get('/webhooks')).status, 200);
    }
  });

  it('also checks a secret from a setting, and the former one', async () => {
    using folder = temporaryFolder();
    const webhooks_auth_secret = 'S'.repeat(64);
    const data_dir = path.join(folder.path, 'data');
    await using service = await startTestService({ dataDir: data_dir, settings: { webhooks_auth_secret } });
    await service.stop();
    const backUp = async (name: string, settings: Record<string, string>) =>
      await runHere(['backup', '--to', path.join(folder.path, name)], { data_dir, ...settings });
    const right = await backUp('right', { webhooks_auth_secret });
    assert.deepEqual([right.code, right.errors], [0, '']);
    assert.match(right.output, /^DONE: .*\nIt does not contain webhooks_auth_secret, which is a setting\./);
    const changing = await backUp('changing', {
      webhooks_auth_secret: 'N'.repeat(64),
      webhooks_auth_secret_previous: webhooks_auth_secret,
    });
    assert.equal(changing.code, 0, changing.errors);
    assert.match(changing.output, /some of the data needs webhooks_auth_secret_previous/);
    const wrong = await backUp('wrong', { webhooks_auth_secret: 'W'.repeat(64) });
    assert.equal(wrong.code, 1);
    assert.match(wrong.errors, /webhooks_auth_secret of the settings does not decrypt the stored data/);
  });

  it('is made of a database that this release has not migrated yet', async () => {
    using folder = temporaryFolder();
    const data_dir = path.join(folder.path, 'data');
    mkdirSync(data_dir);
    {
      await using database = new SqliteDatabase(path.join(data_dir, 'coursewire.db'));
      await migrate(database, Date.now, MIGRATIONS.slice(0, 24));
    }
    const ended = await runHere(['backup', '--to', path.join(folder.path, 'backup')], {
      data_dir,
      webhooks_auth_secret: 'S'.repeat(64),
    });
    assert.deepEqual([ended.code, ended.errors], [0, '']);
    assert.match(ended.output, /^DONE: /);
  });

  it('names the missing parts', async () => {
    using folder = temporaryFolder();
    const ended = await runHere(['backup'], { data_dir: folder.path });
    assert.equal(ended.code, 2);
    assert.match(ended.errors, /--to is missing/);
  });

  it('is not made if two places are named', async () => {
    using folder = temporaryFolder();
    const [one, other] = [path.join(folder.path, 'one'), path.join(folder.path, 'other')];
    const ended = await runHere(['backup', '--to', one, '--to', other], { data_dir: folder.path });
    assert.equal(ended.code, 2);
    assert.match(ended.errors, /Use --to only once/);
  });
});
