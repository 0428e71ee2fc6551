import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { lockDataFolder, openDataFolder } from '../../src/database/data-folder.ts';
import { runCommand } from '../support/command-line-in-process.ts';
import { run } from '../support/npm-scripts.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { Api, createClient, requestToken, startTestService, temporaryFolder } from '../support/service.ts';
import { runProgram, startProcess } from '../support/service-process.ts';

const OTHERS = 0o077;
/** A program that locks the data folder of its argument. */
const LOCKING = `
  const { lockDataFolder, openDataFolder } = await import(${JSON.stringify(import.meta.resolve('../../src/database/data-folder.ts'))});
  lockDataFolder(openDataFolder(process.argv[1]))`;

/** The files and folders in a folder that anyone but the owner may read, write or enter. */
function openToOthers(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .concat('.')
    .filter((name) => (statSync(path.join(folder, name)).mode & OTHERS) !== 0);
}

/** With PostgreSQL nothing in the folder belongs to one process. */
const EMBEDDED = { skip: ON_POSTGRES };

describe('the data folder', EMBEDDED, () => {
  it('is created with its parents, and only its owner can read it', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'some', 'where', 'data');
    await using service = await startTestService({ dataDir });
    await service.api.create('/accounts', { name: 'Written' });
    const files = readdirSync(dataDir);
    for (const file of ['coursewire.db', 'coursewire.db-wal', 'coursewire.db-shm', 'coursewire.lock'])
      assert.ok(files.includes(file), `${file} is missing among ${files}`);
    assert.deepEqual(openToOthers(dataDir), []);
  });

  it('is made private if others could read it before', async () => {
    using folder = temporaryFolder();
    mkdirSync(path.join(folder.path, 'content'));
    writeFileSync(path.join(folder.path, 'coursewire.db'), '');
    chmodSync(folder.path, 0o755);
    chmodSync(path.join(folder.path, 'content'), 0o755);
    chmodSync(path.join(folder.path, 'coursewire.db'), 0o644);
    await using service = await startTestService({ dataDir: folder.path });
    await service.api.create('/accounts', { name: 'Written' });
    assert.deepEqual(openToOthers(folder.path), []);
  });

  it('stops the start with one line that names it if it cannot be created', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'a file');
    writeFileSync(file, '');
    const dataDir = path.join(file, 'data');
    const { code, errors } = await runProgram(['serve'], { data_dir: dataDir, port: 0 });
    assert.equal(code, 1);
    assert.match(errors, /^coursewire: the data folder \S.* cannot be used: .*\n$/);
    assert.ok(errors.includes(dataDir));
  });
});

/** A user that is neither root nor that of the tests. */
const OTHER_USER = 65_534;
const IS_ROOT = process.getuid?.() === 0;

