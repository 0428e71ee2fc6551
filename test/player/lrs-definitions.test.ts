import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { uploadForm } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { RunningClock } from '../support/clock.ts';
import { xapiFiles, zipOf } from '../support/course-packages.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { launchUnit, Player, xapiCourse } from './learner-helpers.ts';
import { type LrsClient, lrsClient, PASSED, statement } from './lrs-helpers.ts';

describe('the definitions of activities', () => {
  let service: TestService;
  let client: LrsClient;
  const clock = new RunningClock();

  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ now: clock.now }));
    client = await lrsClient(service);
  });

  const open = async (identifier: string, learner: string) => {
    const { registrationId } = await registerTo(service, xapiFiles({ identifier }), learner);
    return xapiCourse(await launchUnit(service, registrationId, identifier));
  };
  type Course = Awaited<ReturnType<typeof open>>;
  /** Sends a statement about the course, whose definition has this name; null: without one. */
  const send = async ({ lrs, actor, activity }: Course, name: string | null): Promise<string> => {
    const object = { ...activity, ...(name === null ? {} : { definition: { name: { en: name } } }) };
    const [id] = await lrs.store({ actor, verb: PASSED, object });
    return id!;
  };
  const nameOf = ({ definition }: { definition?: { name: { en: string } } }) => definition?.name.en;
  const activityOf = async (lrs: LrsClient, activityId: string) =>
    nameOf((await lrs.call('GET', 'activities', { query: { activityId } })).json);
  /** The names of the objects of all statements about an activity, by statement. */
  const canonicalNames = async (lrs: LrsClient, activityId: string) => {
    const query = { activity: activityId, format: 'canonical' };
    const { json } = await lrs.call('GET', 'statements', { query });
    return Object.fromEntries(
      json.statements.map(({ id, object }: { id: string; object: object }) => [id, nameOf(object)]),
    );
  };
  const newCourse = () => `https://courses.example/${randomUUID()}`;

  test('of a learner’s course change only how the statements of its registration read', async () => {
    const id = newCourse();
    const [ann, bob, eve] = [await open(id, 'ann'), await open(id, 'bob'), await open(id, 'eve')];
    const ofAnn = [await send(ann, 'Golf'), await send(ann, null)];
    const ofBob = [await send(bob, 'Golf, the second edition')];
    const object = { id, definition: { name: { en: 'Golf in the catalogue' } } };
    const [ofClient] = await client.store(statement({ object }));
    const withoutOwn = await send(eve, null);
    const ofEve = [withoutOwn, await send(ann, 'Golf renamed')];
    assert.deepEqual(await canonicalNames(client, id), {
      [ofAnn[0]!]: 'Golf renamed',
      [ofAnn[1]!]: 'Golf renamed',
      [ofBob[0]!]: 'Golf, the second edition',
      [ofClient!]: 'Golf in the catalogue',
      [withoutOwn]: 'Golf in the catalogue',
      [ofEve[1]!]: 'Golf renamed',
    });
    assert.equal(await activityOf(client, id), 'Golf in the catalogue');
    assert.equal(await activityOf(bob.lrs, id), 'Golf, the second edition');
    assert.deepEqual(await canonicalNames(bob.lrs, id), { [ofBob[0]!]: 'Golf, the second edition' });
    assert.equal(await activityOf(eve.lrs, id), undefined);
    assert.deepEqual(await canonicalNames(eve.lrs, id), { [withoutOwn]: undefined });
    const single = { statementId: withoutOwn, format: 'canonical' };
    const { json } = await client.call('GET', 'statements', { query: single });
    assert.equal(nameOf(json.object), 'Golf in the catalogue');
  });

  test('that no API client has sent are those of the course that sent one last', async () => {
    const id = newCourse();
    const [ann, bob] = [await open(id, 'ann'), await open(id, 'bob')];
    await send(ann, 'Golf');
    clock.aheadMs += 1_000;
    await send(bob, 'Golf, the second edition');
    const [ofClient] = await client.store(statement({ object: { id } }));
    assert.equal(await activityOf(client, id), 'Golf, the second edition');
    assert.equal((await canonicalNames(client, id))[ofClient!], undefined);
  });

  test('are unknown to a preview', async () => {
    const id = newCourse();
    await send(await open(id, 'ann'), 'Golf');
    await client.store(statement({ object: { id, definition: { name: { en: 'Golf' } } } }));
    const files = new Uint8Array(await zipOf(xapiFiles({ identifier: id })));
    const course = await service.api.create('/courses', uploadForm(files));
    const { body } = await service.api.post(`/courses/${course.id}/versions/0/preview`);
    const player = new Player(body.preview_url.replace(/\/player\/$/, ''));
    await player.post('/open');
    const { lrs } = xapiCourse(await player.openUnit(id));
    assert.equal(await activityOf(lrs, id), undefined);
  });
});
