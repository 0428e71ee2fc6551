import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { readSmallBodiesEarly } from '../../src/player/content-origin/early-bodies.ts';
import { takeTurns } from '../../src/player/content-origin/launch-turns.ts';
import { RequestOrder } from '../../src/player/content-origin/request-order.ts';
import type { PlayerLaunch } from '../../src/player/launches/launch.ts';
import { startUnit } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { startTestService, until } from '../support/service.ts';

/** Requests of a registration that are handled at once or wait. */
const MAX_REQUESTS = 104;
/** Requests of a registration that are handled at once. */
const TURNS = 4;
/** Requests of a registration wait while so many bytes of responses to it are unsent. */
const MAX_UNSENT_BYTES = 32 * 2 ** 20;
/** More than the buffers of a connection hold. */
const LARGE_BYTES = 8 * 2 ** 20;
const PATIENCE_MS = 10_000;

type Service = Awaited<ReturnType<typeof startTestService>>;

/** Sends a save, or its beginning. Resolves with the socket and the response, if one arrives. */
function beginSave(
  base: string,
  {
    body = '',
    length = body.length || 2,
    order,
  }: {
    body?: string;
    length?: number;
    /** The id of a page that is being closed, and the number of the request. */
    order?: string;
  } = {},
): { socket: Socket; answer: Promise<string | null> } {
  const { hostname, port, pathname } = new URL(base);
  const socket = connect(Number(port), hostname);
  socket.write(
    `POST ${pathname}/commit HTTP/1.1\r\nHost: ${hostname}:${port}\r\nContent-Length: ${length}\r\nConnection: close\r\n${order === undefined ? '' : `Coursewire-Last-Request: ${order}\r\n`}\r\n${body}`,
  );
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.on('error', () => {});
  const answer = once(socket, 'close').then(() => Buffer.concat(parts).toString() || null);
  return { socket, answer };
}

/** Sends a read and does not read its response. @param socket a connection that nobody reads; by default, a new one */
function beginRead(
  base: string,
  { registration = 'r', socket }: { registration?: string; socket?: Socket } = {},
): Socket {
  const { hostname, port, pathname } = new URL(base);
  const connection =
    socket ??
    connect(Number(port), hostname)
      .pause()
      .on('error', () => {});
  connection.write(
    `GET ${pathname}/commit HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Registration: ${registration}\r\n\r\n`,
  );
  return connection;
}

