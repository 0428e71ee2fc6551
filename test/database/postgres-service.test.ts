import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, it } from 'node:test';
import { migrate } from '../../src/database/migrate.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { runCommand } from '../support/command-line-in-process.ts';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { connectTo } from '../support/postgres-client.ts';
import { Api, startTestService, type TestService, temporaryFolder, until } from '../support/service.ts';
import { runProgram } from '../support/service-process.ts';
import { startTarget } from '../support/target.ts';
import { startProxyTo } from '../support/tcp-proxy.ts';

const SECRET = 's'.repeat(64);

/** Settings of an instance on a database. */
const on = (url: string) => ({ database_url: url, webhooks_auth_secret: SECRET });

/** The URL for another user or database. */
function urlAs(url: string, parts: Partial<Pick<URL, 'username' | 'password' | 'pathname'>>): string {
  return Object.assign(new URL(url), parts).href;
}

async function createWebhook({ api }: TestService, targetUrl: string): Promise<number> {
  const { id } = await api.create('/webhooks', { name: 'all', topic: 'ACCOUNT', target_url: targetUrl });
  return id;
}

/** The statements of docs/operating.md that begin with a text, with another name for the user and the database. */
function documentedStatements(name: string, beginning: string): string[] {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8');
  const block = [...page.matchAll(/```sql\n(.*?)```/gs)]
    .map(([, text]) => text!)
    .find((text) => text.startsWith(beginning));
  assert.ok(block !== undefined);
  return block.replaceAll('coursewire', name).trim().split('\n');
}

describe('the user and the database of a service on PostgreSQL', { skip: !ON_POSTGRES }, () => {
  it('can be created as docs/operating.md says by an administrator who is no superuser, and be used by a second user', async () => {
    await using existing = await createPostgresDatabase();
    const suffix = randomUUID().replaceAll('-', '');
    const [admin, name] = [`admin_${suffix}`, `coursewire_${suffix}`];
    await using superuser = await connectTo(existing.url);
    await superuser.query(`create role ${admin} login createdb createrole password 'a'`);
    try {
      {
        await using administrator = await connectTo(urlAs(existing.url, { username: admin, password: 'a' }));
        for (const statement of documentedStatements(name, 'create user coursewire '))
          await administrator.query(statement);
      }
      const url = urlAs(existing.url, { username: name, password: '…', pathname: name });
      await using database = new PostgresDatabase(url, { connections: 3 });
      await database.assertSuitable();
      assert.ok((await migrate(database, Date.now)).length > 0);

      // The second user, for a change of the password without an interruption.
      {
        await using administrator = await connectTo(urlAs(existing.url, { username: admin, password: 'a' }));
        for (const statement of documentedStatements(name, 'create user coursewire_2'))
          await administrator.query(statement);
      }
      await superuser.query(`alter role ${name} nologin`);
      const secondUrl = urlAs(url, { username: `${name}_2` });
      await using service = await startTestService({ settings: on(secondUrl) });
      await service.api.create('/accounts', { name: 'Made by the second user' });
      await using second = await connectTo(secondUrl);
      assert.deepEqual((await second.query('select current_user')).rows, [{ current_user: name }]);
    } finally {
      await superuser.query(`drop database if exists ${name} (force)`);
      await superuser.query(`drop role if exists ${name}_2`);
      await superuser.query(`drop role if exists ${name}`);
      await superuser.query(`drop role ${admin}`);
    }
  });
});

