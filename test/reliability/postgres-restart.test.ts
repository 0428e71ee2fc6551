import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { COMMAND_LINE } from '../../src/audit/actor.ts';
import { PostgresDatabase } from '../../src/database/postgres/postgres-database.ts';
import { ClientService } from '../../src/identity/clients/client-service.ts';
import { SCOPES } from '../../src/identity/scopes.ts';
import { Callers } from '../support/callers.ts';
import { DEADLINE_MS, TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startProcess } from '../support/process.ts';
import { Api, requestToken, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';

const CALLERS = 4;

describe('a PostgreSQL server that restarts under load', { skip: !ON_POSTGRES && 'needs PostgreSQL' }, () => {
  test('only costs time: changes are rejected during it, and everything that was confirmed is delivered', {
    timeout: TEST_TIMEOUT_MS,
  }, async () => {
    using folder = temporaryFolder();
    await using target = await startTarget();
    await using server = await startPostgresServer();
    const settings = { data_dir: folder.path, database_url: server.url, delivery_timeout: 1 };
    await using program = await startProcess(settings);
    const api = new Api(program.url, await tokenOf(program.url, server.url));
    const { id } = await api.create('/webhooks', {
      name: 'all accounts',
      topic: 'ACCOUNT',
      target_url: target.url,
      logging_mode: 'NONE',
    });

    const happened: string[][] = Array.from({ length: CALLERS }, () => []);
    let refused = 0;
    await using callers = new Callers(CALLERS, async (caller) => {
      const name = `${caller}:${randomUUID()}`;
      const { status, headers, body } = await api.post('/accounts', { name });
      if (status === 201) {
        happened[caller]!.push(name);
        return;
      }
      assert.equal(status, 503, JSON.stringify(body));
      assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
      assert.doesNotMatch(JSON.stringify(body), /postgres|ECONN|127\.0\.0\.1/i);
      refused += 1;
    });
    await callers.during(target.waitFor(50));
    await callers.during(server.stop());
    const readiness = async () => (await fetch(`${program.url}/health/ready`)).status;
    await callers.during(
      until(async () => refused > 0 && (await readiness()) === 503, 'changes are refused'),
    );
    const before = target.requests.length;
    await callers.during(server.start());
    await callers.during(until(async () => (await readiness()) === 200, 'it is ready again'));
    await callers.during(target.waitFor(before + 50));
    await callers.stop();
    // Deliveries that the outage cut off come again when their lease has ended, after more than 30 s.
    await until(
      async () => (await api.get(`/webhooks/${id}/line`)).body.state === 'EMPTY',
      'all is delivered',
      4 * DEADLINE_MS,
    );

    const came = target.requests.map(({ text }) => JSON.parse(text).resource.account.name as string);
    for (const names of happened) {
      const wanted = new Set(names);
      const own = [...new Set(came)].filter((name) => wanted.has(name));
      assert.deepEqual(own, names, 'each once or more, in order');
    }
    const pauses = program.logLines.filter(({ msg }) => /delivery pauses/.test(msg));
    assert.equal(pauses.length, 1, 'said once');
    assert.deepEqual(await program.end('SIGTERM'), { code: 0, signal: null });
  });
});

async function tokenOf(serviceUrl: string, databaseUrl: string): Promise<string> {
  await using database = new PostgresDatabase(databaseUrl, { connections: 3 });
  const clients = new ClientService({ database, now: Date.now });
  const { client, clientSecret } = await clients.create(
    {
      name: 'tests',
      email: 'tests@example.com',
      scopes: SCOPES,
    },
    COMMAND_LINE,
  );
  return await requestToken(serviceUrl, client.clientId, clientSecret);
}
