import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { describe, it, type TestContext } from 'node:test';
import { RateLimit } from '../../src/time/rate-limit.ts';
import { aiccFiles, xapiFiles } from '../support/course-packages.ts';
import { type PlayerClient, startLaunch, startUnit } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { connectTo } from '../support/raw-http.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, temporaryFolder, until } from '../support/service.ts';
import { AiccUnit } from './aicc-helpers.ts';
import { Player, resultOf, xapiCourse } from './learner-helpers.ts';

/** Changes that are recorded at once. Each further one follows after a tenth of a second. */
const AT_ONCE = 60;
const FURTHER = 15;
const PAUSE_MS = 100;
/** Less than ten pauses of a second, and far more than as many of a tenth. */
const LONG_MS = 8_000;

const PASSED = { completion: 'Completed', success: 'PASS' };

const cmi = (score: number, lesson_status = 'incomplete') => ({
  core: { lesson_status, score: { raw: `${score}` } },
});

/** Reports one score after the other, until each further one waits. */
async function reportMany(client: PlayerClient): Promise<void> {
  for (let score = 1; score <= AT_ONCE + FURTHER; score++) {
    const { status, body } = await client.commit('i1', cmi(score));
    assert.deepEqual([status, body], [200, { outcome: 'recorded' }]);
  }
}

async function changesOf({ api }: Pick<TestService, 'api'>, registrationId: string): Promise<number> {
  const query = `registration_id=${registrationId}&subtopic=REGISTRATION_STATUS_UPDATED&limit=200`;
  return (await api.get(`/events?${query}`)).body.data.length;
}

async function statusOf(service: TestService, registrationId: string) {
  const { completion, success, score } = await resultOf(service, registrationId);
  return { completion, success, score };
}

/** Sends a save as a closing browser does: it closes the connection at once. */
function sendAndQuit(client: PlayerClient, body: object): void {
  const { host, pathname } = new URL(client.base);
  const text = JSON.stringify(body);
  const socket = connectTo(client.base);
  const head = `Host: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}`;
  socket.write(`POST ${pathname}/commit HTTP/1.1\r\n${head}\r\n\r\n${text}`, () => socket.destroySoon());
}

/** Counts the requests whose paths end like this and that arrive at the servers of this process. */
function watchArrivals(pathEnd: string): Disposable & { readonly count: number } {
  const arrivals = { count: 0 };
  const onRequest = (message: unknown) => {
    const { request } = message as { request: IncomingMessage };
    if (request.url?.endsWith(pathEnd)) arrivals.count += 1;
  };
  subscribe('http.server.request.start', onRequest);
  return Object.assign(arrivals, {
    [Symbol.dispose]: () => void unsubscribe('http.server.request.start', onRequest),
  });
}

/**
 * Lets reports wait even if the machine was paused for so long that some could be recorded at once. Returns the pauses, in
 * milliseconds.
 */
function everyReportWaits({ mock }: TestContext): number[] {
  const pauses: number[] = [];
  const { waitMs } = RateLimit.prototype;
  mock.method(RateLimit.prototype, 'waitMs', function (this: RateLimit, name: string) {
    const ms = Math.max(waitMs.call(this, name), PAUSE_MS);
    pauses.push(ms);
    return ms;
  });
  return pauses;
}

