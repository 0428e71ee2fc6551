import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it, type TestContext } from 'node:test';
import { RequestOrder } from '../../src/player/content-origin/request-order.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { DEADLINE_MS } from '../support/deadline.ts';
import { borrowTestService } from '../support/lent-service.ts';
import { connectTo, textUntilClosed } from '../support/raw-http.ts';
import { registerTo } from '../support/registered-course.ts';
import { until } from '../support/until.ts';
import { AiccUnit } from './aicc-helpers.ts';
import { Unit } from './cmi5-helpers.ts';
import { launchUnit, Player, resultOf } from './learner-helpers.ts';

const PAGE = 'a1b2c3d4e5f6';
const ONE = 'https://example.com/course/one';
const SUSPENDED = '[Core]\r\nLesson_Location=page 3\r\nLesson_Status=i,s\r\nTime=00:05:00\r\n';

type Service = Awaited<ReturnType<typeof borrowTestService>>;

interface Sent {
  url: string;
  method?: string;
  headers: Record<string, string>;
  body: string;
}

/** A request of a page that is being closed. @param number null for one that another instance would handle */
function numbered({ headers, ...sent }: Sent, number: number | null): Sent {
  const order = number === null ? {} : { 'coursewire-last-request': `${PAGE} ${number}` };
  return { ...sent, headers: { ...headers, ...order } };
}

