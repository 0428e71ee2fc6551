import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import XapiModule from '@xapi/xapi';
import { aroundTests } from '../support/around-tests.ts';
import { xapiFiles } from '../support/course-packages.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { Player, resultOf } from './learner-helpers.ts';
import { lrsClient } from './lrs-helpers.ts';

// Runs on SQLite alone: the responses are the same on every database.

/** The library is CommonJS: Node gives all of its exports as the default one. */
const XAPI = XapiModule.default;

describe('a third-party xAPI client library', () => {
  let service: TestService;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  test('plays a course: it passes, resumes and reads its statements page by page', async () => {
    const { registrationId } = await registerTo(service, xapiFiles());
    const player = await Player.open(service, registrationId);
    const { units } = await player.post('/units');
    const { searchParams } = await player.openUnit(units[0].id);
    const xapi = new XAPI({ endpoint: searchParams.get('endpoint')!, auth: searchParams.get('auth')! });
    const actor = JSON.parse(searchParams.get('actor')!);
    const object = { objectType: 'Activity' as const, id: searchParams.get('activity_id')! };
    const agent = { agent: actor, activityId: object.id, stateId: 'bookmark' };

    await xapi.setState({ ...agent, state: { page: 7 } });
    assert.deepEqual((await xapi.getState(agent)).data, { page: 7 });
    await xapi.createState({ ...agent, state: { answers: [1, 2] } });
    assert.deepEqual((await xapi.getState(agent)).data, { page: 7, answers: [1, 2] });
    const { headers } = await xapi.getState(agent);
    const stale = { etag: '"0000000000000000000000000000000000000000"', matchHeader: 'If-Match' as const };
    await assert.rejects(xapi.setState({ ...agent, ...stale, state: {} }), /412/);
    await xapi.setState({
      ...agent,
      etag: String(headers.etag),
      matchHeader: 'If-Match',
      state: { page: 8 },
    });

    await xapi.sendStatement({ statement: { actor, object, verb: XAPI.Verbs.INITIALIZED } });
    const result = { score: { scaled: 0.9 }, success: true, completion: true };
    const passed = await xapi.sendStatement({
      statement: { actor, object, verb: XAPI.Verbs.PASSED, result },
    });
    const {
      data: { statements, more },
    } = await xapi.getStatements({ limit: 1 });
    assert.deepEqual(
      statements.map(({ id }) => id),
      passed.data,
    );
    const next = await xapi.getMoreStatements({ more });
    assert.equal((next.data as { statements: unknown[] }).statements.length, 1);
    assert.deepEqual((await resultOf(service, registrationId)).score, 90);
  });

  test('stores, reads and voids a statement for an API client', async () => {
    const { endpoint, authorization } = await lrsClient(service);
    const xapi = new XAPI({ endpoint: `${endpoint}/`, auth: authorization });
    const actor = { objectType: 'Agent' as const, mbox: 'mailto:ann@example.com' };
    const object = { objectType: 'Activity' as const, id: 'https://example.com/essay' };
    const stored = await xapi.sendStatements({
      statements: [{ actor, object, verb: XAPI.Verbs.COMPLETED }],
    });
    const found = await xapi.getStatement({ statementId: stored.data[0]! });
    assert.equal(found.data.verb.id, XAPI.Verbs.COMPLETED.id);
    await xapi.voidStatement({ actor, statementId: stored.data[0]! });
    await assert.rejects(xapi.getStatement({ statementId: stored.data[0]! }), /404/);
    assert.equal(
      (await xapi.getVoidedStatement({ voidedStatementId: stored.data[0]! })).data.id,
      stored.data[0],
    );
    assert.ok((await xapi.getAbout()).data.version.includes('1.0.3'));
  });
});