describe('the data folder of a user who does not exist while the service is stopped', {
  skip: !IS_ROOT && 'only root can start a process of another user',
}, () => {
  /** Opens and locks a data folder as the other user. */
  async function openAsOther(folder: string) {
    const child = spawn(process.execPath, ['--eval', LOCKING, folder], {
      uid: OTHER_USER,
      gid: OTHER_USER,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [[code], errors] = await Promise.all([once(child, 'close'), text(child.stderr)]);
    return { code, errors };
  }

  /** A data folder of the other user, and a backup that belongs to root. */
  function makeFolders(root: string): { dataDir: string; backup: string } {
    chmodSync(root, 0o755);
    const [dataDir, backup] = [path.join(root, 'private'), path.join(root, 'monday')];
    for (const folder of [dataDir, backup]) {
      mkdirSync(path.join(folder, 'content'), { recursive: true, mode: 0o700 });
      writeFileSync(path.join(folder, 'webhooks_auth_secret'), 'secret', { mode: 0o600 });
    }
    chownSync(dataDir, OTHER_USER, OTHER_USER);
    return { dataDir, backup };
  }

  it('is refused if a part of it belongs to another user, with a line that names both', async () => {
    using folder = temporaryFolder();
    const { dataDir } = makeFolders(folder.path);
    const { code, errors } = await openAsOther(dataDir);
    assert.equal(code, 1);
    const content = path.join(dataDir, 'content');
    const expected =
      `the data folder ${dataDir} cannot be used: ${content} belongs to the user with the id 0, and this process runs as the user ` +
      `with the id ${OTHER_USER}. Give the folder to the user ${OTHER_USER}: chown -R ${OTHER_USER}:${OTHER_USER} ${dataDir}/`;
    assert.ok(errors.includes(expected), errors);
  });

  it('is refused if only its lock belongs to another user, as after a command that root has run', async () => {
    using folder = temporaryFolder();
    const { dataDir } = makeFolders(folder.path);
    chownSync(path.join(dataDir, 'content'), OTHER_USER, OTHER_USER);
    const lock = path.join(dataDir, 'coursewire.lock');
    writeFileSync(lock, '', { mode: 0o600 });
    const { code, errors } = await openAsOther(dataDir);
    assert.equal(code, 1);
    assert.ok(errors.includes(`cannot be used: ${lock} belongs to the user with the id 0`), errors);
  });

  it('is refused if it is missing in a folder of another user, with a line that names both', async () => {
    using folder = temporaryFolder();
    chmodSync(folder.path, 0o755);
    const dataDir = path.join(folder.path, 'service', 'data');
    const { code, errors } = await openAsOther(dataDir);
    assert.equal(code, 1);
    const expected =
      `the data folder ${dataDir} cannot be used: ${folder.path} belongs to the user with the id 0, and this process runs as the user ` +
      `with the id ${OTHER_USER}. Create the folder for the user ${OTHER_USER}: install -d -m 0700 -o ${OTHER_USER} -g ${OTHER_USER} ${dataDir}`;
    assert.ok(errors.includes(expected), errors);
  });

  it('is refused with a command that works even if its path has a space', async () => {
    using folder = temporaryFolder();
    const parent = path.join(folder.path, 'our courses');
    mkdirSync(parent);
    chmodSync(folder.path, 0o755);
    const { dataDir } = makeFolders(parent);
    const { errors } = await openAsOther(dataDir);
    assert.ok(errors.includes(`: chown -R ${OTHER_USER}:${OTHER_USER} '${dataDir}/'`), errors);
  });

  it('is refused with the reason of the system if its owner cannot be seen', async () => {
    using folder = temporaryFolder();
    const { dataDir } = makeFolders(folder.path);
    chmodSync(folder.path, 0o700);
    const { code, errors } = await openAsOther(dataDir);
    assert.equal(code, 1);
    assert.ok(
      errors.includes(`the data folder ${dataDir} cannot be used: EACCES: permission denied`),
      errors,
    );
  });

  it('can be used after the commands of docs/operating.md have restored a backup of root to it', async () => {
    using folder = temporaryFolder();
    const { dataDir, backup } = makeFolders(folder.path);
    const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
    const [, block] = /```sh\n(mv -T \/var\/lib\/private\/coursewire .*?)```/s.exec(page) ?? [];
    assert.ok(block !== undefined);
    const commands = block
      .replaceAll('/var/lib/private/coursewire', dataDir)
      .replaceAll('/backups/monday', backup);
    const { code, output } = await run('sh', ['-ec', commands], {});
    assert.equal(code, 0, output);
    for (const name of ['.', 'content', 'webhooks_auth_secret'])
      assert.equal(statSync(path.join(dataDir, name)).uid, OTHER_USER, name);
    assert.deepEqual(await openAsOther(dataDir), { code: 0, errors: '' });
  });
});

describe('a second service on the same folder', EMBEDDED, () => {
  it('is rejected with one line that names the process that uses it, and starts once that was killed', async () => {
    using folder = temporaryFolder();
    await using running = await startProcess({ data_dir: folder.path });
    const { code, errors } = await runProgram(['serve'], { data_dir: folder.path, port: 0 });
    assert.equal(code, 1);
    assert.match(errors, /^coursewire: the data folder .* is in use by another process/);
    assert.ok(errors.includes(`(process ${running.pid})`), errors);
    assert.equal(errors.trim().split('\n').length, 1);
    assert.equal((await fetch(`${running.url}/health/ready`)).status, 200, 'it is not disturbed');

    assert.deepEqual(await running.end('SIGKILL'), { code: null, signal: 'SIGKILL' });
    // Without any manual clean-up.
    await using next = await startTestService({ dataDir: folder.path });
    assert.equal((await fetch(`${next.url}/health/ready`)).status, 200);
  });

  it('is rejected by other processes even after one was rejected within this process', async () => {
    using folder = temporaryFolder();
    await using _running = await startTestService({ dataDir: folder.path });
    await assert.rejects(startTestService({ dataDir: folder.path }), {
      name: 'DataFolderError',
      message: new RegExp(`in use by another process \\(process ${process.pid}\\)`),
    });
    // Closing any file of the folder in this process would give up the locks that the process holds on it.
    const { code, output } = await run(process.execPath, ['--eval', LOCKING, folder.path], {});
    assert.equal(code, 1, output);
    assert.match(output, /is in use by another process/);
  });

  it('can take the lock once it was released', () => {
    using folder = temporaryFolder();
    const dataFolder = openDataFolder(folder.path);
    for (let turn = 0; turn < 2; turn++) {
      using _lock = lockDataFolder(dataFolder);
      assert.throws(() => lockDataFolder(dataFolder), { name: 'DataFolderError' });
    }
  });

  it('is rejected without the name of a process if that is unknown', () => {
    using folder = temporaryFolder();
    const dataFolder = openDataFolder(folder.path);
    using _lock = lockDataFolder(dataFolder);
    writeFileSync(path.join(folder.path, 'coursewire.pid'), '');
    assert.throws(() => lockDataFolder(dataFolder), /is in use by another process; stop it first/);
  });
});

describe('the command line while the service is running', EMBEDDED, () => {
  it('creates API clients that the service knows at once, and does not change its recorded process', async () => {
    using folder = temporaryFolder();
    await using running = await startProcess({ data_dir: folder.path });
    const made = await runCommand(
      ['client', 'create', '--name', 'Beside', '--email', 'beside@example.com', '--json'],
      { data_dir: folder.path },
    );
    assert.equal(made.code, 0, made.err);
    const { client_id, client_secret } = JSON.parse(made.out);
    const api = new Api(running.url, await requestToken(running.url, client_id, client_secret));
    await api.create('/accounts', { name: 'By the new client' });
    assert.deepEqual(openToOthers(folder.path), []);
    assert.equal(readFileSync(path.join(folder.path, 'coursewire.pid'), 'utf8').trim(), String(running.pid));
  });

  it('may write while the service is writing', async () => {
    using folder = temporaryFolder();
    await using service = await startTestService({ dataDir: folder.path });
    const writing = Promise.all(
      Array.from({ length: 100 }, (_, number) => service.api.post('/accounts', { name: `n${number}` })),
    );
    const clients = Promise.all(Array.from({ length: 10 }, () => createClient(folder.path)));
    const answers = await writing;
    assert.ok(answers.every((answer) => answer.status === 201));
    assert.equal(new Set((await clients).map((client) => client.clientId)).size, 10);
  });
});
