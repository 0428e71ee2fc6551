import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RequestOrder } from '../../src/player/content-origin/request-order.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { until } from '../support/service.ts';
import { beginSave, startTurns } from './turns-helpers.ts';

// Runs on SQLite alone: requests wait for each other in the process, without the database.

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

  test('wait no longer for hundreds that are missing than for a few', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const comes = new RequestOrder(500).arrive('r', `${page} 999`)?.comes();
    mock.timers.tick(3_000);
    assert.equal(await Promise.race([comes, nextTurn('waits')]), false);
  });

  test('are known for ten seconds after the latest of them has ended', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const order = new RequestOrder(500);
    const send = (number: number) => {
      const request = order.arrive('r', `${page} ${number}`);
      assert.ok(request);
      return request;
    };
    send(1).end();
    mock.timers.tick(9_000);
    const second = send(2);
    mock.timers.tick(9_000);
    second.end();
    mock.timers.tick(9_000);
    assert.equal(await Promise.race([send(3).comes(), nextTurn('waits')]), true);
  });

  test('do not wait for one whose connection is closed before it has arrived', async () => {
    let arrived = 0;
    const bodies: string[] = [];
    await using turns = await startTurns({
      find: async () => (arrived += 1),
      work: async (body) => bodies.push(body),
      patienceMs: 2 * DEADLINE_MS,
    });
    const broken = beginSave(turns.base, { length: 3, order: `${page} 1` });
    await until(() => arrived === 1, 'the first one has begun to arrive');
    const next = beginSave(turns.base, { body: '"2"', order: `${page} 2` });
    await until(() => arrived === 2, 'the next one has arrived');
    assert.equal(await turns.save(), 200);
    assert.deepEqual(bodies, ['{}'], 'the next one waits');
    broken.socket.destroy();
    await until(() => bodies.includes('"2"'), 'the next one is handled before its patience is over');
    assert.match((await next.answer) ?? '', / 200 /);
  });

  test('delay a page of their registration that opens, but not one of another registration', async () => {
    const handled: string[] = [];
    let arrived = 0;
    await using turns = await startTurns({
      find: async () => (arrived += 1),
      work: async (body) => handled.push(body),
      onOpen: () => {
        handled.push('open');
        return 'opened';
      },
    });
    // More requests than are handled at once.
    const later = [7, 6, 5, 4, 3, 2].map((number) =>
      beginSave(turns.base, { body: `"${number}"`, order: `${page} ${number}` }),
    );
    await until(() => arrived === later.length, 'the later ones have arrived');
    const opened = Array.from({ length: 4 }, () => fetch(`${turns.base}/open`, { method: 'POST' }));
    await until(() => arrived === later.length + opened.length, 'the pages that open have arrived');
    const headers = { 'x-registration': 'another' };
    assert.equal((await fetch(`${turns.base}/open`, { method: 'POST', headers })).status, 200);
    assert.deepEqual(handled, ['open']);
    const first = beginSave(turns.base, { body: '"1"', order: `${page} 1` });
    for (const { status } of await Promise.all(opened)) assert.equal(status, 200);
    const lastOnes = ['"1"', '"2"', '"3"', '"4"', '"5"', '"6"', '"7"'];
    assert.deepEqual(handled, ['open', ...lastOnes, ...opened.map(() => 'open')]);
    for (const { answer } of [first, ...later]) assert.match((await answer) ?? '', / 200 /);
  });

  test('delay a page that opens only for a limited time', async () => {
    await using turns = await startTurns({ patienceMs: 1 });
    const slow = beginSave(turns.base, { length: 3, order: `${page} 1` });
    await once(slow.socket, 'connect');
    assert.equal(await turns.save(), 200);
    assert.equal((await fetch(`${turns.base}/open`, { method: 'POST' })).status, 200);
    slow.socket.write('"1"');
    assert.match((await slow.answer) ?? '', / 200 /);
  });

  test('do not let a page open that was closed in the meantime, since it would supersede the next one', async () => {
    let [arrived, closed, opened] = [0, 0, 0];
    await using turns = await startTurns({
      find: async ({ url, raw }) => {
        if (!url.endsWith('/open')) return;
        arrived += 1;
        raw.socket.once('close', () => (closed += 1));
      },
      onOpen: () => {
        opened += 1;
        return 'opened';
      },
    });
    const slow = beginSave(turns.base, { length: 3, order: `${page} 1` });
    await once(slow.socket, 'connect');
    assert.equal(await turns.save(), 200);
    const leaving = new AbortController();
    const left = fetch(`${turns.base}/open`, { method: 'POST', body: '{}', signal: leaving.signal });
    await until(() => arrived === 1, 'the page that opens waits');
    leaving.abort();
    await assert.rejects(left);
    await until(() => closed === 1, 'its connection is closed');
    const next = fetch(`${turns.base}/open`, { method: 'POST', body: '{}' });
    await until(() => arrived === 2, 'the next page waits');
    slow.socket.write('"1"');
    assert.equal((await next).status, 200);
    assert.equal(opened, 1);
  });
});
