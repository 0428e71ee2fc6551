import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startUnit } from '../support/player-client.ts';
import { lessons, scorm12Course } from '../support/player-courses.ts';
import { startTestService, until } from '../support/service.ts';
import { beginRead, beginSave, startTurns } from './turns-helpers.ts';

// Runs on SQLite in `npm test`: requests take turns in the process. The tests of attempts store what they save on both.

/** Requests of a registration that are handled at once or wait. */
const MAX_REQUESTS = 104;
/** Requests of a registration that are handled at once. */
const TURNS = 4;
/** Requests of a registration wait while this many bytes of responses to it are unsent. */
const MAX_UNSENT_BYTES = 32 * 2 ** 20;
/** More than the buffers of a connection hold. */
const LARGE_BYTES = 8 * 2 ** 20;
/** Large responses after which a registration has no turn until some of them are sent. */
const UNSENT = MAX_UNSENT_BYTES / LARGE_BYTES;

type Service = Awaited<ReturnType<typeof startTestService>>;

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

  test('comes for each request that has arrived, even if its connection is closed in the meantime', async () => {
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

  test('of a preview does not wait for those of other previews', async () => {
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let count = 0;
    await using turns = await startTurns({
      work: async () => {
        count += 1;
        if (count === TURNS) begun.resolve();
        if (count <= TURNS) await held.promise;
      },
    });
    const saves = Array.from({ length: TURNS }, () => turns.save('preview-1'));
    await begun.promise;
    assert.equal(await turns.save('preview-2'), 200);
    held.resolve();
    assert.deepEqual(new Set(await Promise.all(saves)), new Set([200]));
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
    await until(() => read >= UNSENT, 'as many are answered as may be unsent');
    for (let n = 0; n < 20; n++) assert.equal(await turns.save('another'), 200);
    assert.ok(read < UNSENT + TURNS, `${read} are answered`);
    const saves = Array.from({ length: TURNS }, () => turns.save());
    for (const socket of sockets) socket.destroy();
    assert.deepEqual(new Set(await Promise.all(saves)), new Set([200]));
    assert.equal((await fetch(`${turns.base}/commit`)).status, 200);
  });

  test('does not come for large responses that nobody reads, whatever empty responses are sent late', async () => {
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
    const answered = () => read - 2 * blocked.length;
    const readMore = async () => {
      sockets.push(...Array.from({ length: 2 * TURNS }, () => beginRead(turns.base)));
      await until(() => arrived === blocked.length + sockets.length, 'the large reads have arrived');
      await until(() => answered() >= UNSENT, 'as many are answered as may be unsent');
      for (let time = 0; time < 20; time++) assert.equal(await turns.save('another'), 200);
    };
    for (const [n, socket] of blocked.entries()) {
      await readMore();
      socket.resume();
      await until(() => sent === n + 1, 'an empty response is sent');
    }
    await readMore();
    assert.ok(answered() < UNSENT + TURNS, `${answered()} are answered`);
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
    const few = UNSENT - 1;
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

describe('the requests of a registration', () => {
  let service: Service;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  test('take turns, so that nothing is lost if many are sent at once', async () => {
    const { client } = await startUnit(service, scorm12Course(), 'i1');
    const commits = Array.from({ length: 60 }, (_, n) => client.commitOf('i1', { suspend_data: `${n}` }));
    const answers = await Promise.all(commits.map((commit) => client.post('commit', commit)));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    const { data } = await client.openUnit('i1');
    assert.match(JSON.stringify(data), /"suspend_data":"59"/);
  });

  test('are stored if they arrived before the browser quit', async () => {
    const { client } = await startUnit(service, scorm12Course({ items: lessons(2) }), 'i1');
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

  test('are refused beyond a maximum, and files and other registrations are served in the meantime', async () => {
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
