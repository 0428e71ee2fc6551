import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, test } from 'node:test';
import { MIB } from '../../src/bytes.ts';
import { sql } from '../content/registration-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { startLaunch, startUnit } from '../support/player-client.ts';
import { scorm12Course, scorm2004Course } from '../support/player-courses.ts';
import { connectTo } from '../support/raw-http.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { launchUnit, Player } from './learner-helpers.ts';
import { ANN, activity, BOB, type LrsClient, openStore, reference, statement } from './lrs-helpers.ts';

// Runs on SQLite in `npm test`: limits are compared in the process. The tests of attempts, extreme numbers, statements
// and documents store what is accepted on both, also the longest ids.

/** Far more than any of these requests takes on a slow machine, and far less than they once took. */
const SOON_MS = 60_000;

describe('hostile input to the learning record store', () => {
  let service: TestService;
  let lrs: LrsClient;
  aroundTests(async (parts) => {
    ({ service, lrs } = await openStore(parts));
  });

  test('cannot block others with forms that contain a credential: only a few may arrive at once', async () => {
    const begun = Array.from({ length: 10 }, () => beginRequest('statements?method=GET'));
    try {
      const refused: (string | null)[] = [];
      for (const { answer } of begun) void answer.then((line) => refused.push(line));
      await until(() => refused.length >= 2, 'two of them are refused');
      assert.deepEqual(refused, Array(2).fill('HTTP/1.1 429 Too Many Requests'));
      assert.equal((await form('GET', 'statements', { limit: '1' })).status, 429);
      assert.equal((await lrs.call('GET', 'statements', { query: { limit: '1' } })).status, 200);
      assert.equal(refused.length, 2, 'the others have a place');
    } finally {
      for (const { socket } of begun) socket.destroy();
    }
    // The service learns of closed connections one by one.
    await until(
      async () => (await form('GET', 'statements', { limit: '1' })).status === 200,
      'a form has a place again',
    );
  });

  test('gets public responses before its body arrives', async () => {
    const { socket, answer } = beginRequest('about');
    try {
      const late = new Promise((resolve) => setTimeout(() => resolve('too late'), 10_000).unref());
      assert.equal(await Promise.race([answer, late]), 'HTTP/1.1 405 Method Not Allowed');
    } finally {
      socket.destroy();
    }
  });

  const stateOf = (stateId: string) => ({
    activityId: activity('hostile').id,
    agent: JSON.stringify(ANN),
    stateId,
  });
  /** Sends the head of a request without its body. Resolves with the status line, or null if none came. */
  const beginRequest = (path: string): { socket: Socket; answer: Promise<string | null> } => {
    const { host } = new URL(service.url);
    const socket = connectTo(service.url);
    socket.write(
      `POST /xapi/${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1000000\r\n` +
        'Content-Type: application/x-www-form-urlencoded\r\n\r\n',
    );
    const closed = once(socket, 'close').then(() => null);
    const first = once(socket, 'data').then(
      ([part]) => String(part).split('\r\n', 1)[0]!,
      () => null,
    );
    return { socket, answer: Promise.race([first, closed]) };
  };
  const form = (method: string, resource: string, members: Record<string, string>) =>
    fetch(`${lrs.endpoint}/${resource}?method=${method}`, {
      method: 'POST',
      body: new URLSearchParams({
        Authorization: lrs.authorization,
        'X-Experience-API-Version': '1.0.3',
        ...members,
      }),
      signal: AbortSignal.timeout(SOON_MS),
    });

  test('cannot run as a page of the admin UI', async () => {
    const query = stateOf('page');
    const body = '<script>document.title = "taken over"</script>';
    await lrs.call('PUT', 'activities/state', { query, body, headers: { 'content-type': 'text/html' } });
    const response = await form('GET', 'activities/state', query);
    assert.equal(await response.text(), body);
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
    assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  });

  test('cannot store a media type that no response can name', async () => {
    for (const type of ['text/plain; x=\u0142', 'text/plain\r\nX-Injected: 1', '']) {
      const response = await form('PUT', 'activities/state', {
        ...stateOf('type'),
        'Content-Type': type,
        content: 'x',
      });
      assert.equal(response.status, 400, await response.text());
    }
  });

  test('does not keep the service busy with blanks in the header of a part', async () => {
    const response = await fetch(`${lrs.endpoint}/statements`, {
      method: 'POST',
      headers: {
        authorization: lrs.authorization,
        'x-experience-api-version': '1.0.3',
        'content-type': 'multipart/mixed; boundary=b',
      },
      body: `--b\r\nx:${' '.repeat(8_000)}\n\r\n\r\n{}\r\n--b--`,
      signal: AbortSignal.timeout(SOON_MS),
    });
    assert.equal(response.status, 400);
  });

  test('does not keep the service busy with blanks in languages', async () => {
    const statusWith = async (blanks: number) =>
      (await form('GET', 'statements', { 'Accept-Language': `a${' '.repeat(blanks)}b` })).status;
    assert.equal(await statusWith(16_000), 200);
    assert.equal(await statusWith(MIB), 400);
  });

  test('is rejected if the agent in a form has more members than can be checked in time', async () => {
    const members = (count: number) =>
      JSON.stringify({ objectType: 'Group', ...ANN, member: Array(count).fill(BOB) });
    const state = stateOf('agent');
    assert.equal((await form('PUT', 'activities/state', { ...state, content: '{}' })).status, 204);
    for (const [resource, query] of [
      ['statements', {}],
      ['agents', {}],
      ['activities/state', state],
    ] as const) {
      const few = await form('GET', resource, { ...query, agent: members(100) });
      assert.equal(few.status, 200, await few.text());
      const many = await form('GET', resource, { ...query, agent: members(10_000) });
      assert.equal(many.status, 400);
      const { errors } = (await many.json()) as { errors: object[] };
      assert.deepEqual(errors, [{ pointer: '/query/agent', detail: 'must have at most 65536 characters' }]);
    }
  });

  test('is rejected if an agent in a query is nested without limit', async () => {
    const { status, json } = await lrs.call('GET', 'agents', { query: { agent: '['.repeat(2_000) } });
    assert.equal(status, 400);
    assert.deepEqual(json.errors, [{ pointer: '/query/agent', detail: 'must be an agent in JSON' }]);
  });

  test('is rejected if a form has more members than any request', async () => {
    const members = Array.from({ length: 101 }, (_, index) => [`m${index}`, '']);
    const response = await form('GET', 'statements', Object.fromEntries(members));
    assert.equal(response.status, 400);
    assert.match(await response.text(), /more than 100 members/);
  });

  test('cannot make the definition of an activity grow without limit', async () => {
    const object = (name: string) => ({
      ...activity('grows'),
      definition: {
        name: { en: 'Grows' },
        extensions: { [`https://example.com/${name}`]: 'x'.repeat(200_000) },
      },
    });
    for (const name of ['a', 'b', 'c']) await lrs.store(statement({ object: object(name) }));
    const { json } = await lrs.call('GET', 'activities', { query: { activityId: activity('grows').id } });
    assert.deepEqual(Object.keys(json.definition.extensions), ['https://example.com/a']);
  });

  test('is rejected if statements have more members or items than can be checked in time', async () => {
    const extensions = Object.fromEntries(
      Array.from({ length: 100_001 }, (_, index) => [`https://example.com/${index}`, 1]),
    );
    const items = Array.from({ length: 100_002 }, () => 0);
    for (const result of [{ extensions }, { extensions: { 'https://example.com/items': items } }]) {
      const { status, text } = await lrs.call('POST', 'statements', { body: statement({ result }) });
      assert.equal(status, 400);
      assert.match(text, /more than 100000 members/);
    }
  });

  test('is rejected if the statements of a request have more JSON than the limit', async () => {
    const body = Array.from({ length: 45 }, () => statement({ result: { response: 'x'.repeat(200_000) } }));
    const { status, json } = await lrs.call('POST', 'statements', { body });
    assert.equal(status, 413);
    assert.match(json.detail, /at most 8388608 bytes of JSON/);
    await lrs.store(...body.slice(0, 40));
  });

  test('is rejected if JSON is nested without limit, whatever follows', async () => {
    const body = '['.repeat(MIB);
    const state = await lrs.call('PUT', 'activities/state', { query: stateOf('deep'), body });
    const statements = await lrs.call('POST', 'statements', { body });
    for (const { status, text } of [state, statements]) {
      assert.equal(status, 400);
      assert.match(text, /nested more than 64 levels deep/);
    }
  });

  test('cannot create documents with more members than can be merged in time', async () => {
    const members = (from: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${from + n}`, 1]));
    const send = (method: string, body: object) =>
      lrs.call(method, 'activities/state', { query: stateOf('members'), body });
    const tooMany = await send('PUT', members(0, 50_002));
    assert.equal(tooMany.status, 400);
    assert.match(tooMany.text, /more than 50000 members/);
    assert.equal((await send('PUT', members(0, 30_000))).status, 204);
    const grown = await send('POST', members(30_000, 30_000));
    assert.equal(grown.status, 413);
    assert.match(grown.text, /at most 50000 members and items together/);
    assert.equal((await send('POST', members(30_000, 10_000))).status, 204);
    const { json } = await lrs.call('GET', 'activities/state', { query: stateOf('members') });
    assert.equal(Object.keys(json).length, 40_000);
  });

  test('cannot add search keys of statements without limit', async () => {
    const id = crypto.randomUUID();
    const references = Array.from({ length: 100 }, () => statement({ object: reference(id) }));
    await lrs.store(...references);
    const other = Array.from({ length: 1_000 }, (_, index) => activity(`many-${index}`));
    await lrs.store(statement({ id, context: { contextActivities: { other } } }));
    const found = await lrs.find({ activity: activity('many-7').id, related_activities: 'true' });
    assert.ok(found.includes(id) && found.length > 10 && found.length < 30, `${found.length} were found`);
  });
});

describe('hostile courses', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  test('cannot make the data of a unit grow without limit', async () => {
    const { registrationId } = await registerTo(service, scorm12Course());
    const client = await startLaunch(service, registrationId);
    await client.open();
    await client.openUnit('i1');
    const grow = (name: string) => client.commit('i1', { [name]: 'x'.repeat(3 * MIB) }, { isChange: true });
    assert.equal((await grow('a')).status, 200);
    assert.equal((await grow('b')).status, 200);
    assert.equal((await grow('c')).status, 413);
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    assert.deepEqual(Object.keys(body.attempts[0].units[0].data.cmi), ['a', 'b']);
  });

  test('cannot store more members in the data of a unit than can be read in time', async () => {
    const { client } = await startUnit(service, scorm12Course(), 'i1');
    const members = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`k${n}`, 1]));
    const add = (cmi: object) => client.commit('i1', cmi, { isChange: true });
    assert.equal((await add({ a: members })).status, 200);
    const { status, body } = await add({ b: members });
    assert.deepEqual([status, body.detail], [413, 'A data model has at most 50000 members and items']);
    assert.equal((await client.commit('i1', members)).status, 200);
    assert.equal((await add({ a: 1 })).status, 413, 'merging many members takes long');
  });

  test('cannot share values with other courses without limit', async () => {
    const stores = Array.from({ length: 200 }, (_, n) => `<adlcp:map targetID="s${n}"/>`).join('');
    const items = ['1', '2']
      .map(
        (n) =>
          `<item identifier="i${n}" identifierref="r1"><title>${n}</title><adlcp:data>${stores}</adlcp:data></item>`,
      )
      .join('');
    const plain = scorm2004Course({ items });
    const manifest = String(plain['imsmanifest.xml']).replace(
      '<organization ',
      '<organization adlcp:sharedDataGlobalToSystem="true" ',
    );
    const { client } = await startUnit(service, { ...plain, 'imsmanifest.xml': manifest }, 'i1');
    const save = (from: number) => {
      const kept = Array.from({ length: 100 }, (_, n) => [`s${from + n}`, 'x'.repeat(63_000)]);
      const nothing = { current: null, suspended: null, activities: {}, objectives: {} };
      const sequencing = { format: 2, ...nothing, stores: Object.fromEntries(kept) };
      return client.commit('i1', { location: `${from}` }, { state: { sequencing } });
    };
    assert.equal((await save(0)).status, 200);
    const { status, body } = await save(100);
    assert.equal(status, 413);
    assert.match(body.detail, /shares at most 5000 values of 8388608 bytes together/);
    const opened = await client.open();
    assert.equal(Object.keys(opened.sequencing.state.stores).length, 100);
    assert.equal((await client.openUnit('i1')).data.cmi.location, '0', 'nothing of the refused save is kept');
  });

  test('cannot start sessions without limit', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    const player = await Player.open(service, registrationId);
    await player.openUnit('A1');
    await sql(
      service,
      `insert into player_sessions (session_id, launch_id, registration_id, attempt, unit_id, registration, actor,
         activity_id, mode, launch_data, facts, started_at, active_at)
       with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 9998)
       select 'session-' || n, launch_id, registration_id, attempt, unit_id, registration, actor, activity_id, mode,
         launch_data, facts, started_at, active_at from player_sessions, numbers where registration_id = ?`,
      registrationId,
    );
    await player.openUnit('A1');
    const response = await fetch(`${player.base}/unit`, { method: 'POST', body: '{"unit":"A1"}' });
    const problem = (await response.json()) as { type: string; detail: string };
    assert.equal(response.status, 409);
    assert.equal(problem.type, 'urn:coursewire:problem:limit-reached');
    assert.match(problem.detail, /opened 10000 times, the maximum/);
    await service.api.post(`/registrations/${registrationId}/reset`);
    await launchUnit(service, registrationId, 'A1');
  });

  test('cannot report a visit longer than any clock can count', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course());
    const client = await startLaunch(service, registrationId);
    const { units } = await client.open();
    await client.openUnit(units[0].id);
    for (const time of ['PT99999999999999999999999S', `P${'9'.repeat(400)}Y`]) {
      const { status } = await client.commit(units[0].id, { session_time: time });
      assert.equal(status, 200);
    }
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.equal(body.duration, 7 * 86_400);
  });

  test('cannot fill the memory with columns of AICC rows', async () => {
    const { registrationId } = await registerTo(service, aiccFiles());
    const { searchParams } = await launchUnit(service, registrationId, 'A1');
    const columns = Array.from({ length: 4_000 }, (_, index) => index.toString(36)).join(',');
    const response = await fetch(searchParams.get('AICC_URL')!, {
      method: 'POST',
      body: new URLSearchParams({
        command: 'PutComments',
        session_id: searchParams.get('AICC_SID')!,
        AICC_Data: `${columns}\n${'x\n'.repeat(1_000)}`,
      }),
      signal: AbortSignal.timeout(SOON_MS),
    });
    assert.match(await response.text(), /^error=0/);
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    const [row] = Object.values(body.attempts[0].units[0].data.cmi.comment_records);
    assert.equal(Object.keys(row as object).length, 100);
  });
});
