import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { createPostgresDatabase, ON_POSTGRES } from '../support/postgres.ts';
import { administer } from '../support/postgres-client.ts';
import { startTestService, type TestService, temporaryFolder, until } from '../support/service.ts';
import { startProcess } from '../support/service-process.ts';
import { startTarget } from '../support/target.ts';
import { answer } from '../support/target-behaviours.ts';
import { startProxyTo } from '../support/tcp-proxy.ts';

const SECRET = 's'.repeat(64);
const TEN_MINUTES_MS = 600_000;
/**
 * Longer than a busy machine takes to start another instance, so that a request that is held open does not time out.
 * Yet a lease, 30 s longer, ends within ten minutes, and a clock is wrong by that much. So the test would notice an
 * instance that uses its own clock.
 */
const LONG_DELIVERY_TIMEOUT_S = 300;
/** Less than any lease: `delivery_timeout` and 30 s. */
const BEFORE_A_LEASE_ENDS_MS = 25_000;
/** An instance that considers a lease expired receives its message within a fraction of this. */
const LOOKS_MEANWHILE_MS = 1_000;

/** The server rejects every change with "disk full", as it does when its disk is full. */
const DISK_FULL = `
  create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
  create trigger refuse before insert or update on accounts execute function refuse();
  create trigger refuse before insert or update on task_leases execute function refuse()`;
const DISK_FREE = 'drop function refuse() cascade';

/** Settings of an instance on a database. */
const on = (url: string) => ({ database_url: url, webhooks_auth_secret: SECRET });

async function readiness({ url }: TestService): Promise<number> {
  return (await fetch(`${url}/health/ready`)).status;
}

describe('while PostgreSQL accepts no changes', { skip: !ON_POSTGRES }, () => {
  it('readiness fails, and the log has one line when it begins and one when it ends', async () => {
    await using database = await createPostgresDatabase();
    await using service = await startTestService({ settings: on(database.url) });
    const { api } = service;
    const lines = (text: RegExp) => service.logLines.filter(({ msg }) => text.test(msg));
    assert.equal(await readiness(service), 200);

    await administer(database.url, DISK_FULL);
    const REFUSED = 30;
    for (let request = 0; request < REFUSED; request++)
      assert.equal((await api.post('/accounts', { name: 'Refused' })).status, 503);
    assert.equal((await api.get('/accounts')).status, 200);
    assert.equal(await readiness(service), 503);
    assert.equal(lines(/database is (still )?failing/).length, 1);
    assert.match(JSON.stringify(lines(/database is (still )?failing/)), /No space left on device/);
    assert.deepEqual(lines(/a request failed/), []);

    await administer(database.url, DISK_FREE);
    await until(async () => (await readiness(service)) === 200, 'readiness is green without any request');
    await until(() => lines(/database works again/).length > 0, 'nothing was refused for a while');
    const [ended] = lines(/database works again/);
    assert.ok(ended?.failures >= REFUSED, JSON.stringify(ended));
    assert.equal((await api.post('/accounts', { name: 'Taken' })).status, 201);
  });
});

/** The settlements of an idle worker's poll: none. */
const NO_ROWS = '[]';

describe('a commit whose response was lost', { skip: !ON_POSTGRES }, () => {
  it('does not block a webhook until the end of a lease that nobody holds', async () => {
    await using target = await startTarget();
    await using database = await createPostgresDatabase();
    const { proxy, behind } = await startProxyTo(database.url);
    await using _proxy = proxy;
    await using deliverer = await startTestService({
      settings: on(behind),
    });
    await using publisher = await startTestService({
      settings: { ...on(database.url), enable_queue_polling: false },
    });
    const webhook = { name: 'all', topic: 'ACCOUNT', target_url: target.url };
    await publisher.api.create('/webhooks', webhook);
    await publisher.api.create('/accounts', { name: 'Before' });
    await target.waitFor(1);
    await until(
      async () => (await publisher.api.get('/webhooks/1/line')).body.state === 'EMPTY',
      'the message is settled, so the next poll is the one that leases',
    );

    proxy.cutBehind(NO_ROWS);
    await publisher.api.create('/accounts', { name: 'Leased by a commit without an answer' });
    await until(
      () => deliverer.logLines.some(({ msg }) => /delivery pauses/.test(msg)),
      'the deliverer lost an answer',
    );
    await until(
      async () =>
        (await administer(database.url, 'select from queue_lines where lease_token is not null')) > 0,
      'the database holds a lease',
    );
    proxy.restore();
    await target.waitFor(2, { deadlineMs: BEFORE_A_LEASE_ENDS_MS });
  });
});

describe('clocks of instances that are ten minutes apart', { skip: !ON_POSTGRES }, () => {
  async function openWorld() {
    await using stack = new AsyncDisposableStack();
    const target = stack.use(await startTarget());
    const { url } = stack.use(await createPostgresDatabase());
    const publisher = stack.use(
      await startTestService({ settings: { ...on(url), enable_queue_polling: false } }),
    );
    await publisher.api.create('/webhooks', { name: 'all', topic: 'ACCOUNT', target_url: target.url });
    const folder = stack.use(temporaryFolder());
    const opened = stack.move();
    return {
      target,
      publish: (name: string) => publisher.api.create('/accounts', { name }),
      depth: async () => (await publisher.api.get('/webhooks/1/line')).body.depth,
      /** An instance that delivers. */
      startDeliverer: async (clockAheadMs: number) =>
        opened.use(
          await startProcess(
            { ...on(url), data_dir: folder.path, delivery_timeout: LONG_DELIVERY_TIMEOUT_S },
            { clockAheadMs },
          ),
        ),
      [Symbol.asyncDispose]: () => opened.disposeAsync(),
    };
  }

  for (const [name, { holderAheadMs, joinerAheadMs, wrong, said }] of Object.entries({
    'one that is ahead joins': {
      holderAheadMs: 0,
      joinerAheadMs: TEN_MINUTES_MS,
      wrong: 'joiner',
      said: /^the clock of this machine is (600|599)\.\d s ahead/,
    },
    'the one that delivers is behind': {
      holderAheadMs: -TEN_MINUTES_MS,
      joinerAheadMs: 0,
      wrong: 'holder',
      said: /^the clock of this machine is (600|599)\.\d s behind/,
    },
  } as const)) {
    it(`cause no message to be delivered twice or late, and its log names the difference (${name})`, async () => {
      await using world = await openWorld();
      const { target } = world;
      const held: (() => void)[] = [];
      target.respondWith((exchange) => held.push(() => answer(200)(exchange)));
      const holder = await world.startDeliverer(holderAheadMs);
      await world.publish('One');
      await target.waitFor(1);
      const joiner = await world.startDeliverer(joinerAheadMs);
      const { logLines } = { holder, joiner }[wrong];
      assert.ok(
        logLines.some(({ msg }) => said.test(msg)),
        JSON.stringify(logLines),
      );
      // The joiner gets the signal of the second message, polls the line, and must not receive its head.
      await world.publish('Two');
      assert.equal(await world.depth(), 2);
      await wait(LOOKS_MEANWHILE_MS);
      target.respondWith(answer(200));
      for (const release of held) release();
      await until(async () => (await world.depth()) === 0, 'both are delivered');
      assert.equal(target.requests.length, 2);

      // Alone, the joiner delivers at once.
      assert.equal((await holder.end('SIGTERM')).code, 0);
      await world.publish('Three');
      await target.waitFor(3);
    });
  }
});
