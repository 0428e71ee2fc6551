import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { uploadForm } from '../content/packages.ts';
import { give, register } from '../content/registration-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { zipOf } from '../support/course-packages.ts';
import { type PlayerClient, startLaunch } from '../support/player-client.ts';
import { scorm2004Course } from '../support/player-courses.ts';
import { startTestService, type TestService } from '../support/service.ts';

const MAP =
  '<imsss:sequencing><imsss:objectives><imsss:primaryObjective objectiveID="own">' +
  '<imsss:mapInfo targetObjectiveID="shared" writeSatisfiedStatus="true"/></imsss:primaryObjective></imsss:objectives></imsss:sequencing>';
const ITEMS = ['1', '2']
  .map((n) => `<item identifier="i${n}" identifierref="r1"><title>Lesson ${n}</title>${MAP}</item>`)
  .join('');
const SATISFIED = {
  satisfied: true,
  measure: null,
  raw: null,
  min: null,
  max: null,
  completed: null,
  progress: null,
};

/** A page's sequencing state, as it is saved. */
const stateWith = (objectives: object) => ({
  state: {
    sequencing: { format: 2, current: null, suspended: null, activities: {}, objectives, stores: {} },
  },
});

describe('objectives that SCORM 2004 courses share', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const account = async () => (await service.api.create('/accounts', { name: 'Northwind' })).id as number;
  /** Registers a learner to a course of their own and launches it. */
  const open = async (
    accountId: number,
    learner: string,
    isShared = true,
  ): Promise<{ player: PlayerClient; registrationId: string }> => {
    const course = scorm2004Course({ items: ITEMS });
    const manifest = String(course['imsmanifest.xml']).replace(
      '<organization ',
      `<organization adlseq:objectivesGlobalToSystem="${isShared}" `,
    );
    const zip = await zipOf({ ...course, 'imsmanifest.xml': manifest });
    const { id: courseId } = await service.api.create('/courses', uploadForm(new Uint8Array(zip)));
    await give(service, accountId, 'COURSE', courseId);
    const { registration_id: registrationId } = await register(
      service,
      { account_id: accountId, course_id: courseId },
      learner,
    );
    return { player: await startLaunch(service, registrationId), registrationId };
  };
  const sharedOf = async (player: PlayerClient) =>
    (await player.open()).sequencing.state?.objectives.shared ?? null;

  it('are visible in other courses of the same learner and account, and to nobody else', async () => {
    const accountId = await account();
    const { player, registrationId } = await open(accountId, 'ann@example.com');
    await player.open();
    await player.openUnit('i1');
    const { body } = await player.commit('i1', {}, stateWith({ shared: SATISFIED, stranger: SATISFIED }));
    assert.equal(body.outcome, 'recorded');

    const other = await open(accountId, 'ann@example.com');
    const { sequencing } = await other.player.open();
    assert.deepEqual(sequencing.state.objectives, { shared: SATISFIED }, 'only what the manifest names');
    assert.equal(await sharedOf((await open(accountId, 'bob@example.com')).player), null);
    assert.equal(await sharedOf((await open(await account(), 'ann@example.com')).player), null);
    assert.equal(await sharedOf((await open(accountId, 'ann@example.com', false)).player), null);

    assert.equal((await service.api.delete(`/registrations/${registrationId}`)).status, 204);
    assert.equal(await sharedOf(other.player), null, 'they go with the registration that wrote them');
  });

  it('keep the newer value of another course while a page that was opened before saves other data', async () => {
    const accountId = await account();
    const failed = { ...SATISFIED, satisfied: false };
    const one = await open(accountId, 'ann@example.com');
    await one.player.open();
    await one.player.openUnit('i1');
    await one.player.commit('i1', {}, stateWith({ shared: failed }));

    const other = await open(accountId, 'ann@example.com');
    const { objectives } = (await other.player.open()).sequencing.state;
    assert.deepEqual(objectives, { shared: failed });
    await other.player.openUnit('i1');
    await one.player.commit('i1', {}, stateWith({ shared: SATISFIED }));
    await other.player.commit('i1', { location: 'page-2' }, stateWith(objectives));
    const again = await startLaunch(service, one.registrationId);
    assert.deepEqual(await sharedOf(again), SATISFIED);

    // This differs from the page's initial values, but not from those that the previous page has saved.
    const player = await startLaunch(service, other.registrationId);
    assert.deepEqual(await sharedOf(player), SATISFIED);
    await player.openUnit('i1');
    await player.commit('i1', {}, stateWith({ shared: failed }));
    assert.deepEqual(await sharedOf(await startLaunch(service, one.registrationId)), failed);
  });

  it('survive a reset unless the manifest says otherwise', async () => {
    const accountId = await account();
    for (const isShared of [true, false]) {
      const { player, registrationId } = await open(accountId, `learner-${isShared}@example.com`, isShared);
      await player.open();
      await player.openUnit('i1');
      await player.commit('i1', {}, stateWith({ shared: SATISFIED }));
      assert.deepEqual(await sharedOf(player), SATISFIED);
      await service.api.post(`/registrations/${registrationId}/reset`, {});
      const again = await startLaunch(service, registrationId);
      assert.deepEqual(await sharedOf(again), isShared ? SATISFIED : null);
    }
  });

  it('are not read from an invalid state', async () => {
    const accountId = await account();
    const { player } = await open(accountId, 'ann@example.com');
    await player.open();
    await player.openUnit('i1');
    for (const objectives of [{ shared: { satisfied: 'yes' } }, { shared: 5 }, 'all']) {
      assert.equal((await player.commit('i1', {}, stateWith(objectives as object))).status, 200);
    }
    assert.equal(await sharedOf((await open(accountId, 'ann@example.com')).player), null);
  });

  it('are read from the state that an earlier release stored', async () => {
    const former = {
      isActive: false,
      isSuspended: false,
      completionStatus: 'completed',
      attemptCount: 1,
      objectiveSatisfiedStatus: true,
      objectiveSatisfiedStatusKnown: true,
      objectiveMeasureStatus: true,
      objectiveNormalizedMeasure: 0.7,
      objectives: { objectives: [] },
    };
    const { player, registrationId } = await open(await account(), 'ann@example.com');
    await player.open();
    await player.openUnit('i1');
    const sequencing = JSON.stringify({
      sequencing: {
        currentActivity: null,
        suspendedActivity: 'i1',
        activityStates: {
          o1: former,
          i1: { ...former, isSuspended: true },
          i2: { ...former, attemptCount: 0 },
        },
        globalObjectiveMap: {
          shared: {
            id: 'shared',
            satisfiedStatus: true,
            satisfiedStatusKnown: true,
            measureStatus: false,
            normalizedMeasure: 0,
          },
        },
      },
    });
    await player.commit('i1', {}, { state: { sequencing } });
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.deepEqual([body.completion, body.success, body.score], ['Completed', 'PASS', 70]);
    const { state } = (await player.open()).sequencing;
    assert.deepEqual(
      [state.suspended, Object.keys(state.activities).toSorted(), state.objectives.shared],
      ['i1', ['i1', 'o1'], SATISFIED],
    );
  });
});
