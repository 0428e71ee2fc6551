import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { describe, type TestContext, test } from 'node:test';
import { REQUEST_DEADLINE_MS as STORE_DEADLINE_MS } from '../../src/content/files/s3-limits.ts';
import { createLogs } from '../../src/observability/log.ts';
import { startService } from '../../src/service.ts';
import { provideAwsCredentials } from '../support/aws-credentials.ts';
import { listenOnFreePort } from '../support/free-port.ts';
import { type Api, startTestService, temporaryFolder, testSettings, until } from '../support/service.ts';
import { environment, startProcess } from '../support/service-process.ts';
import { startTarget, type Target } from '../support/target.ts';
import { answer, hang, type TargetExchange } from '../support/target-behaviours.ts';
import { endDeadLeases } from './dead-leases.ts';
import { startWithApi } from './program-with-api.ts';

// Runs on SQLite in `npm test`: signals end a program in the same way on every database, and queues release messages in their own tests.

const MAIN = path.join(import.meta.dirname, '../../bin/coursewire.js');

/** A second SIGINT within this time after the first is treated as the same. */
const REPEATED_SIGNAL_MS = 1_000;

/** Runs a command as process 1 of its own namespace. Its end is the end of this command. */
const AS_FIRST_PROCESS = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
const NEEDS_NAMESPACES = {
  skip:
    spawnSync(AS_FIRST_PROCESS[0]!, [...AS_FIRST_PROCESS.slice(1), 'true']).status !== 0 &&
    'this machine does not let a program create namespaces',
};

async function listenTo(api: Api, target: Target, more: object = {}): Promise<string> {
  const webhook = await api.create('/webhooks', {
    name: 'all accounts',
    topic: 'ACCOUNT',
    target_url: target.url,
    ...more,
  });
  return `/webhooks/${webhook.id}`;
}

/** Makes a target hold its first request. Returns the request and the function that responds to it. */
async function heldRequest(target: Target, cause: () => Promise<unknown>): Promise<TargetExchange> {
  const { promise, resolve } = Promise.withResolvers<TargetExchange>();
  target.respondWith(resolve);
  await cause();
  return await promise;
}

/** Sends a signal to its own process when the first module of the program is loaded. */
const SIGNAL_AT_LOAD = `
  import { registerHooks } from 'node:module';
  registerHooks({
    load(url, context, next) {
      if (url.endsWith('/compile-cache.js')) process.kill(process.pid, 'SIGTERM');
      return next(url, context);
    },
  });
`;

/** Whether a process has ended. If it has not, it gets the signal. */
function isGone(pid: number, signal: NodeJS.Signals | 0 = 0): boolean {
  try {
    process.kill(pid, signal);
    return false;
  } catch {
    return true;
  }
}

async function refusesConnections(url: string): Promise<boolean> {
  return await fetch(`${url}/health/live`).then(
    async (response) => {
      await response.body?.cancel();
      return false;
    },
    () => true,
  );
}

