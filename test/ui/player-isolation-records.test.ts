import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { uploadForm } from '../content/packages.ts';
import { Player, xapiCourse } from '../player/learner-helpers.ts';
import { statement } from '../player/lrs-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { zipOf } from '../support/course-packages.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { registerTo } from '../support/registered-course.ts';
import { type Classroom, type Learner, newLearner, openClassroom } from './support/learner.ts';

const COURSE = 'https://example.com/courses/golf';
const XAPI_FILES = {
  'tincan.xml': `<?xml version="1.0"?>
    <tincan xmlns="http://projecttincan.com/tincan.xsd"><activities>
    <activity id="${COURSE}" type="http://adlnet.gov/expapi/activities/course">
    <name>Golf</name><launch lang="en">start.html</launch></activity></activities></tincan>`,
  'start.html': '<!doctype html><title>Golf</title><h1>Golf</h1>',
};

/** The data that a hostile xAPI course has about its victim. */
interface Victim {
  actor: object;
  registration: string;
  statementId: string;
}

/**
 * Tries to read and write another learner's records, and returns the status of each try and the records that it found.
 */
async function attackRecords({ actor, registration, statementId }: Victim): Promise<Record<string, string>> {
  const given = new URLSearchParams(location.search);
  const activityId = given.get('activity_id') ?? '';
  const headers = {
    authorization: given.get('auth') ?? '',
    'content-type': 'application/json',
    'x-experience-api-version': '1.0.3',
  };
  const ask = async (resource: string, query: Record<string, string>, method = 'GET', body?: object) => {
    const request = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const answer = await fetch(`${given.get('endpoint')}${resource}?${new URLSearchParams(query)}`, request);
    const text = await answer.text();
    if (!answer.ok) return String(answer.status);
    const found = resource === 'statements' && method === 'GET' ? JSON.parse(text).statements.length : 'done';
    return `${answer.status} ${found}`;
  };
  const agent = JSON.stringify(actor);
  const about = {
    actor,
    verb: { id: 'http://adlnet.gov/expapi/verbs/failed' },
    object: { id: activityId },
  };
  return {
    all: await ask('statements', {}),
    'of the learner': await ask('statements', { agent }),
    'of the registration': await ask('statements', { registration }),
    one: await ask('statements', { statementId }),
    voided: await ask('statements', { voidedStatementId: statementId }),
    write: await ask('statements', {}, 'POST', about),
    'write for the registration': await ask('statements', {}, 'POST', {
      ...about,
      actor: JSON.parse(given.get('actor') ?? ''),
      context: { registration },
    }),
    'read a state': await ask('activities/state', { activityId, agent, stateId: 'answers', registration }),
    'write a state': await ask(
      'activities/state',
      { activityId, agent, stateId: 'x', registration },
      'PUT',
      {},
    ),
    'read a profile': await ask('agents/profile', { agent, profileId: 'answers' }),
    'delete a profile': await ask('agents/profile', { agent, profileId: 'answers' }, 'DELETE'),
    person: await ask('agents', { agent }),
    elsewhere: String(
      await fetch(new URL('/xapi/statements', location.href), { headers }).then(
        ({ status }) => status,
        () => 'refused',
      ),
    ),
  };
}

/** Looks for a file that only another version of the course has. */
async function attackVersions({ file }: { file: string }): Promise<Record<string, string>> {
  const tried: Record<string, string> = {};
  for (const address of [
    `../${file}`,
    `../../${file}`,
    `../1/${file}`,
    `..%2f1%2f${file}`,
    `../${file}?version=1`,
    `../../../../versions/1/content/${file}`,
    `..\\${file}`,
  ]) {
    tried[address] = String((await fetch(address)).status);
  }
  return tried;
}

async function run<Input>(
  learner: Learner,
  work: (input: Input) => Promise<Record<string, string>>,
  input: Input,
): Promise<Record<string, string>> {
  return await learner.course
    .locator('body')
    .evaluate((_body, [code, given]) => new Function(`return (${code})(${given})`)(), [
      String(work),
      JSON.stringify(input),
    ] as const);
}

describe('a hostile course that looks for data of others', () => {
  let classroom: Classroom;
  aroundTests(async (parts) => {
    classroom = parts.use(await openClassroom());
  });

  it('neither reads nor writes the records of another learner of the same course', async () => {
    const { service, browser } = classroom;
    const victim = await registerTo(service, XAPI_FILES, 'ann@example.com');
    const { lrs, actor } = xapiCourse(
      await (await Player.open(service, victim.registrationId)).openUnit(COURSE),
    );
    const [statementId] = await lrs.store(statement({ actor, object: { id: COURSE } }));
    const kept = { query: { agent: JSON.stringify(actor), profileId: 'answers' }, body: { secret: 1 } };
    await lrs.call('PUT', 'agents/profile', { ...kept, headers: { 'If-None-Match': '*' } });
    const before = await service.api.get(`/registrations/${victim.registrationId}/statements`);
    const mine = await registerTo(service, XAPI_FILES, 'mallory@example.com');

    await using learner = await newLearner(browser);
    await learner.open(service, mine.registrationId);
    await learner.course.getByRole('heading', { name: 'Golf' }).waitFor();
    const attack = { actor, registration: victim.registrationId, statementId: statementId! };
    const tried = await run(learner, attackRecords, attack);

    assert.deepEqual(tried, {
      all: '200 0',
      'of the learner': '200 0',
      'of the registration': '200 0',
      one: '404',
      voided: '404',
      write: '403',
      'write for the registration': '403',
      'read a state': '403',
      'write a state': '403',
      'read a profile': '403',
      'delete a profile': '403',
      person: '403',
      elsewhere: '404',
    });
    assert.deepEqual(await service.api.get(`/registrations/${victim.registrationId}/statements`), before);
    assert.equal(
      (await service.api.get(`/registrations/${mine.registrationId}/statements`)).body.data.length,
      0,
    );
    assert.deepEqual((await lrs.call('GET', 'agents/profile', { query: kept.query })).json, kept.body);
  });

  it('does not reach the answer key in another version of its course', async () => {
    const { service, browser } = classroom;
    const { registrationId, courseId } = await registerTo(service, scorm12Course());
    const withKey = { ...scorm12Course(), 'answers.json': '{"q1":"b"}' };
    await service.api.create(
      `/courses/${courseId}/versions`,
      uploadForm(new Uint8Array(await zipOf(withKey))),
    );
    assert.equal((await service.api.post(`/courses/${courseId}/versions/1/publish`)).status, 200);

    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    const tried = await run(learner, attackVersions, { file: 'answers.json' });
    for (const [address, status] of Object.entries(tried)) assert.match(status, /^40[04]$/, address);
    // Learners of that version can read the key.
    const later = await registerTo(service, withKey, 'bob@example.com');
    await learner.open(service, later.registrationId);
    await learner.given();
    const own = await run(
      learner,
      async () => ({ own: String((await fetch('../answers.json')).status) }),
      {},
    );
    assert.deepEqual(own, { own: '200' });
  });
});
