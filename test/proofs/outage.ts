import { describe, it } from 'node:test';
import { startSqsProxy, type Treatment } from '../queue/sqs-proxy.ts';
import { createTestQueues, settingsOf, startSqsServer } from '../queue/sqs-server.ts';
import { type Outage, type OutageResult, ServiceUnderOutages } from '../reliability/outage-run.ts';
import { TEST_TIMEOUT_MS } from '../support/deadline.ts';
import { askOnly, startNameServer } from '../support/name-server.ts';
import { findPgBouncer, startPgBouncer } from '../support/pgbouncer.ts';
import { dropDatabaseOf, ON_POSTGRES, setDatabaseUrlOf } from '../support/postgres.ts';
import { administer } from '../support/postgres-client.ts';
import { startPostgresPooler } from '../support/postgres-pooler.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { signalTree } from '../support/process-tree.ts';
import { temporaryFolder } from '../support/service.ts';
import { giveLike, mountSmallDisk } from '../support/small-disk.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { noteSkipped } from './notes.ts';
import { showTable } from './show-table.ts';

/**
 * The dependencies of the service fail while clients make changes, and recover. Nothing that was confirmed is lost or out of
 * order, the service recovers by itself, and its log and readiness say what is wrong, once.
 */

const DISK_MIB = 96;
const { OUTAGE_CALL_EVERY_MS, OUTAGE_HOLD_MS, OUTAGE_ONCE } = process.env;
const PACE = {
  ...(OUTAGE_CALL_EVERY_MS === undefined ? {} : { callEveryMs: Number(OUTAGE_CALL_EVERY_MS) }),
  ...(OUTAGE_HOLD_MS === undefined ? {} : { holdMs: Number(OUTAGE_HOLD_MS) }),
};
const NAME = 'target.prove.test';
const DATABASE = {
  says: /^the database is failing/,
  saysOver: /^the database .*again/,
  isUnready: true,
} as const;

/** Causes one outage after another, and shows a table. */
async function sufferAll(service: ServiceUnderOutages, outages: readonly Outage[]): Promise<void> {
  const results: OutageResult[] = [];
  await using running = service;
  for (const outage of outages) results.push(await running.suffer(outage));
  await running.finish();
  showTable(results.map((result) => ({ ...result, lost: 0, 'out of order': 0 })));
}

const options = { timeout: 2 * TEST_TIMEOUT_MS };
/** Outages in which the database is not involved. */
const elsewhere = {
  ...options,
  skip: ON_POSTGRES && OUTAGE_ONCE !== undefined && 'a short run has these on SQLite',
};