describe('a shutdown', () => {
  for (const [signal, repetition] of [
    ['SIGTERM', ''],
    // A terminal sends it when it is closed.
    ['SIGHUP', ''],
    // npm and the terminal both pass Ctrl-C on.
    ['SIGINT', ', even if it is repeated within a second,'],
  ] as const) {
    test(`by ${signal}${repetition} lets a postback in flight finish, records it, and accepts no requests in the meantime`, async (t: TestContext) => {
      using folder = temporaryFolder();
      await using target = await startTarget();
      const settings = { data_dir: folder.path, shutdown_timeout: 30 };
      const { program, api, readyAfterMs } = await startWithApi(settings);
      await using _killed = program;
      t.diagnostic(`ready after ${readyAfterMs} ms`);
      const webhook = await listenTo(api, target);
      const held = await heldRequest(target, () => api.create('/accounts', { name: 'Acme' }));

      const end = program.end(signal);
      if (repetition !== '') {
        await until(() => program.logLines.some(({ msg }) => msg === 'stopping'), 'it is stopping');
        void program.end(signal);
      }
      await until(() => refusesConnections(program.url), 'no new requests are accepted');
      target.respondWith(answer(200));
      answer(200)(held);

      assert.deepEqual(await end, { code: 0, signal: null });
      assert.ok(isGone(program.pid));
      assert.equal(program.logLines.at(-1)?.msg, 'stopped');

      await using again = await startTestService({ dataDir: folder.path });
      const { body } = await again.api.get(`${webhook}/deliveries`);
      assert.equal(body.data.length, 1);
      assert.deepEqual([body.data[0].status, body.data[0].attempts], ['DELIVERED', 1]);
      // The next message of the line shows that no earlier one is left in it.
      await again.api.create('/accounts', { name: 'Bolt' });
      const requests = await target.waitFor(2);
      const resources = requests.map(
        ({ json }) => (json as { resource: { account: { name: string } } }).resource,
      );
      assert.deepEqual(
        resources.map(({ account }) => account.name),
        ['Acme', 'Bolt'],
      );
    });
  }

  test('aborts a hanging postback after shutdown_timeout without an attempt; the next start sends it', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: hang() });
    const settings = { data_dir: folder.path, shutdown_timeout: 0.2, delivery_timeout: 120 };
    const { program, api } = await startWithApi(settings);
    await using _killed = program;
    const webhook = await listenTo(api, target, { max_attempts: 1 });
    await api.create('/accounts', { name: 'Acme' });
    const [first] = await target.waitFor(1);

    const begun = performance.now();
    assert.deepEqual(await program.end('SIGTERM'), { code: 0, signal: null });
    const took = performance.now() - begun;
    assert.ok(took >= 200, `cut off early, after ${took} ms`);
    assert.ok(took < 60_000, `delayed for ${took} ms`);
    assert.equal(target.openConnections, 0);

    target.respondWith(answer(200));
    await using again = await startTestService({ dataDir: folder.path });
    const [, second] = await target.waitFor(2);
    assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id']);
    const delivery = await until(
      async () => (await again.api.get(`${webhook}/deliveries`)).body.data[0],
      'the delivery is recorded',
    );
    assert.deepEqual([delivery.status, delivery.attempts], ['DELIVERED', 1]);
    const { body: statistics } = await again.api.get(`${webhook}/statistics`);
    assert.deepEqual([statistics.success_count, statistics.error_count], [1, 0]);
  });

  test('by a kill counts an aborted postback as an attempt', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: hang() });
    const settings = { data_dir: folder.path };
    const { program, api } = await startWithApi(settings);
    await using _killed = program;
    const webhook = await listenTo(api, target, { max_attempts: 2 });
    await api.create('/accounts', { name: 'Acme' });
    await target.waitFor(1);
    await program.end('SIGKILL');
    await endDeadLeases(folder.path);

    target.respondWith(answer(500));
    await using again = await startTestService({ dataDir: folder.path });
    const delivery = await until(
      async () => (await again.api.get(`${webhook}/deliveries`)).body.data[0],
      'the delivery is recorded',
    );
    assert.deepEqual([delivery.status, delivery.attempts], ['DEAD_LETTERED', 1]);
    assert.equal(target.requests.length, 2);
  });

  test('with shutdown_delay serves requests while readiness fails, until a further signal ends it at once', async () => {
    using folder = temporaryFolder();
    const { program, api } = await startWithApi({ data_dir: folder.path, shutdown_delay: 600 });
    await using _killed = program;
    const served = await fetch(`${program.url}/health/live`);
    assert.notEqual(served.headers.get('connection'), 'close');
    const { contentPort } = program.logLines.find(({ msg }) => msg.startsWith('ready at'))!;
    const contentHealth = async (kind: 'live' | 'ready') => {
      const answered = await fetch(`http://127.0.0.1:${contentPort}/health/${kind}`);
      return [answered.status, await answered.json()];
    };
    assert.deepEqual(await contentHealth('ready'), [200, { status: 'ok' }]);

    const begun = performance.now();
    let ended = false;
    void program.ended.then(() => (ended = true));
    void program.end('SIGTERM');
    const ready = await until(async () => {
      const answered = await fetch(`${program.url}/health/ready`);
      return answered.status === 503 && answered;
    }, 'readiness fails');
    assert.equal(((await ready.json()) as { status: string }).status, 'stopping');
    assert.deepEqual(await contentHealth('ready'), [503, { status: 'stopping' }]);
    assert.equal((await api.get('/health/live')).status, 200);
    assert.deepEqual(await contentHealth('live'), [200, { status: 'ok' }]);
    const created = await api.post('/accounts', { name: 'Acme' });
    assert.deepEqual([created.status, created.headers.get('connection')], [201, 'close']);
    await until(() => {
      void program.end('SIGTERM');
      return ended;
    }, 'a further signal ends the program');
    assert.deepEqual(await program.ended, { code: null, signal: 'SIGTERM' });
    assert.ok(performance.now() - begun >= REPEATED_SIGNAL_MS);
  });

  test('of a service that starts ends it before it is ready, without shutdown_delay', async () => {
    using folder = temporaryFolder();
    const settings = testSettings(folder.path, { shutdown_delay: 600 });
    const stopping = new AbortController();
    const texts: string[] = [];
    const destination = {
      write: (line: string) => {
        texts.push(JSON.parse(line).msg);
        if (texts.at(-1) === 'starting') stopping.abort();
      },
    };
    const logs = createLogs({ level: 'info', customLevels: {}, destination });
    const started = startService(settings, { logs, version: '1', signal: stopping.signal });
    await assert.rejects(started, (error) => error === stopping.signal.reason);
    assert.ok(!texts.some((text) => text.startsWith('ready at')), texts.join('\n'));
    // Everything is released.
    await using _next = await startTestService({ dataDir: folder.path });
  });

  test('of a program that starts says so in its last line, and succeeds', async () => {
    using folder = temporaryFolder();
    const program = spawn(process.execPath, [MAIN, 'serve'], {
      env: environment({ data_dir: folder.path, port: 0, content_port: 0 }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(program, 'close');
    const texts: string[] = [];
    for await (const line of createInterface(program.stdout)) {
      texts.push(JSON.parse(line).msg);
      if (texts.at(-1) === 'starting') program.kill('SIGTERM');
    }
    assert.deepEqual(await closed, [0, null]);
    assert.equal(texts.at(-1), 'stopped before the start was complete');
  });

  test('of a program that waits for a store that does not respond ends it at once, with success', async () => {
    using folder = temporaryFolder();
    provideAwsCredentials();
    await using stack = new AsyncDisposableStack();
    const store = createServer();
    const held = new Set<Socket>();
    stack.defer(() => {
      for (const socket of held) socket.destroy();
      store.close();
    });
    const port = await listenOnFreePort(store);
    const program = spawn(process.execPath, [MAIN, 'serve'], {
      env: {
        ...environment({
          data_dir: folder.path,
          port: 0,
          content_port: 0,
          content_store: 's3://courses',
          content_store_endpoint: `http://127.0.0.1:${port}`,
        }),
        AWS_REGION: 'us-east-1',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    stack.defer(() => void program.kill('SIGKILL'));
    const closed = Promise.all([once(program, 'close'), text(program.stdout)]);
    store.on('connection', (socket) => held.add(socket.on('error', () => {}).resume()));
    await once(store, 'connection');
    const begun = performance.now();
    program.kill('SIGTERM');
    const [end, output] = await closed;
    assert.deepEqual(end, [0, null], output);
    const took = performance.now() - begun;
    assert.ok(took < STORE_DEADLINE_MS / 2, `delayed for ${took} ms`);
    const last = JSON.parse(output.trim().split('\n').at(-1)!);
    assert.equal(last.msg, 'stopped before the start was complete');
  });

  test('with shutdown_delay refuses requests and ends as usual once the delay is over', async () => {
    using folder = temporaryFolder();
    const { program } = await startWithApi({ data_dir: folder.path, shutdown_delay: 0.5 });
    await using _killed = program;
    const begun = performance.now();
    const end = program.end('SIGTERM');
    await until(() => refusesConnections(program.url), 'no new requests are accepted');
    assert.ok(performance.now() - begun >= 500);
    assert.deepEqual(await end, { code: 0, signal: null });
    assert.equal(program.logLines.at(-1)?.msg, 'stopped');
  });

  test('ends at once at a further signal after the delay', async () => {
    using folder = temporaryFolder();
    await using target = await startTarget({ respondWith: hang() });
    const { program, api } = await startWithApi({ data_dir: folder.path, shutdown_timeout: 60 });
    await using _killed = program;
    await listenTo(api, target);
    await api.create('/accounts', { name: 'Acme' });
    await target.waitFor(1);

    const begun = performance.now();
    let ended = false;
    void program.ended.then(() => (ended = true));
    await until(() => {
      void program.end('SIGINT');
      return ended;
    }, 'a further signal ends the program');
    assert.deepEqual(await program.ended, { code: null, signal: 'SIGINT' });
    assert.ok(performance.now() - begun >= REPEATED_SIGNAL_MS);
  });

  test(
    'of the first process of a container ends it even before the service is loaded, with success',
    NEEDS_NAMESPACES,
    async () => {
      using folder = temporaryFolder();
      await using stack = new AsyncDisposableStack();
      const settings = { data_dir: folder.path };
      const options = { within: AS_FIRST_PROCESS, preload: SIGNAL_AT_LOAD };
      const started = startProcess(settings, options).then((program) => stack.use(program));
      await assert.rejects(started, /the program ended instead of starting: \{"code":0,"signal":null\}/);
    },
  );

  test(
    'ends at once at a further signal as the first process of a container, too',
    NEEDS_NAMESPACES,
    async () => {
      using folder = temporaryFolder();
      await using target = await startTarget({ respondWith: hang() });
      const settings = { data_dir: folder.path, shutdown_timeout: 60 };
      const { program, api } = await startWithApi(settings, { within: AS_FIRST_PROCESS });
      await using _killed = program;
      await listenTo(api, target);
      await api.create('/accounts', { name: 'Acme' });
      await target.waitFor(1);

      const { pid } = program;
      const first = Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));
      assert.ok(first > 1);
      let ended = false;
      void program.ended.then(() => (ended = true));
      await until(() => {
        isGone(first, 'SIGTERM');
        return ended;
      }, 'a further signal ends the program');
      assert.deepEqual(await program.ended, { code: 128 + os.constants.signals.SIGTERM, signal: null });
    },
  );
});
