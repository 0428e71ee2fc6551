import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runClientCommand } from '../../src/cli/client-command.ts';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { formatScope, SCOPES } from '../../src/identity/scopes.ts';
import { START } from '../identity/identity-helpers.ts';
import { ManualClock } from '../support/clock.ts';
import { assertExplains, outcomeOf } from '../support/command-in-process.ts';
import { openTestDatabase } from '../support/database.ts';

// Runs on SQLite alone: the tests of clients run the same queries on both databases.

async function openCommand() {
  const owned = await openTestDatabase();
  const clock = new ManualClock(START);
  const clients = new ClientService({ database: owned.database, now: clock.now });
  let opened = 0;
  const open = async () => {
    opened += 1;
    return clients;
  };
  return {
    clients,
    clock,
    /** The entries of the audit log in their order, each with its changes as JSON. */
    audited: () =>
      owned.database.reader.all<{ action: string; changes: string }>(
        'select action, changes from audit_entries order by id',
      ),
    /** How often a command has opened the clients. */
    opened: () => opened,
    run: (...args: string[]) => outcomeOf((output) => runClientCommand(args, { clients: open, ...output })),
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

const CREATE = ['create', '--name', 'Exporter', '--email', 'ops@example.com'];

describe('coursewire client create', () => {
  it('creates a client and shows its id and secret, and says that the secret is shown once', async () => {
    await using command = await openCommand();
    const { code, out, err } = await command.run(...CREATE, '--scope', 'webhooks:write content:read');
    assert.equal(code, 0);
    assert.equal(err, '');
    const id = /client_id +(\S+)/.exec(out)?.[1] ?? '';
    const secret = /client_secret +(\S+)/.exec(out)?.[1] ?? '';
    const client = await command.clients.authenticate(id, secret);
    assert.equal(client?.name, 'Exporter');
    assert.equal(formatScope(client?.scopes ?? []), 'content:read webhooks:write');
    assert.match(out, /shown only once/);
  });

  it('prints only JSON with --json', async () => {
    await using command = await openCommand();
    const { code, out } = await command.run(...CREATE, '--scope', 'webhooks:read', '--json');
    assert.equal(code, 0);
    const written = JSON.parse(out);
    assert.deepEqual(Object.keys(written), ['client_id', 'client_secret', 'name', 'email', 'scope']);
    assert.equal(written.name, 'Exporter');
    assert.equal(written.email, 'ops@example.com');
    assert.equal(written.scope, 'webhooks:read');
    assert.notEqual(await command.clients.authenticate(written.client_id, written.client_secret), null);
  });

  it('gives all scopes without --scope, and none with an empty one', async () => {
    await using command = await openCommand();
    assert.equal(JSON.parse((await command.run(...CREATE, '--json')).out).scope, SCOPES.join(' '));
    assert.equal(JSON.parse((await command.run(...CREATE, '--json', '--scope', '')).out).scope, '');
    assert.match((await command.run('create', '--help')).out, /default: all scopes/);
  });

  it('exits with 2, reports everything that is wrong, and opens nothing', async () => {
    await using command = await openCommand();
    const wrong: [string[], RegExp][] = [
      [['create'], /--name and --email are missing/],
      [['create', '--name', 'x'], /--email is missing/],
      [['create', '--name', '', '--email', 'nobody', '--scope', 'x'], /--name .*\n--email .*\n--scope .*"x"/],
      [[...CREATE, '--scopes', 'x'], /--scopes/],
      [[...CREATE, '--name', 'again'], /Use --name only once/],
      [[...CREATE, 'extra'], /Unexpected argument "extra"/],
      [[...CREATE, '--scope'], /--scope/],
      [[...CREATE, '--json=yes'], /--json/],
    ];
    for (const [args, message] of wrong) {
      const { code, out, err } = await command.run(...args);
      assert.equal(code, 2, args.join(' '));
      assert.match(err, message);
      assert.match(err, /See "coursewire client create --help"/);
      assert.equal(out, '');
    }
    assert.equal(command.opened(), 0, 'a data folder would be created');
  });
});

describe('coursewire client list', () => {
  it('shows every client without its secret', async () => {
    await using command = await openCommand();
    const made = JSON.parse((await command.run(...CREATE, '--json', '--scope', 'webhooks:read')).out);
    const { code, out } = await command.run('list');
    assert.equal(code, 0);
    assert.match(
      out,
      new RegExp(`${made.client_id} +Exporter +ops@example.com +enabled +never +webhooks:read`),
    );
    assert.ok(!out.includes(made.client_secret));
  });

  it('writes JSON with --json, even if there are none', async () => {
    await using command = await openCommand();
    assert.deepEqual(JSON.parse((await command.run('list', '--json')).out), []);
    const made = JSON.parse((await command.run(...CREATE, '--json')).out);
    const client = await command.clients.get(made.client_id);
    assert.ok(client !== null);
    await command.clients.noteUse(client);
    assert.deepEqual(JSON.parse((await command.run('list', '--json')).out), [
      {
        client_id: made.client_id,
        name: 'Exporter',
        email: 'ops@example.com',
        scope: SCOPES.join(' '),
        enabled: true,
        created_dt: '2026-06-01T12:00:00.000Z',
        last_used_dt: '2026-06-01T12:00:00.000Z',
      },
    ]);
  });

  it('explains how to create the first one', async () => {
    await using command = await openCommand();
    assert.match((await command.run('list')).out, /client create/);
  });
});

describe('coursewire client delete, enable and disable', () => {
  it('delete, enable and disable the client', async () => {
    await using command = await openCommand();
    const { client_id: id } = JSON.parse((await command.run(...CREATE, '--json')).out);
    assert.equal((await command.run('disable', id)).code, 0);
    assert.equal((await command.clients.get(id))?.enabled, false);
    assert.equal((await command.run('enable', id)).code, 0);
    assert.equal((await command.clients.get(id))?.enabled, true);
    assert.equal((await command.run('delete', id)).code, 0);
    assert.equal(await command.clients.get(id), null);
    const change = (before: boolean) => [{ field: 'enabled', before, after: !before }];
    assert.deepEqual(
      (await command.audited()).slice(1, 3).map(({ action, changes }) => [action, JSON.parse(changes)]),
      [
        ['API_CLIENT_UPDATED', change(true)],
        ['API_CLIENT_UPDATED', change(false)],
      ],
    );
  });

  it('exit 1 if the client does not exist', async () => {
    await using command = await openCommand();
    for (const name of ['delete', 'enable', 'disable']) {
      const { code, out, err } = await command.run(name, 'cw_unknown');
      assert.equal(code, 1);
      assert.equal(out, '');
      assert.match(err, /no API client "cw_unknown"/);
    }
  });

  it('exit 2 without a client id, or with two', async () => {
    await using command = await openCommand();
    for (const name of ['delete', 'enable', 'disable']) {
      assert.match((await command.run(name)).err, /CLIENT_ID is missing/);
      assert.equal((await command.run(name)).code, 2);
      assert.equal((await command.run(name, 'a', 'b')).code, 2);
    }
  });
});

describe('coursewire client', () => {
  it('explains itself and each command with --help', async () => {
    await using command = await openCommand();
    await assertExplains('client', (args) => command.run(...args), [
      ['--help'],
      ['-h'],
      ['create', '--help'],
      ['list', '-h'],
      ['delete', 'x', '--help'],
    ]);
  });

  it('exits 2 without a command, or with one that does not exist', async () => {
    await using command = await openCommand();
    assert.match((await command.run()).err, /A command is missing/);
    assert.match((await command.run('rename')).err, /Unknown command "rename"/);
    assert.equal((await command.run()).code, 2);
    assert.equal((await command.run('rename')).code, 2);
  });
});
