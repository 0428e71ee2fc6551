import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { type Outcome, outcomeOf } from '../support/command-in-process.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MAIN = path.resolve(import.meta.dirname, '../../bin/coursewire.js');

const NO_TERMINAL =
  process.platform === 'linux' && spawnSync('script', ['--version']).error === undefined
    ? false
    : 'script, which opens a terminal as on Linux, is missing';

/** Runs the program in this process. */
function run(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return outcomeOf((output) => runCommandLine(args, { ...output, env }));
}

/** Runs the program as people start it, in a process of its own. */
function runProgram(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], { env, timeout: DEADLINE_MS }, (error, out, err) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, out, err });
    });
  });
}

describe('the command line', () => {
  test('explains itself and every command without opening anything', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    for (const args of [
      ['--help'],
      ['serve', '--help'],
      ['client', '--help'],
      ['client', 'create', '--help'],
      ['installation', '--help'],
    ]) {
      const { code, out, err } = await run(args, { DATA_DIR: dataDir });
      assert.deepEqual([code, err], [0, ''], args.join(' '));
      assert.match(out, /^Usage: coursewire/, args.join(' '));
    }
    assert.equal(existsSync(dataDir), false);
  });

  test('shows the id of the installation, and gives a copy a new one', async () => {
    using folder = temporaryFolder();
    const env = { DATA_DIR: path.join(folder.path, 'data') };
    await run(['client', 'create', '--name', 'First', '--email', 'me@example.com'], env);
    const id = (await run(['installation'], env)).out.trim();
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.equal((await run(['installation'], env)).out.trim(), id);
    const renewed = await run(['installation', 'renew'], env);
    assert.equal(renewed.code, 0, renewed.err);
    const next = (await run(['installation'], env)).out.trim();
    assert.notEqual(next, id);
    assert.equal(renewed.out, `This installation is now ${next}. Before, it was ${id}.\n`);
    const unknown = await run(['installation', 'remove'], env);
    assert.deepEqual(
      [unknown.code, unknown.err],
      [
        2,
        'coursewire: Unknown command "remove". The command is: renew.\nSee "coursewire installation --help".\n',
      ],
    );
  });

  test('shows its version', async () => {
    const { code, out, err } = await runProgram(['--version']);
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^\d+\.\d+\.\d+\n$/);
  });

  test('does not load a compiler, which would take 20 MiB and a tenth of a second', async () => {
    const atExit = `process.on('exit', () => console.error(process.moduleLoadList.join(' ')))`;
    const preload = `data:text/javascript,${encodeURIComponent(atExit)}`;
    await runProgram(['--help']);
    const { code, err } = await runProgram(['--help'], { NODE_OPTIONS: `--import "${preload}"` });
    assert.equal(code, 0);
    assert.match(err, /internal\/modules\/esm/);
    assert.doesNotMatch(err, /internal\/deps\/amaro/);
  });

  test('a Node that is too old is refused in one sentence, before anything is loaded that it would not understand', async () => {
    const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
      Object.defineProperty(process, 'version', { value: 'v20.20.2' });
      process.on('exit', () => console.log(process.moduleLoadList.includes('Internal Binding sqlite')))`;
    const preload = `data:text/javascript,${encodeURIComponent(older)}`;
    const { code, out, err } = await runProgram(['--version'], { NODE_OPTIONS: `--import "${preload}"` });
    assert.deepEqual([code, out], [1, 'false\n']);
    assert.equal(
      err,
      'coursewire needs Node 24 or later, this is v20.20.2. "npm ci" installs one; start with "npm start".\n',
    );
  });

  test('reports wrong usage with exit code 2', async () => {
    for (const [args, said] of [
      [[], /Usage/],
      [['serv'], /unknown command "serv"/],
      [['serve', '--port', '1'], /serve has no argument "--port"/],
      [['--config'], /--config requires a file name/],
    ] as const) {
      const { code, err } = await run([...args]);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, said);
    }
  });

  test('names wrong arguments of every command in a line that begins as those of failed starts', async () => {
    for (const [args, said] of [
      [['client', 'create', '--nme', 'x'], /^coursewire: Unknown option '--nme'\.\nSee /],
      [['user', 'rename'], /^coursewire: Unknown command "rename"/],
      [['secrets'], /^coursewire: A command is missing/],
      [['queues', 'drop'], /^coursewire: Unknown command "drop"/],
      [['installation', 'drop'], /^coursewire: Unknown command "drop"/],
      [['database', 'copy', 'x'], /^coursewire: Unexpected argument/],
      [['backup', '--to'], /^coursewire: .*--to/],
    ] as const) {
      const { code, err } = await run([...args]);
      assert.deepEqual([code, said.test(err)], [2, true], err);
    }
  });

  test('never shows the password of a URL that is in the wrong place', async () => {
    const url = 'postgres://coursewire:hunter2@db.example/coursewire';
    for (const command of [
      'serve',
      'client',
      'user',
      'secrets',
      'queues',
      'installation',
      'database',
      'backup',
      '',
    ]) {
      const { code, err } = await run([command, url].filter((arg) => arg !== ''));
      assert.equal(code, 2, command);
      assert.match(err, /["']postgres:\/\/\[hidden\]@db\.example\/coursewire["']/);
    }
  });

  test('an invalid setting prevents the start; the message names it, its value and what is allowed', async () => {
    using folder = temporaryFolder();
    const { code, out, err } = await run(['serve'], {
      DATA_DIR: folder.path,
      PORT: 'eighty',
      LOG_LEVEL: 'loud',
    });
    assert.equal(code, 1);
    assert.equal(out, '');
    assert.match(err, /PORT.*eighty/s);
    assert.match(err, /65,?535/);
    assert.match(err, /LOG_LEVEL.*loud/s);
    assert.doesNotMatch(err, /\n\s+at /);
  });

  test('the reason of a failed start is the last line, below those of the log', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'journal');
    const journal = openSync(file, 'w');
    const env = { DATA_DIR: path.join(file, 'data') };
    // Both streams lead to one place, as with systemd and Docker.
    spawnSync(process.execPath, [MAIN, 'serve'], {
      env,
      stdio: ['ignore', journal, journal],
      timeout: DEADLINE_MS,
    });
    closeSync(journal);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    assert.match(lines.at(-1)!, /^coursewire: the data folder .* cannot be used/);
    assert.equal(JSON.parse(lines[0]!).msg, 'starting');
  });

  test('creates a database only for a command that creates something, and says where', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'data');
    for (const args of [
      ['secrets', 're-encrypt'],
      ['client', 'list'],
      ['client', 'delete', 'x'],
      ['client', 'enable', 'x'],
      ['client', 'disable', 'x'],
      ['user', 'list'],
      ['user', 'reset-password', 'ann@example.com'],
      ['user', 'delete', 'ann@example.com'],
      ['installation'],
      ['installation', 'renew'],
      ['queues', 'check'],
    ]) {
      const { code, out, err } = await run(args, { DATA_DIR: dataDir });
      assert.deepEqual([code, out], [1, ''], args.join(' '));
      assert.equal(
        err,
        `coursewire: there is no database in ${dataDir}; is data_dir right?\n`,
        args.join(' '),
      );
      assert.ok(!existsSync(dataDir), args.join(' '));
    }
    for (const [name, ...args] of [
      ['client', 'create', '--name', 'First', '--email', 'me@example.com'],
      ['user', 'create', '--email', 'ann@example.com', '--role', 'admin'],
    ] as const) {
      const place = path.join(folder.path, name);
      const first = await run([name, ...args, '--json'], { DATA_DIR: place });
      assert.ok(existsSync(path.join(place, 'coursewire.db')), name);
      assert.equal(first.err, `Note: a new database was created in ${place}, because there was none.\n`);
      assert.doesNotThrow(() => JSON.parse(first.out));
      const second = await run([name, ...args.map((arg) => arg.replace('@', '2@'))], {
        DATA_DIR: place,
      });
      assert.deepEqual([second.code, second.err], [0, '']);
    }
  });

  test('says why a data folder cannot be opened, rather than that it has no database', async () => {
    using folder = temporaryFolder();
    // A loop of links. Missing permissions do not stop tests that run as root.
    const dataDir = path.join(folder.path, 'loop');
    symlinkSync('loop', dataDir);
    for (const [args, expected] of [
      [['client', 'list'], /^coursewire: the data folder .*loop cannot be used: ELOOP/],
      [
        ['database', 'copy', '--to', 'postgres://localhost/x'],
        /the data folder .*loop cannot be used: ELOOP/,
      ],
      [
        ['backup', '--to', path.join(folder.path, 'copy')],
        /^coursewire: the data folder .*loop cannot be used: ELOOP/,
      ],
    ] as const) {
      const { code, err } = await run([...args], { DATA_DIR: dataDir });
      assert.equal(code, 1);
      assert.match(err, expected);
    }
  });

  test('says where to read what to do if the database is damaged', async () => {
    using folder = temporaryFolder();
    const env = { DATA_DIR: path.join(folder.path, 'data') };
    await run(['client', 'create', '--name', 'First', '--email', 'me@example.com'], env);
    const file = path.join(env.DATA_DIR, 'coursewire.db');
    const damaged = readFileSync(file).fill(0xff, 8_192);
    const advice = 'The database is damaged: see "Data is damaged or lost" in docs/troubleshooting.md\n';
    for (const [bytes, reason] of [
      [damaged, 'database disk image is malformed'],
      [Buffer.alloc(8_192, 'x'), 'file is not a database'],
    ] as const) {
      writeFileSync(file, bytes);
      const { code, err } = await run(['client', 'list'], env);
      assert.equal(code, 1);
      assert.match(err, /^coursewire: the database .+\n$/);
      assert.ok(err.endsWith(`${reason}. ${advice}`), err);
    }
  });

  test('reads settings from a file, which the environment overrides', async () => {
    using folder = temporaryFolder();
    const create = ['client', 'create', '--name', 'First', '--email', 'me@example.com'];
    const config = path.join(folder.path, 'coursewire.yaml');
    writeFileSync(config, `data_dir: ${path.join(folder.path, 'from-file')}\n`);
    await run(['--config', config, ...create]);
    assert.ok(existsSync(path.join(folder.path, 'from-file', 'coursewire.db')));
    await run([...create, `--config=${config}`], {
      DATA_DIR: path.join(folder.path, 'from-environment'),
    });
    assert.ok(existsSync(path.join(folder.path, 'from-environment', 'coursewire.db')));
  });

  test('reads a settings file from a pipe, which can be read only once', async () => {
    using folder = temporaryFolder();
    const dataDir = path.join(folder.path, 'from-pipe');
    const copy = path.join(folder.path, 'copy');
    for (const args of [
      ['user', 'create', '--email', 'ann@example.com', '--role', 'admin'],
      ['backup', '--to', copy],
    ]) {
      const script = `echo "data_dir: $1" | { shift; "$@"; }`;
      const program = [process.execPath, MAIN, '--config', '/dev/stdin', ...args];
      const { status, stderr } = spawnSync('sh', ['-c', script, 'sh', dataDir, ...program], {
        cwd: folder.path,
        encoding: 'utf8',
        timeout: DEADLINE_MS,
      });
      assert.equal(status, 0, stderr);
    }
    assert.ok(existsSync(path.join(dataDir, 'coursewire.db')));
    assert.ok(existsSync(path.join(copy, 'coursewire.db')));
    assert.deepEqual(readdirSync(folder.path).sort(), ['copy', 'from-pipe']);
  });

  test('ends quietly if nobody reads its output, after it has done its work', async () => {
    using folder = temporaryFolder();
    const env = { DATA_DIR: path.join(folder.path, 'data') };
    const args = ['user', 'create', '--email', 'ann@example.com', '--role', 'admin', '--password-stdin'];
    const child = spawn(process.execPath, [MAIN, ...args], { env, timeout: DEADLINE_MS });
    child.stdout.destroy();
    await once(child.stdout, 'close');
    // It writes nothing before it has the password.
    child.stdin.end('a password that is long enough');
    const [[code, signal], err] = await Promise.all([once(child, 'close'), text(child.stderr)]);
    assert.deepEqual([code, signal], [141, null], 'as a shell reports SIGPIPE');
    assert.match(err, /^Note: a new database was created in .*\n$/);
    assert.match((await run(['user', 'list'], env)).out, /^ann@example\.com /m);
  });

  test('asks a person for the password that it reads from standard input', {
    skip: NO_TERMINAL,
  }, async () => {
    using folder = temporaryFolder();
    const env = { PATH: process.env.PATH, DATA_DIR: path.join(folder.path, 'data') };
    const command = `'${process.execPath}' '${MAIN}' user create --email ann@example.com --role admin --password-stdin`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { env, timeout: DEADLINE_MS });
    let shown = '';
    for await (const part of child.stdout.setEncoding('utf8')) {
      const before = shown;
      shown += part;
      if (shown.includes('Ctrl-D') && !before.includes('Ctrl-D')) {
        child.stdin.write('a password that is long enough\n\x04');
      }
    }
    assert.match(shown, /^Type the password, .*\r\n/m);
    assert.match(shown, /The administrator ann@example\.com \(admin\) was created and can sign in\./);
  });

  test('reports that its output cannot be written', { skip: !existsSync('/dev/full') }, async () => {
    using folder = temporaryFolder();
    const full = openSync('/dev/full', 'w');
    try {
      const child = spawn(process.execPath, [MAIN, '--help'], {
        env: { DATA_DIR: folder.path },
        stdio: ['ignore', full, 'pipe'],
        timeout: DEADLINE_MS,
      });
      const [[code], err] = await Promise.all([once(child, 'close'), text(child.stderr!)]);
      assert.equal(code, 1);
      assert.match(err, /^coursewire: the output cannot be written: ENOSPC.*\n$/);
    } finally {
      closeSync(full);
    }
  });

  test('names a missing settings file', async () => {
    const { code, err } = await run(['serve', '--config', '/nowhere/coursewire.yaml']);
    assert.equal(code, 1);
    assert.match(err, /\/nowhere\/coursewire\.yaml/);
  });
});
