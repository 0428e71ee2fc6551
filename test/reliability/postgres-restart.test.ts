import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { PostgresDatabase } from '../../src/database/postgres-database.ts';
import { ClientService } from '../../src/identity/client-service.ts';
import { SCOPES } from '../../src/identity/scopes.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { startProcess } from '../support/process.ts';
import { Api, requestToken, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';

const CALLERS = 4;
const DEADLINE_MS = 30_000;

describe('a PostgreSQL server that restarts under load', { skip: !ON_POSTGRES && 'needs PostgreSQL' }, () => {
  test('costs nothing but time: changes are refused meanwhile, what was told to have happened is delivered', {
    timeout: 120_000,
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

    const happened: Record<number, string[]> = {};
    let refused = 0;
    let calling = true;
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      const names: string[] = [];
      happened[caller] = names;
      for (let n = 0; calling; n++) {
        const name = `${caller}:${n}:${randomUUID()}`;
        const { status, headers, body } = await api.post('/accounts', { name });
        if (status === 201) {
          names.push(name);
          continue;
        }
        assert.equal(status, 503, JSON.stringify(body));
        assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
        assert.doesNotMatch(JSON.stringify(body), /postgres|ECONN|127\.0\.0\.1/i);
        refused += 1;
      }
    });
    await target.waitFor(50);
    await server.stop();
    const isReady = async () => (await fetch(`${program.url}/health/ready`)).status;
    await until(async () => refused > 0 && (await isReady()) === 503, 'changes are refused', DEADLINE_MS);
    const before = target.requests.length;
    await server.start();
    await until(async () => (await isReady()) === 200, 'it is ready again', DEADLINE_MS);
    await target.waitFor(before + 50);
    calling = false;
    await Promise.all(callers);
    // Deliveries that the outage cut off come again when their lease has ended.
    await until(
      async () => (await api.get(`/webhooks/${id}/line`)).body.state === 'EMPTY',
      'all is delivered',
      DEADLINE_MS * 2,
    );

    const came = target.requests.map(({ text }) => JSON.parse(text).resource.account.name as string);
    for (let caller = 0; caller < CALLERS; caller++) {
      const wanted = new Set(happened[caller]);
      const own = [...new Set(came)].filter((name) => wanted.has(name));
      assert.deepEqual(own, happened[caller], 'each once or more, in order');
    }
    const pauses = program.logLines.filter(({ msg }) => /delivery pauses/.test(msg));
    assert.equal(pauses.length, 1, 'said once');
    assert.deepEqual(await program.end('SIGTERM'), { code: 0, signal: null });
  });
});

async function tokenOf(serviceUrl: string, databaseUrl: string): Promise<string> {
  await using database = new PostgresDatabase(databaseUrl, { connections: 3 });
  const clients = new ClientService({ database, now: Date.now });
  const { client, clientSecret } = await clients.create({
    name: 'tests',
    email: 'tests@example.com',
    scopes: SCOPES,
  });
  return await requestToken(serviceUrl, client.clientId, clientSecret);
}
