import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_LINE } from '../../../src/audit/actor.ts';
import { runUserCommand } from '../../../src/cli/user-command.ts';
import {
  administratorServicesOn,
  Browser,
  createAdministrator,
  PASSWORD,
  signedInBrowser,
} from '../../support/administration.ts';
import { assertExplains, outcomeOf } from '../../support/command-in-process.ts';
import { openTestDatabase } from '../../support/database.ts';
import { startTestService } from '../../support/service.ts';
import { runProgram } from '../../support/service-process.ts';

// Runs on SQLite alone: the tests of administrators run the same queries on both databases.

async function openCommand() {
  const owned = await openTestDatabase();
  const { administrators, setup } = administratorServicesOn(owned.database);
  let opened = 0;
  return {
    administrators,
    setup,
    /** How often a command has opened the administrators. */
    opened: () => opened,
    run: (args: string[], input = '') =>
      outcomeOf((output) =>
        runUserCommand(args, {
          administrators: async () => {
            opened += 1;
            return administrators;
          },
          baseUrl: () => 'https://wire.example.com',
          readPassword: async () => input,
          ...output,
        }),
      ),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

const CREATE = ['create', '--email', 'Ann@example.com', '--role', 'admin'];

describe('coursewire user create', () => {
  test('creates an administrator and prints a link that sets the password', async () => {
    await using command = await openCommand();
    const { code, out, err } = await command.run([...CREATE, '--name', 'Ann']);
    assert.deepEqual([code, err], [0, '']);
    const token = /https:\/\/wire\.example\.com\/ui\/setup#token=(\S+)/.exec(out)?.[1] ?? '';
    assert.deepEqual(await command.setup.readLink(token), {
      id: 1,
      email: 'Ann@example.com',
      name: 'Ann',
      role: 'admin',
      hasPassword: false,
    });
  });

  test('reads a password from standard input, and then creates no link', async () => {
    await using command = await openCommand();
    const { code, out } = await command.run([...CREATE, '--password-stdin', '--json'], PASSWORD);
    assert.equal(code, 0);
    const written = JSON.parse(out);
    assert.deepEqual(
      [written.email, written.name, written.invited],
      ['Ann@example.com', 'Ann@example.com', false],
    );
    assert.equal('invitation_url' in written, false);
    assert.doesNotMatch(out, /correct horse|argon2/);
  });

  test('says so if someone had been invited already, and what it changed', async () => {
    await using command = await openCommand();
    const first = await command.run(CREATE);
    assert.match(first.out, /^The administrator Ann@example\.com \(admin\) was created\.\n/);
    const again = await command.run(CREATE);
    assert.match(
      again.out,
      /^The administrator Ann@example\.com \(admin\) had been invited already\. The earlier link no longer works\.\n/,
    );
    await command.administrators.update(1, { enabled: false }, COMMAND_LINE);
    const changed = await command.run(['create', '--email', 'ann@example.com', '--role', 'viewer']);
    assert.match(
      changed.out,
      /^The administrator Ann@example\.com \(viewer\) had been invited already\. The role was changed from admin to viewer\. The administrator was disabled, and is now enabled\. The earlier link no longer works\.\n/,
    );
    const [link] = /\S+#token=\S+/.exec(first.out) ?? [];
    assert.equal(await command.setup.readLink(link?.split('token=')[1] ?? ''), null);
  });

  test('says what to do if a password is given for someone who has been invited', async () => {
    await using command = await openCommand();
    await command.run(CREATE);
    const { code, err } = await command.run([...CREATE, '--password-stdin'], PASSWORD);
    assert.equal(code, 1);
    assert.match(err, /Ann@example\.com already exists.*\buser reset-password Ann@example\.com\b/s);
  });

  test('prints only JSON with --json', async () => {
    await using command = await openCommand();
    const written = JSON.parse((await command.run([...CREATE, '--json'])).out);
    assert.match(written.invitation_url, /#token=/);
    assert.ok(Date.parse(written.invitation_expires_dt) > Date.now());
    assert.equal(written.invited, true);
  });

  test('exits with 2 and reports every error', async () => {
    await using command = await openCommand();
    for (const [args, message] of [
      [['create'], /--email and --role are missing/],
      [
        ['create', '--email', 'x', '--role', 'owner'],
        /--email must be .*\n--role must be one of admin, integrator, viewer/,
      ],
      [[...CREATE, '--password-stdin'], /--password-stdin must have at least 12 characters/],
      [[...CREATE, '--name', ''], /--name must not be empty/],
      [[...CREATE, 'extra'], /Unexpected argument/],
      [[...CREATE, '--password', 'secret'], /--password/],
      [['rename'], /Unknown command "rename"/],
      [[], /A command is missing/],
    ] as const) {
      const { code, err } = await command.run([...args], 'short');
      assert.equal(code, 2, args.join(' '));
      assert.match(err, message);
    }
    assert.equal(command.opened(), 0, 'a data folder would be created');
  });

  test('exits with 1 if the address is taken', async () => {
    await using command = await openCommand();
    await command.run([...CREATE, '--password-stdin'], PASSWORD);
    const { code, err } = await command.run(CREATE.map((arg) => arg.replace('Ann@', 'ann@')));
    assert.equal(code, 1);
    assert.match(err, /already/);
  });
});

describe('coursewire user list, delete and reset-password', () => {
  test('list shows all administrators, and how to create the first', async () => {
    await using command = await openCommand();
    assert.match((await command.run(['list'])).out, /user create/);
    assert.deepEqual(JSON.parse((await command.run(['list', '--json'])).out), []);
    await command.run(CREATE);
    assert.match(
      (await command.run(['list'])).out,
      /Ann@example\.com +\(not set up yet\) +admin +invited +never/,
    );
    assert.equal(JSON.parse((await command.run(['list', '--json'])).out)[0].invited, true);
  });

  test('delete keeps the last admin', async () => {
    await using command = await openCommand();
    await command.run([...CREATE, '--password-stdin'], PASSWORD);
    const kept = await command.run(['delete', 'ann@example.com']);
    assert.equal(kept.code, 1);
    assert.match(kept.err, /last enabled admin/);
    await command.run(['create', '--email', 'b@b.c', '--role', 'admin', '--password-stdin'], PASSWORD);
    assert.equal((await command.run(['delete', 'ann@example.com'])).code, 0);
    assert.equal((await command.administrators.list()).length, 1);
  });

  test('reset-password exits with 1 for a disabled administrator, whose link would not work', async () => {
    await using command = await openCommand();
    await command.run(
      ['create', '--email', 'vic@example.com', '--role', 'viewer', '--password-stdin'],
      PASSWORD,
    );
    await command.administrators.update(1, { enabled: false }, COMMAND_LINE);
    const { code, out, err } = await command.run(['reset-password', 'vic@example.com']);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /is disabled/);
  });

  test('exit with 1 if the administrator does not exist', async () => {
    await using command = await openCommand();
    for (const name of ['delete', 'reset-password']) {
      const { code, err } = await command.run([name, 'nobody@example.com']);
      assert.equal(code, 1);
      assert.match(err, /no administrator "nobody@example.com"/);
    }
  });

  test('explain themselves with --help', async () => {
    await using command = await openCommand();
    await assertExplains('user', command.run, [
      ['--help'],
      ['create', '-h'],
      ['list', '--help'],
      ['delete', '-h'],
      ['reset-password', '-h'],
    ]);
  });
});

describe('coursewire user while the service is running', () => {
  test('resets a password: the link works at once', async () => {
    await using service = await startTestService();
    const { data_dir } = service.settings;
    await createAdministrator(data_dir);
    const before = await signedInBrowser(service.url);
    const base_url = service.url;
    const { code, output } = await runProgram(['user', 'reset-password', 'ann@example.com'], {
      data_dir,
      base_url,
    });
    assert.equal(code, 0);
    const token = new RegExp(`${base_url}/ui/setup#token=(\\S+)`).exec(output)?.[1];
    const browser = new Browser(service.url);
    const password = 'set with the link';
    assert.equal((await browser.post('/ui/api/setup', { token, password })).status, 200);
    assert.equal((await before.get('/ui/api/session')).status, 401);
  });
});