describe('a course that reports another score all the time', () => {
  it('is slowed down, and no score is lost', async () => {
    await using service = await startTestService();
    const startedAt = performance.now();
    const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
    await reportMany(client);
    assert.ok(performance.now() - startedAt >= FURTHER * PAUSE_MS, 'the last ones wait');
    assert.equal(await changesOf(service, registrationId), AT_ONCE + FURTHER, 'each change is an event');
  });

  it('may report without waiting for responses: no report waits long, and then a page opens', async (t) => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, xapiFiles());
    const player = await Player.open(service, registrationId);
    const { units } = await player.post('/units');
    const other = await startLaunch(service, registrationId);
    const { lrs, actor, activity, registration } = xapiCourse(await player.openUnit(units[0].id));
    const report = (verb: string, result: object) =>
      lrs.call('POST', 'statements', {
        body: {
          actor,
          verb: { id: `http://adlnet.gov/expapi/verbs/${verb}` },
          object: activity,
          context: { registration },
          result,
        },
      });
    for (let n = 1; n <= AT_ONCE + FURTHER; n++) await report('progressed', { score: { scaled: n / 1_000 } });

    using arrivals = watchArrivals('/xapi/statements');
    const pauses = everyReportWaits(t);
    const saves = Array.from({ length: 10 }, (_, n) =>
      report('progressed', { score: { scaled: 0.5 + n / 100 } }),
    );
    saves.push(report('completed', { completion: true, success: true, score: { scaled: 1 } }));
    await until(() => arrivals.count === saves.length, 'all have arrived');
    const { status } = await other.post('open');
    const answers = await Promise.all(saves);
    assert.deepEqual(new Set([status, ...answers.map((answer) => answer.status)]), new Set([200]));
    const longest = Math.max(...pauses);
    assert.ok(pauses.length >= saves.length && longest <= 2 * PAUSE_MS, `a report waits for ${longest} ms`);
    assert.deepEqual(await statusOf(service, registrationId), { ...PASSED, score: 100 });
  });

  it('has its last save recorded before a page that opens later supersedes its page', async () => {
    await using service = await startTestService();
    const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
    const other = await startLaunch(service, registrationId);
    await reportMany(client);
    using arrivals = watchArrivals('/commit');
    const last = client.commit('i1', cmi(77, 'passed'));
    await until(() => arrivals.count === 1, 'it has arrived');
    await other.open();
    assert.deepEqual(await last, { status: 200, body: { outcome: 'recorded' } });
    assert.deepEqual(await statusOf(service, registrationId), { ...PASSED, score: 77 });
  });

  it('opens units without a pause, also after the last requests of a page', async () => {
    await using service = await startTestService();
    const { registrationId } = await registerTo(service, aiccFiles());
    const player = await Player.open(service, registrationId);
    const { url, sessionId: session_id } = new AiccUnit(await player.openUnit('A1'));
    const report = async (score: number, headers: Record<string, string> = {}) => {
      const aicc_data = `[Core]\r\nLesson_Status=i\r\nScore=${score}\r\n`;
      const body = new URLSearchParams({ command: 'PutParam', session_id, aicc_data });
      assert.match(await (await fetch(url, { method: 'POST', headers, body })).text(), /^error=0/);
    };
    for (let score = 1; score <= AT_ONCE; score++) await report(score);
    const startedAt = performance.now();
    for (let number = 1; number <= FURTHER; number++)
      await report(AT_ONCE + number, { 'coursewire-last-request': `a1b2c3d4e5f6 ${number}` });
    await player.openUnit('A1');
    assert.ok(performance.now() - startedAt < LONG_MS);
    assert.equal(await changesOf(service, registrationId), AT_ONCE + FURTHER);
  });

  it('has its saves recorded when the service stops, although the browser has quit', async () => {
    await using folder = temporaryFolder();
    const service = await startTestService({ dataDir: folder.path });
    const { registrationId, client } = await startUnit(service, scorm12Course(), 'i1');
    await reportMany(client);
    using arrivals = watchArrivals('/commit');
    for (let score = 81; score <= 88; score++) sendAndQuit(client, client.commitOf('i1', cmi(score)));
    sendAndQuit(client, client.commitOf('i1', cmi(99, 'passed')));
    await until(() => arrivals.count === 9, 'all have arrived');
    await service.stop();
    await using again = await startTestService({ dataDir: folder.path });
    assert.deepEqual(await statusOf(again, registrationId), { ...PASSED, score: 99 });
  });
});