/** A server with a path whose requests take turns. */
async function startTurns({
  find = async () => {},
  work = async () => {},
  onRead = () => {},
  beforeSending = async () => {},
  patienceMs = PATIENCE_MS,
}: {
  /** Runs before the launch is known. */
  find?: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
  /** Handles a request. */
  work?: (body: string) => Promise<unknown>;
  /** Called for each read that is handled. Returns the response, if it is not a short one. */
  onRead?: () => unknown;
  beforeSending?: (reply: FastifyReply) => Promise<unknown>;
  /** How long the last requests of a page wait for each that is missing. */
  patienceMs?: number;
}) {
  const server = fastify({ bodyLimit: 200_000 });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  server.decorateRequest('launch', null as unknown as PlayerLaunch);
  readSmallBodiesEarly(server);
  server.addHook('onRequest', async (request, reply) => {
    await find(request, reply);
    const registrationId = request.headers['x-registration'] ?? 'r';
    request.launch = { registrationId, launchId: 'l' } as PlayerLaunch;
  });
  await server.register(async (scope) => {
    takeTurns(scope, new RequestOrder(patienceMs));
    scope.addHook('onSend', async (_request, reply) => {
      await beforeSending(reply);
    });
    scope.post('/launch/commit', async ({ body }) => {
      await work(String(body));
      return 'done';
    });
    scope.get('/launch/commit', async () => {
      const response = onRead();
      return Buffer.isBuffer(response) ? response : 'read';
    });
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/launch`;
  const save = async (registration = 'r') => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const headers = { 'x-registration': registration };
    return (await fetch(`${base}/commit`, { method: 'POST', headers, body: '{}', signal })).status;
  };
  const dispose = async () => {
    // A test that fails may still hold requests.
    server.server.closeAllConnections();
    await server.close();
  };
  return { base, save, [Symbol.asyncDispose]: dispose };
}

describe('a turn', () => {
  test('is free again after connections that close before the launch is known', async () => {
    let leaving = TURNS;
    await using turns = await startTurns({
      find: async ({ raw }, reply) => {
        if (leaving === 0) return;
        leaving -= 1;
        const closed = [raw, reply.raw].map((each) => new Promise((resolve) => each.once('close', resolve)));
        raw.socket.destroy();
        await Promise.all(closed);
      },
    });
    const left = Array.from({ length: TURNS }, () => beginSave(turns.base, { length: 100_000 }));
    for (const { answer } of left) assert.equal(await answer, null);
    assert.equal(await turns.save(), 200);
  });

  test('comes for each request that has arrived, even if its connection is closed meanwhile', async () => {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const bodies: string[] = [];
    await using turns = await startTurns({
      find: async ({ headers, raw }) => {
        if (headers['content-length'] === '4')
          await new Promise((resolve) => raw.socket.once('close', resolve));
      },
      work: async (body) => {
        bodies.push(body);
        if (bodies.length === TURNS) begun.resolve();
        await held.promise;
      },
    });
    const saves = Array.from({ length: TURNS }, () => turns.save());
    await begun.promise;
    const last = ['"a"', '"b"', '"cc"', '"dd"'].map((body) => beginSave(turns.base, { body }));
    for (const { socket } of last) socket.end();
    for (const { answer } of last) assert.equal(await answer, null);
    held.resolve();
    assert.deepEqual(new Set(await Promise.all(saves)), new Set([200]));
    assert.equal(await turns.save(), 200);
    assert.deepEqual(bodies.slice(TURNS).sort(), ['"a"', '"b"', '"cc"', '"dd"', '{}']);
  });

  test('does not come for reads whose connections are closed, so that saves have their places', async () => {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let [working, arrived, read, closed] = [0, 0, 0, 0];
    await using turns = await startTurns({
      find: async ({ method, raw }) => {
        if (method !== 'GET') return;
        arrived += 1;
        raw.socket.once('close', () => (closed += 1));
      },
      work: async () => {
        working += 1;
        if (working === TURNS) begun.resolve();
        await held.promise;
      },
      onRead: () => (read += 1),
    });
    const saves = Array.from({ length: TURNS }, () => turns.save());
    await begun.promise;
    const leaving = new AbortController();
    const reads = Array.from({ length: MAX_REQUESTS - TURNS }, () =>
      fetch(`${turns.base}/commit`, { signal: leaving.signal }).catch(() => null),
    );
    await until(() => arrived === reads.length, 'the reads have all other places');
    assert.notEqual(await turns.save(), 200, 'one more is refused');
    leaving.abort();
    await Promise.all(reads);
    await until(() => closed === reads.length, 'their connections are closed');
    saves.push(turns.save());
    held.resolve();
    assert.deepEqual(new Set(await Promise.all(saves)), new Set([200]));
    assert.equal(read, 0);
  });

  test('does not come while nobody reads many bytes of earlier responses', async () => {
    let [arrived, read] = [0, 0];
    await using turns = await startTurns({
      find: async ({ method }) => {
        if (method === 'GET') arrived += 1;
      },
      onRead: () => {
        read += 1;
        return Buffer.alloc(LARGE_BYTES);
      },
    });
    const sockets = Array.from({ length: 40 }, () => beginRead(turns.base));
    await until(() => arrived === sockets.length, 'all reads have arrived');
    for (let n = 0; n < 20; n++) assert.equal(await turns.save('another'), 200);
    assert.equal(read <= MAX_UNSENT_BYTES / LARGE_BYTES + TURNS, true, `${read} are answered`);
    const saves = Array.from({ length: TURNS }, () => turns.save());
    for (const socket of sockets) socket.destroy();
    assert.deepEqual(new Set(await Promise.all(saves)), new Set([200]));
    assert.equal((await fetch(`${turns.base}/commit`)).status, 200);
  });

  test('does not come for more of them once empty responses are sent late, behind one that nobody read', async () => {
    let [read, arrived, sent, isEmpty] = [0, 0, 0, false];
    await using turns = await startTurns({
      find: async ({ headers }, { raw }) => {
        if (headers['x-registration'] !== 'r') return;
        arrived += 1;
        raw.once('close', () => (sent += 1));
      },
      onRead: () => {
        read += 1;
        return Buffer.alloc(isEmpty ? 0 : LARGE_BYTES);
      },
    });
    const blocked = [0, 1, 2].map((n) => beginRead(turns.base, { registration: `blocked ${n}` }));
    await until(() => read === blocked.length, 'nobody reads the responses of other registrations');
    isEmpty = true;
    for (const socket of blocked) beginRead(turns.base, { socket });
    await until(() => read === 2 * blocked.length, 'the empty responses wait behind them');
    isEmpty = false;
    const sockets: Socket[] = [];
    const readMore = async () => {
      sockets.push(...Array.from({ length: 2 * TURNS }, () => beginRead(turns.base)));
      await until(() => arrived === blocked.length + sockets.length, 'the large reads have arrived');
      for (let time = 0; time < 20; time++) assert.equal(await turns.save('another'), 200);
    };
    for (const [n, socket] of blocked.entries()) {
      await readMore();
      socket.resume();
      await until(() => sent === n + 1, 'an empty response is sent');
    }
    await readMore();
    const answered = read - 2 * blocked.length;
    assert.equal(answered <= MAX_UNSENT_BYTES / LARGE_BYTES + TURNS, true, `${answered} are answered`);
    for (const socket of [...sockets, ...blocked]) socket.destroy();
  });

  test('comes while a slow connection reads a few large responses, and for those behind them', async () => {
    let read = 0;
    await using turns = await startTurns({
      onRead: () => {
        read += 1;
        return Buffer.alloc(LARGE_BYTES);
      },
    });
    const few = MAX_UNSENT_BYTES / LARGE_BYTES - 1;
    const slow = Array.from({ length: few }, () => beginRead(turns.base));
    await until(() => read === few, 'the large responses are being sent');
    assert.equal(await turns.save(), 200);
    const more = Array.from({ length: 3 * TURNS }, async () => {
      const response = await fetch(`${turns.base}/commit`);
      return (await response.arrayBuffer()).byteLength;
    });
    for (const socket of slow) socket.resume();
    assert.deepEqual(new Set(await Promise.all(more)), new Set([LARGE_BYTES]));
    for (const socket of slow) socket.destroy();
  });

  test('is not taken by a small request that has not arrived', async () => {
    await using turns = await startTurns({});
    const slow = Array.from({ length: 2 * TURNS }, () => beginSave(turns.base));
    await Promise.all(slow.map(({ socket }) => once(socket, 'connect')));
    assert.equal(await turns.save(), 200);
    for (const { socket } of slow) socket.destroy();
  });

  test('ends once, so that a refused request gives no turn to others', async () => {
    const refused = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    let found = 0;
    let working = 0;
    let mostAtOnce = 0;
    await using turns = await startTurns({
      find: async () => {
        found += 1;
        if (found === 1 + TURNS + TURNS) setImmediate(() => setImmediate(held.resolve));
      },
      work: async () => {
        working += 1;
        mostAtOnce = Math.max(mostAtOnce, working);
        if (working === TURNS) begun.resolve();
        await held.promise;
        working -= 1;
      },
      beforeSending: async ({ statusCode }) => {
        if (statusCode !== 413) return;
        refused.resolve();
        await sent.promise;
      },
    });
    const tooLarge = beginSave(turns.base, { length: 300_000 });
    await refused.promise;
    const saves = Array.from({ length: TURNS }, () => turns.save());
    await begun.promise;
    sent.resolve();
    assert.match((await tooLarge.answer) ?? '', /^HTTP\/1\.1 413 /);
    saves.push(...Array.from({ length: TURNS }, () => turns.save()));
    assert.deepEqual(new Set(await Promise.all(saves)), new Set([200]));
    assert.equal(mostAtOnce, TURNS);
  });
});

describe('the last requests of a page', () => {
  const page = 'a1b2c3d4e5f6';

  test('are handled in the order of their numbers, each after the one before it has ended', async () => {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const bodies: string[] = [];
    let arrived = 0;
    await using turns = await startTurns({
      find: async () => (arrived += 1),
      work: async (body) => {
        bodies.push(body);
        begun.resolve();
        if (body === '"1"') await held.promise;
      },
    });
    const send = (number: number) =>
      beginSave(turns.base, { body: `"${number}"`, order: `${page} ${number}` });
    const later = [4, 3, 2].map(send);
    await until(() => arrived === later.length, 'the later ones have arrived');
    const first = send(1);
    await begun.promise;
    // Those of other pages do not wait.
    assert.equal(await turns.save(), 200);
    assert.match(
      (await beginSave(turns.base, { body: '"x"', order: 'another-page 1' }).answer) ?? '',
      / 200 /,
    );
    held.resolve();
    for (const { answer } of [first, ...later]) assert.match((await answer) ?? '', / 200 /);
    assert.deepEqual(bodies, ['"1"', '{}', '"x"', '"2"', '"3"', '"4"']);
  });

  test('wait only for a while for one that does not arrive, and as long as it takes for one whose body does', async () => {
    const bodies: string[] = [];
    await using turns = await startTurns({ work: async (body) => bodies.push(body), patienceMs: 1 });
    const lost = beginSave(turns.base, { body: '"2"', order: `${page} 2` });
    assert.match((await lost.answer) ?? '', / 200 /);
    const slow = beginSave(turns.base, { length: 3, order: `${page} 3` });
    await once(slow.socket, 'connect');
    assert.equal(await turns.save(), 200);
    const next = beginSave(turns.base, { body: '"4"', order: `${page} 4` });
    for (let time = 0; time < 5; time++) assert.equal(await turns.save(), 200);
    slow.socket.write('"3"');
    for (const { answer } of [slow, next]) assert.match((await answer) ?? '', / 200 /);
    assert.deepEqual(
      bodies.filter((body) => body !== '{}'),
      ['"2"', '"3"', '"4"'],
    );
  });

  test('do not wait for one whose connection is closed before it has arrived', async () => {
    await using turns = await startTurns({});
    const broken = beginSave(turns.base, { length: 3, order: `${page} 1` });
    await once(broken.socket, 'connect');
    assert.equal(await turns.save(), 200);
    const next = beginSave(turns.base, { body: '"2"', order: `${page} 2` });
    broken.socket.destroy();
    assert.match((await next.answer) ?? '', / 200 /);
  });
});

describe('the requests of a registration', () => {
  let service: Service;
  before(async () => {
    service = await startTestService();
  });
  after(() => service[Symbol.asyncDispose]());

  test('take turns, so that nothing is lost if many are sent at once', async () => {
    const { client } = await startUnit(service, scorm12Course(), 'i1');
    const commits = Array.from({ length: 60 }, (_, n) => client.commitOf('i1', { suspend_data: `${n}` }));
    const answers = await Promise.all(commits.map((commit) => client.post('commit', commit)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const { data } = await client.openUnit('i1');
    assert.match(JSON.stringify(data), /"suspend_data":"59"/);
  });

  test('are stored if they arrived before the browser quit', async () => {
    const items = ['i1', 'i2'].map(
      (id) => `<item identifier="${id}" identifierref="r1"><title>${id}</title></item>`,
    );
    const { client } = await startUnit(service, scorm12Course({ items: items.join('') }), 'i1');
    const uploads = Array.from({ length: TURNS }, () => beginSave(client.base, { length: 100_000 }));
    assert.equal((await fetch(`${client.base}/content/lesson/index.html`)).status, 200);
    const last = ['i1', 'i2'].map((unit) => {
      const commit = client.commitOf(unit, { suspend_data: `the last of ${unit}` });
      return beginSave(client.base, { body: JSON.stringify(commit) });
    });
    for (const { socket } of last) socket.end();
    await Promise.all(last.map(({ answer }) => answer));
    for (const { socket } of uploads) socket.destroy();
    for (const unit of ['i1', 'i2']) {
      const isStored = async () => {
        const { data } = await client.openUnit(unit);
        return JSON.stringify(data).includes(`the last of ${unit}`);
      };
      await until(isStored, `the last save of ${unit} is stored`);
    }
  });

  test('are refused beyond a maximum, and files and other registrations are served meanwhile', async () => {
    const { client } = await startUnit(service, scorm12Course(), 'i1');
    const { client: other } = await startUnit(service, scorm12Course(), 'i1');
    const begun = Array.from({ length: MAX_REQUESTS + 20 }, () => beginSave(client.base));
    const refused: string[] = [];
    for (const { answer } of begun) void answer.then((text) => text !== null && refused.push(text));
    await until(() => refused.length >= 20, 'those beyond the maximum are refused');
    assert.equal(refused.length, 20);
    for (const text of refused) assert.match(text, /^HTTP\/1\.1 429 .*\r\nretry-after: 1\r\n/is);
    assert.equal((await fetch(`${client.base}/content/lesson/index.html`)).status, 200);
    assert.equal((await other.commit('i1', { suspend_data: 'x' })).status, 200);
    assert.equal((await client.post('units')).status, 429);
    // Units on other origins can read the refusal.
    for (const path of ['aicc', 'cmi5/fetch/session/secret']) {
      const { status, headers } = await fetch(`${client.base}/${path}`, { method: 'POST' });
      assert.equal(status, 429);
      assert.equal(headers.get('access-control-allow-origin'), '*', path);
      assert.equal(headers.get('access-control-expose-headers'), 'Retry-After');
      assert.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
    }

    for (const { socket } of begun) socket.destroy();
    // The service learns of closed connections one by one.
    await until(
      async () => (await client.commit('i1', { suspend_data: 'y' })).status === 200,
      'a save has a place again',
    );
  });
});
