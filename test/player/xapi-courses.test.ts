import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { DocumentService } from '../../src/player/lrs/documents/document-service.ts';
import { MINUTE_MS } from '../../src/time/units.ts';
import { register } from '../content/registration-helpers.ts';
import { RunningClock } from '../support/clock.ts';
import { openDatabaseOf } from '../support/database.ts';
import { receivedResults, subscribeToResults } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { launchUnit, Player, resultOf, xapiCourse } from './learner-helpers.ts';
import { lrsClient, reference, VOIDED } from './lrs-helpers.ts';
import { COURSE, FILES, VERB } from './xapi-course-files.ts';

describe('an xAPI course', () => {
  let service: TestService;
  let target: Target;
  /** The access token of the tests is valid for an hour. */
  const clock = new RunningClock();

  before(async () => {
    service = await startTestService({ now: clock.now });
    target = await startTarget();
    await subscribeToResults(service, target);
  });
  after(async () => {
    await service.stop();
    await target.close();
  });

  const open = async (learner?: string) => {
    const { registrationId } = await registerTo(service, FILES, learner);
    const player = await Player.open(service, registrationId);
    const address = await player.openUnit(COURSE);
    return { registrationId, player, address, course: xapiCourse(address) };
  };

  test('receives the endpoint and the learner before the fragment of its address', async () => {
    const { registrationId, address, course } = await open('bob');
    assert.match(address.pathname, /\/content\/start\.html$/);
    assert.equal(address.searchParams.get('a'), '1');
    assert.equal(address.hash, '#/start#top');
    assert.equal(course.registration, registrationId);
    assert.equal(course.actor.account.name, 'bob');
    assert.equal((await fetch(address)).status, 200);
  });

  test('loses its stored data of a learner once the learner’s last registration is deleted', async () => {
    const { registrationId, course } = await open('carla');
    const { lrs, actor } = course;
    const all = await lrsClient(service, ['statements:read', 'statements:write']);
    const query = { agent: JSON.stringify(actor), profileId: 'preferences' };
    assert.equal((await lrs.call('PUT', 'agents/profile', { query, body: { font: 'large' } })).status, 204);
    const other = { agent: JSON.stringify({ mbox: 'mailto:carla@example.com' }), profileId: 'preferences' };
    const always = { 'if-none-match': '*' };
    await all.call('PUT', 'agents/profile', { query: other, body: {}, headers: always });
    const { account_id, course_id } = (await service.api.get(`/registrations/${registrationId}`)).body;
    const second = await register(service, { account_id, course_id }, 'carla');
    await using database = await openDatabaseOf(service.settings.data_dir);
    const documents = new DocumentService({ database, now: Date.now });
    const status = async (asked: Record<string, string>) =>
      (await all.call('GET', 'agents/profile', { query: asked })).status;

    await service.api.delete(`/registrations/${registrationId}`);
    assert.equal(await documents.forgetLearners(100), 0);
    assert.equal(await status(query), 200);
    await service.api.delete(`/registrations/${second.registration_id}`);
    assert.equal(await documents.forgetLearners(100), 1);
    assert.equal(await documents.forgetLearners(100), 0);
    assert.deepEqual([await status(query), await status(other)], [404, 200]);
  });

  test('reports its result by statements, and each change is sent to webhooks once', async () => {
    const { registrationId, course } = await open();
    const { actor, activity: object, registration, lrs } = course;
    const send = (verb: string, result?: object) =>
      lrs.store({ actor, object, context: { registration }, verb: VERB(verb), ...(result && { result }) });
    await send('attempted');
    assert.equal((await resultOf(service, registrationId)).completion, 'Incomplete');
    await send('experienced');
    await send('passed', { score: { scaled: 0.85 }, success: true, duration: 'PT2M10.4S' });
    await send('passed', { score: { scaled: 0.85 }, success: true, duration: 'PT2M10.4S' });
    await send('attempted');
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Completed',
      success: 'PASS',
      score: 85,
      duration: 130,
    });
    const heard = () => receivedResults(target, registrationId);
    await until(() => heard().length >= 2, 'webhooks hear of it');
    assert.deepEqual(heard(), [
      ['Incomplete', 'UNKNOWN', null],
      ['Completed', 'PASS', 85],
    ]);
  });

  test('that is passed opens without a notice that nothing counts, because everything counts', async () => {
    const { registrationId, course } = await open();
    const send = async ({ actor, activity: object, lrs }: typeof course, scaled: number) =>
      await lrs.store({ actor, object, verb: VERB('passed'), result: { score: { scaled } } });
    await send(course, 0.6);
    const player = await Player.open(service, registrationId);
    const { address, isReview } = await player.post('/unit', { unit: COURSE });
    assert.equal(isReview, false);
    await send(xapiCourse(new URL(address)), 0.9);
    assert.equal((await resultOf(service, registrationId)).score, 90);
  });

  test('that is completed counts a score that follows in another statement', async () => {
    const { registrationId, course } = await open();
    const { actor, activity: object, lrs } = course;
    await lrs.store({ actor, object, verb: VERB('completed'), result: { score: { scaled: 0.6 } } });
    await lrs.store({ actor, object, verb: VERB('scored'), result: { score: { scaled: 0.8 } } });
    assert.equal((await resultOf(service, registrationId)).score, 80);
  });

  test('counts the time of each visit', async () => {
    const { registrationId, player, course } = await open();
    const passed = ({ actor, activity: object, lrs }: typeof course, duration: string) =>
      lrs.store({ actor, object, verb: VERB('terminated'), result: { duration } });
    await passed(course, 'PT60S');
    await passed(course, 'PT90S');
    await passed(xapiCourse(await player.openUnit(COURSE)), 'PT30S');
    assert.equal((await resultOf(service, registrationId)).duration, 120);
  });

  test('that reports no time is given the time until its last statement', async () => {
    const { registrationId, player, course } = await open();
    const send = async ({ actor, activity: object, lrs }: typeof course, verb: string, result = {}) =>
      await lrs.store({ actor, object, verb: VERB(verb), result });
    const minutes = async () => Math.floor((await resultOf(service, registrationId)).duration / 60);
    await send(course, 'attempted');
    clock.aheadMs += MINUTE_MS;
    await send(course, 'experienced');
    assert.equal(await minutes(), 1);
    clock.aheadMs += 2 * MINUTE_MS;
    await send(course, 'passed');
    assert.equal(await minutes(), 3);
    // The next visit reports its time, so the clock no longer counts.
    const again = xapiCourse(await player.openUnit(COURSE));
    await send(again, 'exited', { duration: 'PT1M' });
    clock.aheadMs += 2 * MINUTE_MS;
    await send(again, 'experienced');
    assert.equal(await minutes(), 4);
  });

  test('counts a visit after one that reported less time than had passed', async () => {
    const { registrationId, player, course } = await open();
    const send = async ({ actor, activity: object, lrs }: typeof course, verb: string, result = {}) => {
      await lrs.store({ actor, object, verb: VERB(verb), result });
      return Math.floor((await resultOf(service, registrationId)).duration / 60);
    };
    await send(course, 'attempted');
    clock.aheadMs += 10 * MINUTE_MS;
    assert.equal(await send(course, 'experienced'), 10);
    assert.equal(await send(course, 'exited', { duration: 'PT5M' }), 10);
    for (const minutes of [14, 18]) {
      const again = xapiCourse(await player.openUnit(COURSE));
      assert.equal(await send(again, 'exited', { duration: 'PT4M' }), minutes);
    }
  });

  test('counts each of several open sessions once', async () => {
    const { registrationId, player, course } = await open();
    const send = async ({ actor, activity: object, lrs }: typeof course, verb: string, result = {}) => {
      await lrs.store({ actor, object, verb: VERB(verb), result });
      return Math.floor((await resultOf(service, registrationId)).duration / 60);
    };
    clock.aheadMs += 10 * MINUTE_MS;
    assert.equal(await send(course, 'experienced'), 10);
    const other = xapiCourse(await player.openUnit(COURSE));
    for (const each of [other, course, other, course]) assert.equal(await send(each, 'experienced'), 10);
    assert.equal(await send(other, 'exited', { duration: 'PT3M' }), 13);
    // The last data of the first session arrives late.
    assert.equal(await send(course, 'exited', { duration: 'PT12M' }), 15);
    clock.aheadMs += 5 * MINUTE_MS;
    assert.equal(await send(other, 'experienced'), 15);
  });

  test('finds its state again at the next launch, even without a registration in its requests', async () => {
    const { registrationId, course } = await open();
    const query = ({ actor, activity }: typeof course) => ({
      activityId: activity.id,
      agent: JSON.stringify(actor),
      stateId: 'resume',
    });
    const body = { page: 7 };
    await course.lrs.call('PUT', 'activities/state', { query: query(course), body });
    const later = xapiCourse(await launchUnit(service, registrationId, COURSE));
    const found = await later.lrs.call('GET', 'activities/state', {
      query: { ...query(later), registration: later.registration },
    });
    assert.deepEqual(found.json, body);
    const fresh = await open();
    const none = await fresh.course.lrs.call('GET', 'activities/state', { query: query(fresh.course) });
    assert.equal(none.status, 404, 'another registration of the same learner starts without data');
  });

  test('in an older window writes nothing more', async () => {
    const { registrationId, course } = await open();
    await Player.open(service, registrationId);
    const { actor, activity: object } = course;
    const reply = await course.lrs.call('POST', 'statements', {
      body: { actor, object, verb: VERB('passed') },
    });
    assert.equal(reply.status, 403);
    const state = await course.lrs.call('PUT', 'activities/state', {
      query: { activityId: object.id, agent: JSON.stringify(actor), stateId: 's' },
      body: {},
    });
    assert.equal(state.status, 403);
    assert.equal((await resultOf(service, registrationId)).success, 'UNKNOWN');
  });

  test('can access only its own launch, whatever it requests', async () => {
    const victim = await open('victim');
    const attacker = await open('attacker');
    const { lrs, actor, activity: object } = attacker.course;
    const [secret] = await victim.course.lrs.store({
      actor: victim.course.actor,
      object,
      verb: VERB('answered'),
      result: { response: 'secret' },
    });
    await victim.course.lrs.call('PUT', 'activities/state', {
      query: { activityId: object.id, agent: JSON.stringify(victim.course.actor), stateId: 's' },
      body: { secret: true },
    });
    await victim.course.lrs.call('PUT', 'activities/profile', {
      query: { activityId: object.id, profileId: 'p' },
      body: { secret: true },
      headers: { 'if-none-match': '*' },
    });
    const get = (resource: string, query: Record<string, string>) => lrs.call('GET', resource, { query });
    const statements = [{}, { registration: victim.course.registration }, { activity: object.id }].concat({
      agent: JSON.stringify(victim.course.actor),
      related_agents: 'true',
    } as never);
    for (const query of statements) assert.deepEqual(await lrs.find(query as Record<string, string>), []);
    assert.equal((await get('statements', { statementId: secret! })).status, 404);
    const agent = JSON.stringify(victim.course.actor);
    const own = JSON.stringify(actor);
    const refused = [
      await get('activities/state', { activityId: object.id, agent, stateId: 's' }),
      await get('activities/state', {
        activityId: object.id,
        agent: own,
        registration: victim.course.registration,
        stateId: 's',
      }),
      await get('agents', { agent }),
      await get('agents/profile', { agent, profileId: 'p' }),
      await get('activities/state', { activityId: 'https://example.com/other', agent: own, stateId: 's' }),
      await get('activities/profile', { activityId: `${COURSE}ers`, profileId: 'p' }),
      await lrs.call('POST', 'statements', {
        body: { actor: victim.course.actor, object, verb: VERB('passed') },
      }),
      await lrs.call('POST', 'statements', {
        body: { actor, object, verb: VERB('passed'), context: { registration: victim.course.registration } },
      }),
      await lrs.call('POST', 'statements', {
        body: { actor, object: { id: 'https://example.com/other' }, verb: VERB('passed') },
      }),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      refused.map(() => 403),
    );
    assert.equal((await get('activities/profile', { activityId: object.id, profileId: 'p' })).status, 404);
    await lrs.store({ actor, object: reference(secret!), verb: VOIDED });
    await lrs.store({ actor, object: reference(secret!), verb: VERB('liked') });
    assert.deepEqual(
      await lrs.find({ agent, related_agents: 'true' }),
      [],
      'no reference reveals what it refers to',
    );
    const seen = await victim.course.lrs.call('GET', 'statements', { query: { statementId: secret! } });
    assert.equal(seen.status, 200, 'and none voids it');
    const taken = await lrs.call('POST', 'statements', {
      body: { id: secret, actor, object, verb: VERB('liked') },
    });
    assert.equal(taken.status, 409);
    assert.deepEqual((await resultOf(service, victim.registrationId)).success, 'UNKNOWN');
  });

  test('is authorized only by its own credential', async () => {
    const one = await open();
    const other = await open();
    const asked = (endpoint: string, authorization: string) =>
      fetch(`${endpoint}statements`, { headers: { authorization, 'x-experience-api-version': '1.0.3' } });
    const endpoint = one.address.searchParams.get('endpoint')!;
    const auth = one.address.searchParams.get('auth')!;
    assert.equal((await asked(endpoint, auth)).status, 200);
    assert.equal((await asked(endpoint, other.address.searchParams.get('auth')!)).status, 401);
    assert.equal((await asked(endpoint, `${auth.slice(0, -6)}AAAAAA`)).status, 401);
    assert.equal((await asked(endpoint, `Bearer ${service.api.token}`)).status, 401);
    assert.equal((await asked(`${service.url}/xapi/`, auth)).status, 401);
    const forged = endpoint.replace(/cwp1_..../, 'cwp1_AAAA');
    assert.notEqual((await asked(forged, auth)).status, 200);
  });

  test('leaves records that API clients can read, and that are deleted with the registration', async () => {
    const { registrationId, course } = await open();
    const { actor, activity: object, lrs } = course;
    const [id] = await lrs.store({ actor, object, verb: VERB('attempted') });
    const all = await lrsClient(service);
    const found = await all.call('GET', 'statements', { query: { statementId: id! } });
    assert.equal(found.json.authority.account.name, 'coursewire');
    await service.api.delete(`/registrations/${registrationId}`);
    assert.equal((await all.call('GET', 'statements', { query: { statementId: id! } })).status, 404);
    assert.equal((await lrs.call('GET', 'statements')).status, 401);
  });

  test('starts again after a reset, and the earlier window writes nothing more', async () => {
    const { registrationId, course } = await open();
    const { actor, activity: object } = course;
    const query = { activityId: object.id, agent: JSON.stringify(actor), stateId: 'resume' };
    await course.lrs.store({ actor, object, verb: VERB('passed'), result: { score: { scaled: 1 } } });
    await course.lrs.call('PUT', 'activities/state', { query, body: { page: 7 } });
    assert.equal((await service.api.post(`/registrations/${registrationId}/reset`)).status, 200);
    const late = await course.lrs.call('POST', 'statements', {
      body: { actor, object, verb: VERB('completed') },
    });
    assert.equal(late.status, 403);
    const next = xapiCourse(await launchUnit(service, registrationId, COURSE));
    assert.notEqual(next.registration, course.registration);
    assert.match(next.registration, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal((await next.lrs.call('GET', 'activities/state', { query })).status, 404);
    await next.lrs.store({
      actor,
      object,
      verb: VERB('failed'),
      context: { registration: next.registration },
    });
    assert.equal((await resultOf(service, registrationId)).success, 'FAIL');
  });

  test('has its statements listed page by page, each with a sentence', async () => {
    const { registrationId, course } = await open();
    const { actor, activity, lrs } = course;
    const object = { ...activity, definition: { name: { en: 'Golf' } } };
    const ids = [
      ...(await lrs.store({ actor, object, verb: VERB('attempted') })),
      ...(await lrs.store({ actor, object, verb: VERB('passed'), result: { score: { scaled: 0.8 } } })),
      ...(await lrs.store({ actor, object: activity, verb: VERB('exited') })),
    ];
    const path = `/registrations/${registrationId}/statements?limit=2`;
    const first = (await service.api.get(path)).body;
    const second = (await service.api.get(`${path}&cursor=${first.next_cursor}`)).body;
    const all = [...first.data, ...second.data];
    assert.deepEqual(
      all.map(({ statement_id }) => statement_id),
      ids,
    );
    assert.equal(all[1].sentence, 'ann@example.com passed “Golf” with 80 %');
    assert.equal(all[2].sentence, 'ann@example.com exited “Golf”', 'named by what an earlier statement says');
    assert.equal(all[1].statement.verb.id, VERB('passed').id);
    assert.equal(second.next_cursor, null);
    assert.equal((await service.api.get(`/registrations/${randomUUID()}/statements`)).status, 404);
  });

  test('may send a statement again if the response was lost: it counts once', async () => {
    const { registrationId, course } = await open();
    const { actor, activity: object, lrs } = course;
    const sent = { id: randomUUID(), actor, object, verb: VERB('completed'), result: { duration: 'PT10S' } };
    await Promise.all([lrs.store(sent), lrs.store(sent), lrs.store(sent)]);
    // Some libraries write ids in upper case.
    await lrs.store({ ...sent, id: sent.id.toUpperCase() });
    await lrs.store({ ...sent, id: sent.id.toUpperCase() });
    assert.deepEqual(await lrs.find(), [sent.id]);
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Completed',
      success: 'UNKNOWN',
      score: null,
      duration: 10,
    });
  });
});