describe('a service on PostgreSQL', { skip: !ON_POSTGRES }, () => {
  it('keeps only course files in its folder, and no lock', async () => {
    await using service = await startTestService();
    assert.deepEqual(readdirSync(service.settings.data_dir).sort(), [
      'content',
      'tmp',
      'webhooks_auth_secret',
    ]);
  });

  it('shares clients, tokens, content and webhooks with the other instances on its database', async () => {
    await using target = await startTarget();
    await using database = await createPostgresDatabase();
    await using one = await startTestService({ settings: on(database.url) });
    await using two = await startTestService({ settings: on(database.url) });
    await createWebhook(one, target.url);
    const { id } = await two.api.create('/accounts', { name: 'Made by two' });
    await target.waitFor(1);
    const withOnesToken = new Api(two.url, one.api.token);
    assert.equal((await withOnesToken.get(`/accounts/${id}`)).body.name, 'Made by two');
    assert.equal((await one.api.get(`/accounts/${id}`)).status, 200);
  });

  it('rejects a second instance with another secret, and says what to do', async () => {
    await using database = await createPostgresDatabase();
    await using _one = await startTestService({ settings: on(database.url) });
    const other = startTestService({
      settings: { ...on(database.url), webhooks_auth_secret: 'x'.repeat(64) },
    });
    await assert.rejects(other, {
      name: 'WrongSecretError',
      message: /configure the secret that was used before/,
    });
    // An instance without the setting does not generate a secret: the first instance's secret is missing.
    const none = startTestService({ settings: { ...on(database.url), webhooks_auth_secret: null } });
    await assert.rejects(none, { name: 'LostSecretError', message: /need the same secret/ });
  });

  it('stops at start with one line, without the password, if the server is unreachable', async () => {
    using folder = temporaryFolder();
    const { code, errors } = await runProgram(['serve'], {
      data_dir: folder.path,
      database_url: 'postgres://user:pa55-word@127.0.0.1:1/none',
    });
    assert.equal(code, 1);
    assert.match(
      errors,
      /^coursewire: the database could not be reached at 127\.0\.0\.1:1 \(database none\): .*ECONNREFUSED.*\n$/,
    );
    assert.doesNotMatch(errors, /pa55-word/);
  });

  it('names host, port and database if they refuse the password, which it does not show', async () => {
    using folder = temporaryFolder();
    await using database = await createPostgresDatabase();
    const { host, pathname } = new URL(database.url);
    const { code, errors } = await runProgram(['serve'], {
      data_dir: folder.path,
      database_url: urlAs(database.url, { password: 'pa55-word' }),
    });
    assert.equal(code, 1);
    assert.equal(
      errors,
      `coursewire: the database could not be reached at ${host} (database ${pathname.slice(1)}): password authentication failed for user "postgres"\n`,
    );
  });

  it('keeps the id of its installation until all instances have stopped', async () => {
    using folder = temporaryFolder();
    await using database = await createPostgresDatabase();
    const settings = on(database.url);
    await using service = await startTestService({ dataDir: folder.path, settings });
    const command = { ...settings, data_dir: folder.path };
    const before = (await runCommand(['installation'], command)).out;
    const refused = await runCommand(['installation', 'renew'], command);
    assert.deepEqual([refused.code, refused.out], [1, '']);
    assert.equal(
      refused.err,
      `Instances are running on ${hostname()}: stop them first. One that was killed counts as running for 30 s.\n`,
    );
    assert.equal((await runCommand(['installation'], command)).out, before);
    await service.stop();
    const renewed = await runCommand(['installation', 'renew'], command);
    assert.equal(renewed.code, 0, renewed.err);
  });

  it('never logs the password', async () => {
    await using database = await createPostgresDatabase();
    await using service = await startTestService({ settings: { ...on(database.url), log_level: 'debug' } });
    assert.doesNotMatch(JSON.stringify(service.logLines), /postgres(ql)?:\/\//);
  });
});

describe('while the PostgreSQL server is gone', { skip: !ON_POSTGRES }, () => {
  it('requests get 503, readiness fails and delivery pauses; all recover without help, and nothing is lost', async () => {
    await using target = await startTarget();
    await using database = await createPostgresDatabase();
    const { proxy, behind } = await startProxyTo(database.url);
    await using _proxy = proxy;
    await using service = await startTestService({
      settings: { ...on(behind), queue_polling_interval: 0.05 },
    });
    const { api } = service;
    await createWebhook(service, target.url);
    await api.create('/accounts', { name: 'Before' });
    await target.waitFor(1);

    proxy.cut();
    const ready = async () => (await fetch(`${service.url}/health/ready`)).status;
    await until(async () => (await ready()) === 503, 'readiness is red');
    assert.equal((await fetch(`${service.url}/health/live`)).status, 200);
    for (const answer of [await api.get('/accounts'), await api.post('/accounts', { name: 'Refused' })]) {
      assert.equal(answer.status, 503, JSON.stringify(answer.body));
      assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.match(answer.headers.get('retry-after') ?? '', /^\d+$/);
      assert.doesNotMatch(JSON.stringify(answer.body), /postgres|ECONN|127\.0\.0\.1/i);
    }
    const pauses = () => service.logLines.filter(({ msg }) => /delivery pauses/.test(msg)).length;
    await until(() => pauses() > 0, 'delivery says that it pauses');

    proxy.restore();
    await until(async () => (await ready()) === 200, 'readiness is green');
    await until(
      async () => (await api.post('/accounts', { name: 'After' })).status === 201,
      'changes are taken again',
    );
    const namesSent = () =>
      new Set(target.requests.map(({ text }) => JSON.parse(text).resource.account.name));
    await until(() => namesSent().has('After'), 'delivery continues');
    assert.deepEqual([...namesSent()], ['Before', 'After']);
    assert.equal(pauses(), 1, 'said once, not at every try');
  });
});