// The outages run at the same time, because most of the time is spent waiting.
describe('nothing is lost in an outage', { concurrency: true }, () => {
  it('of the name servers, or with a full SQLite disk', elsewhere, async () => {
    await using stack = new AsyncDisposableStack();
    const disk = ON_POSTGRES ? null : await mountSmallDisk(DISK_MIB);
    if (typeof disk === 'string') noteSkipped(`SQLite's disk full. ${disk}`);
    else if (disk !== null) stack.use(disk);
    const dataDir =
      disk === null || typeof disk === 'string' ? stack.use(temporaryFolder()).path : disk.folder;
    stack.defer(() => dropDatabaseOf(dataDir));
    let isSilent = false;
    const names = stack.use(
      await startNameServer((name) => (name === NAME && !isSilent ? ['127.0.0.1'] : 'silent')),
    );
    const service = await ServiceUnderOutages.start(
      { data_dir: dataDir },
      { preload: askOnly(names.address), targetHost: NAME, ...PACE },
    );
    const outages: Outage[] = [
      {
        name: 'name servers are silent',
        begin: async () => {
          isSilent = true;
          service.target.dropConnections();
        },
        end: async () => {
          isSilent = false;
        },
        says: /^this machine is unable to connect/,
        isUnready: false,
      },
    ];
    if (disk !== null && typeof disk !== 'string')
      outages.push({
        name: 'disk is full',
        begin: async () => disk.fill(),
        end: async () => disk.empty(),
        ...DATABASE,
      });
    await sufferAll(service, outages);
  });

  it('of Amazon SQS', elsewhere, async () => {
    await using stack = new AsyncDisposableStack();
    const server = stack.use(await startSqsServer());
    const queues = stack.use(await createTestQueues(server));
    const proxy = stack.use(await startSqsProxy(server.endpoint));
    const dataDir = stack.use(temporaryFolder()).path;
    stack.defer(() => dropDatabaseOf(dataDir));
    const service = await ServiceUnderOutages.start(
      { data_dir: dataDir, ...settingsOf({ ...queues.place, endpoint: proxy.endpoint }) },
      PACE,
    );
    const treated = (name: string, treatment: Treatment, says: RegExp | null): Outage => ({
      name,
      begin: async () => {
        proxy.treat = () => treatment;
      },
      end: async () => {
        proxy.treat = () => 'pass';
      },
      says,
      saysOver: /^Amazon SQS works again/,
      isUnready: says !== null,
    });
    await sufferAll(service, [
      treated('server is gone', 'cut before', /^Amazon SQS: it does not respond/),
      treated('throttling', 'throttled', /^Amazon SQS: too many requests/),
      treated('late', 'late', null),
      { name: 'purged', begin: queues.purge, end: async () => {}, says: null, isUnready: false },
      {
        name: 'deleted and created again',
        begin: queues.delete,
        end: queues.createAgain,
        says: /^Amazon SQS: the queue is gone/,
        saysOver: /^Amazon SQS works again/,
        isUnready: true,
      },
    ]);
  });

  if (ON_POSTGRES) {
    it('of the PostgreSQL server or the network to it', options, async () => {
      await using stack = new AsyncDisposableStack();
      const primary = stack.use(await startPostgresServer({ isDurable: true }));
      const { port, password } = new URL(primary.url);
      await primary.stop();
      const standby = stack.use(
        await startPostgresServer({
          isDurable: true,
          standbyOf: primary.dataFolder,
          flags: [`primary_conninfo=host=127.0.0.1 port=${port} user=postgres password=${password}`],
        }),
      );
      await primary.start();
      // Without this, a failover loses what the standby has not received.
      await administer(primary.url, "alter system set synchronous_standby_names = '*'");
      await administer(primary.url, 'select pg_reload_conf()');
      const way = { host: '127.0.0.1', port: Number(port) };
      const proxy = stack.use(await startTcpProxy(way));
      const url = new URL(primary.url);
      url.port = String(proxy.port);
      const dataDir = stack.use(temporaryFolder()).path;
      setDatabaseUrlOf(dataDir, url.href);
      const service = await ServiceUnderOutages.start({ data_dir: dataDir }, PACE);
      const outages: Outage[] = [
        { name: 'stopped', begin: () => primary.stop(), end: () => primary.start(), ...DATABASE },
        { name: 'crashed', begin: () => primary.crash(), end: () => primary.start(), ...DATABASE },
      ];
      if (process.platform === 'linux')
        outages.push({
          name: 'paused',
          begin: async () => signalTree(primary.pid, 'SIGSTOP'),
          end: async () => signalTree(primary.pid, 'SIGCONT'),
          ...DATABASE,
        });
      else noteSkipped('PostgreSQL paused: it needs /proc of Linux.');
      const pgBouncer = findPgBouncer();
      if (pgBouncer === null)
        noteSkipped('PgBouncer: it is not installed. A pooler of the tests takes its place.');
      const primaryPlace = { ...way };
      const startPooler = async () =>
        stack.use(
          pgBouncer === null
            ? await startPostgresPooler(primaryPlace, 'session')
            : await startPgBouncer(pgBouncer, primary),
        );
      let pooler = await startPooler();
      outages.push(
        {
          name: `${pgBouncer === null ? 'pooler' : 'PgBouncer'} is killed`,
          begin: async () => {
            // From now on, sessions use the pooler. Then the pooler dies.
            way.port = pooler.port;
            proxy.cut();
            proxy.restore();
            const arrivals = service.target.requests.length;
            await service.target.waitFor(arrivals + WEBHOOKS_HEARD);
            await pooler[Symbol.asyncDispose]();
          },
          end: async () => {
            pooler = await startPooler();
            way.port = pooler.port;
          },
          ...DATABASE,
        },
        {
          name: 'network is silent',
          begin: async () => proxy.freeze(),
          end: async () => {
            proxy.cut();
            proxy.restore();
          },
          ...DATABASE,
        },
        {
          name: 'failed over',
          begin: () => primary.crash(),
          end: async () => {
            await administer(standby.url, 'select pg_promote()');
            way.port = Number(new URL(standby.url).port);
          },
          ...DATABASE,
        },
      );
      await sufferAll(service, outages);
    });

    it('of PostgreSQL with a full disk', options, async () => {
      const disk = await mountSmallDisk(DISK_MIB);
      if (typeof disk === 'string') return noteSkipped(`PostgreSQL's disk full. ${disk}`);
      await using stack = new AsyncDisposableStack();
      stack.use(disk);
      const server = stack.use(await startPostgresServer({ isDurable: true }));
      giveLike(disk.folder, server.dataFolder);
      // The log is elsewhere: a server that cannot write it stops, which is another outage.
      await administer(server.url, `create tablespace small_disk location '${disk.folder}'`);
      await administer(server.url, 'create database coursewire tablespace small_disk');
      const dataDir = stack.use(temporaryFolder()).path;
      setDatabaseUrlOf(dataDir, server.url.replace(/postgres$/, 'coursewire'));
      const service = await ServiceUnderOutages.start({ data_dir: dataDir }, PACE);
      await sufferAll(service, [
        { name: 'disk is full', begin: async () => disk.fill(), end: async () => disk.empty(), ...DATABASE },
      ]);
    });
  }
});

/** Postbacks that show that the sessions work. */
const WEBHOOKS_HEARD = 6;