/** Sends a request except for the end of its body. Returns a function that sends the rest and returns the status. */
async function sendSlowly({ url, method = 'POST', headers, body }: Sent): Promise<() => Promise<number>> {
  const { host, pathname, search } = new URL(url);
  const socket = connectTo(url);
  const fields = { host, connection: 'close', 'content-length': String(Buffer.byteLength(body)), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  await once(socket, 'connect');
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n${body.slice(0, -1)}`);
  return async () => {
    socket.write(body.slice(-1));
    return Number(/^HTTP\/1\.1 (\d+)/.exec(await textUntilClosed(socket))?.[1]);
  };
}

async function send({ url, method = 'POST', headers, body }: Sent): Promise<number> {
  const response = await fetch(url, { method, headers, body });
  await response.arrayBuffer();
  return response.status;
}

/**
 * Makes the service's numbered requests wait this long for a missing one, during a test.
 * @returns how many of them have arrived, how many no longer wait, and how many openings have begun to wait for them
 */
function watchOrder({ mock }: TestContext, patienceMs: number) {
  const order = new RequestOrder(patienceMs);
  const arrive = order.arrive.bind(order);
  const settle = order.settle.bind(order);
  const seen = { arrived: 0, waited: 0, opening: 0 };
  mock.method(RequestOrder.prototype, 'arrive', (...given: Parameters<typeof arrive>) => {
    const request = arrive(...given);
    if (request === null) return null;
    seen.arrived += 1;
    const comes = async () => {
      const isNext = await request.comes();
      seen.waited += 1;
      return isNext;
    };
    return { ...request, comes };
  });
  mock.method(RequestOrder.prototype, 'settle', (group: string) => {
    seen.opening += 1;
    return settle(group);
  });
  return seen;
}

/** Whether a promise is pending. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol();
  return (await Promise.race([promise, pending])) === pending;
}

describe('the last requests of a page that is closed', () => {
  const openAicc = async (service: Service) => {
    const { registrationId } = await registerTo(service, aiccFiles());
    const unit = new AiccUnit(await launchUnit(service, registrationId, 'A1'));
    const message = (command: string, aicc_data?: string): Sent => ({
      url: unit.url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: String(
        new URLSearchParams({
          command,
          version: '4.0',
          session_id: unit.sessionId,
          ...(aicc_data === undefined ? {} : { aicc_data }),
        }),
      ),
    });
    return { registrationId, unit, message };
  };
  const openCmi5 = async (service: Service) => {
    const course = cmi5Course([{ id: ONE, moveOn: 'Passed' }]);
    const { registrationId } = await registerTo(service, course);
    const player = await Player.open(service, registrationId);
    const unit = await Unit.start(await player.openUnit(ONE));
    await unit.send(unit.initialized());
    const { endpoint, authorization } = unit.lrs;
    const headers = {
      authorization,
      'content-type': 'application/json',
      'x-experience-api-version': '1.0.3',
    };
    const statement = (body: object): Sent => ({
      url: `${endpoint}/statements`,
      headers,
      body: JSON.stringify(body),
    });
    const state = new URLSearchParams({
      activityId: unit.activityId,
      agent: JSON.stringify(unit.actor),
      registration: unit.registration,
      stateId: 'bookmark',
    });
    const url = `${endpoint}/activities/state?${state}`;
    const bookmark: Sent = { url, method: 'PUT', headers, body: JSON.stringify({ page: 3 }) };
    return { registrationId, player, unit, statement, bookmark };
  };

  it('complete no AICC unit that suspends, even if its exit is faster than its status', async () => {
    await using service = await borrowTestService();
    const { registrationId, unit, message } = await openAicc(service);
    const status = await sendSlowly(numbered(message('PutParam', SUSPENDED), 1));
    // The service has already received the beginning of the status.
    await unit.parameters();
    const exit = send(numbered(message('ExitAU'), 2));
    for (let time = 0; time < 10; time++) await unit.parameters();
    assert.deepEqual([await status(), await exit], [200, 200]);
    assert.equal((await resultOf(service, registrationId)).completion, 'Incomplete');
    assert.equal((await unit.parameters()).values.Lesson_Status, 'incomplete, resume');
  });

  it('complete no AICC unit that suspends, even if another instance handles its status later', async (test) => {
    const seen = watchOrder(test, 1);
    await using service = await borrowTestService();
    const { registrationId, unit, message } = await openAicc(service);
    const exit = send(numbered(message('ExitAU'), 2));
    await until(() => seen.waited === 1, 'the exit waits no longer for an earlier request to this instance');
    for (let time = 0; time < 10; time++) await unit.parameters();
    assert.ok(await isPending(exit), 'it waits for the status');
    assert.equal(await send(numbered(message('PutParam', SUSPENDED), null)), 200);
    assert.equal(await exit, 200);
    assert.equal((await resultOf(service, registrationId)).completion, 'Incomplete');
  });

  it('do not wait for one another if a connection brings them in another order', async () => {
    await using service = await borrowTestService();
    const { unit, message } = await openAicc(service);
    const { host, pathname } = new URL(unit.url);
    const bytesOf = ({ headers, body }: Sent) =>
      `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n` +
      `${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n${body}`;
    const socket = connectTo(unit.url).setEncoding('utf8');
    let received = '';
    socket.on('data', (text) => {
      received += text;
    });
    socket.write([2, 1].map((number) => bytesOf(numbered(message('GetParam'), number))).join(''));
    await until(() => received.match(/error=0/g)?.length === 2, 'both are answered');
    socket.destroy();
  });

  it('keep the bookmark and the pass of a cmi5 unit, even if its end is faster', async () => {
    await using service = await borrowTestService();
    const { registrationId, unit, statement, bookmark } = await openCmi5(service);
    const slow = await sendSlowly(numbered(bookmark, 1));
    await unit.lrs.call('GET', 'activities/state', {
      query: Object.fromEntries(new URL(bookmark.url).searchParams),
    });
    const pass = send(numbered(statement(unit.passed(0.9)), 2));
    const end = send(numbered(statement(unit.terminated()), 3));
    for (let time = 0; time < 10; time++) await resultOf(service, registrationId);
    assert.deepEqual([await slow(), await pass, await end], [204, 200, 200]);
    const { success, score } = await resultOf(service, registrationId);
    assert.deepEqual([success, score], ['PASS', 90]);
  });

  it('keep the bookmark and the pass of a cmi5 unit, even if another instance handles them after its end', async (test) => {
    watchOrder(test, 1);
    await using service = await borrowTestService();
    const { registrationId, unit, statement, bookmark } = await openCmi5(service);
    assert.equal(await send(numbered(statement(unit.terminated()), 3)), 200);
    assert.equal(await send(numbered(bookmark, 1)), 204);
    assert.equal(await send(numbered(statement(unit.terminated()), 2)), 403);
    assert.equal(await send(numbered(statement(unit.passed(0.9)), 2)), 200);
    const { completion, success, score } = await resultOf(service, registrationId);
    assert.deepEqual([completion, success, score], ['Completed', 'PASS', 90]);
    for (const [why, late] of [
      ['sent after the end', numbered(statement(unit.completed()), 4)],
      ['sent with the end', numbered(statement(unit.completed()), 3)],
      ['not sent while the page was being closed', statement(unit.completed())],
    ] as [string, Sent][])
      assert.equal(await send(late), 403, why);
  });

  for (const [how, openAgain] of [
    [
      'the page is opened again',
      async (_service, _registrationId, player) => {
        await player.post('/open');
        await player.openUnit(ONE);
      },
    ],
    ['the unit is opened again', (_service, _registrationId, player) => player.openUnit(ONE)],
    ['the link is opened again', async (service, registrationId) => launchUnit(service, registrationId, ONE)],
  ] as [string, (service: Service, registrationId: string, player: Player) => Promise<unknown>][]) {
    it(`are not lost if ${how} while they wait for one that is missing`, async (test) => {
      const seen = watchOrder(test, DEADLINE_MS);
      await using service = await borrowTestService();
      const { registrationId, player, unit, statement, bookmark } = await openCmi5(service);
      const pass = send(numbered(statement(unit.passed(0.9)), 2));
      const end = send(numbered(statement(unit.terminated()), 3));
      await until(() => seen.arrived === 2, 'they have arrived');
      const openedBefore = seen.opening;
      const opened = openAgain(service, registrationId, player);
      await Promise.race([
        opened,
        until(() => seen.opening === openedBefore + 1, 'what is opened waits for them'),
      ]);
      await resultOf(service, registrationId);
      assert.deepEqual(await Promise.all([pass, end, opened].map(isPending)), [true, true, true]);
      assert.equal(await send(numbered(bookmark, 1)), 204);
      await opened;
      assert.deepEqual([await pass, await end], [200, 200]);
      const { success, score } = await resultOf(service, registrationId);
      assert.deepEqual([success, score], ['PASS', 90]);
    });
  }
});
