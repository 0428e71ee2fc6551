import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { activityTreeOf } from '../../src/player/scorm/course-activity-tree.ts';
import {
  type NavigationRequest,
  SequencingSession,
} from '../../src/player/scorm/sequencing/sequencing-session.ts';
import type { SequencingState } from '../../src/player/scorm/sequencing/tracking.ts';
import { trackUnit } from '../../src/player/scorm/sequencing/unit-tracking.ts';
import { Sequencer } from '../../web/player/src/sequencer.ts';
import { inspectFiles } from '../course-packages/package-file.ts';
import { type PlayerClient, startLaunch } from '../support/player-client.ts';
import { lessons, scorm2004Course } from '../support/player-courses.ts';
import { receivedResults, statusOf, subscribeToResults } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService, until } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';

// Runs on SQLite in `npm test`: sequencing is computed in the process. The tests of attempts and learner values store
// its state on both.

const COURSE = scorm2004Course({
  items: lessons(2),
  sequencing: '<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>',
});
const passed = (scaled: string) => ({
  completion_status: 'completed',
  success_status: 'passed',
  score: { scaled },
});
/** The part of an item that hides a control of the player. */
const hiding = (control: string) =>
  '<adlnav:presentation xmlns:adlnav="http://www.adlnet.org/xsd/adlnav_v1p3"><adlnav:navigationInterface>' +
  `<adlnav:hideLMSUI>${control}</adlnav:hideLMSUI></adlnav:navigationInterface></adlnav:presentation>`;
const STATUSES = new Set(['cmi.completion_status', 'cmi.success_status']);

/** A page of the course. It commits the reports of its open unit, together with the sequencing state. */
class Page {
  readonly #client: PlayerClient;
  readonly #session: SequencingSession;

  private constructor(client: PlayerClient, session: SequencingSession) {
    this.#client = client;
    this.#session = session;
  }

  static async open(service: TestService, registrationId: string): Promise<Page> {
    const { structure } = await inspectFiles(COURSE);
    const tree = activityTreeOf(structure);
    assert.ok(tree !== null, 'the course is sequenced');
    const client = await startLaunch(service, registrationId);
    const { sequencing } = await client.open();
    const session = new SequencingSession(tree, sequencing.state);
    return new Page(client, session);
  }

  async go(request: NavigationRequest): Promise<void> {
    const { delivered } = this.#session.navigate(request);
    assert.ok(delivered !== null);
    await this.#client.openUnit(delivered.id);
  }

  /** The learner ends the attempt on the course. */
  leave(): void {
    this.#session.navigate('exitAll');
  }

  /** The open unit commits its data model. */
  async commit(cmi: object, further: object = {}): Promise<void> {
    const { tree } = this.#session;
    const state = { sequencing: tree.state() };
    const { body } = await this.#client.commit(tree.current!.id, cmi, { state, ...further });
    assert.deepEqual(body, { outcome: 'recorded' });
  }

  /** The open unit terminates; see {@link commit}. */
  async terminate(cmi: Record<string, unknown>): Promise<void> {
    const current = this.#session.tree.current!;
    trackUnit(current, { cmi, set: STATUSES, elapsedMs: 1_000 });
    current.hasEnded = !current.isSuspended;
    await this.commit(cmi, { terminated: true });
  }
}

describe('a SCORM 2004 course with sequencing', () => {
  let service: TestService;
  let target: Target;
  before(async () => {
    service = await startTestService();
    target = await startTarget();
    await subscribeToResults(service, target);
  });
  after(async () => {
    await service.stop();
    await target.close();
  });

  it('counts the result of its last unit as soon as it is committed, and only once', async () => {
    const { registrationId } = await registerTo(service, COURSE);
    const page = await Page.open(service, registrationId);
    await page.go('start');
    await page.terminate(passed('1'));
    await page.go('continue');
    await page.commit({ completion_status: 'incomplete', success_status: 'unknown' });
    assert.deepEqual((await statusOf(service, registrationId)).slice(0, 2), ['Incomplete', 'UNKNOWN']);
    await page.commit(passed('0.8'));
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'PASS', 90]);
    await page.terminate(passed('0.8'));
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'PASS', 90]);
    await service.api.post(`/registrations/${registrationId}/reset`, {});
    await until(() => receivedResults(target, registrationId).length >= 3, 'the event of the reset');
    assert.deepEqual(receivedResults(target, registrationId), [
      ['Incomplete', 'UNKNOWN', 50],
      ['Completed', 'PASS', 90],
      ['Unknown', 'UNKNOWN', null],
    ]);
  });

  it('counts the result of a unit that suspends at its end', async () => {
    const { registrationId } = await registerTo(service, COURSE);
    const page = await Page.open(service, registrationId);
    await page.go('start');
    await page.terminate(passed('1'));
    await page.go('continue');
    await page.terminate({ ...passed('0.8'), exit: 'suspend' });
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'PASS', 90]);
  });

  it('that failed stays so in a new attempt until a unit is judged', async () => {
    const { registrationId } = await registerTo(service, COURSE);
    const page = await Page.open(service, registrationId);
    const failed = { completion_status: 'completed', success_status: 'failed', score: { scaled: '0.2' } };
    await page.go('start');
    await page.terminate(passed('1'));
    await page.go('continue');
    await page.terminate(failed);
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'FAIL', 60]);
    page.leave();
    await page.go('start');
    await page.commit({ completion_status: 'incomplete' });
    assert.deepEqual((await statusOf(service, registrationId)).slice(0, 2), ['Completed', 'FAIL']);
    await page.terminate(passed('0.9'));
    assert.deepEqual((await statusOf(service, registrationId)).slice(0, 2), ['Completed', 'UNKNOWN']);
    await page.go('continue');
    await page.terminate(passed('0.7'));
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'PASS', 80]);
  });

  it('keeps its score while the learner looks at a unit again', async () => {
    const { registrationId } = await registerTo(service, COURSE);
    const page = await Page.open(service, registrationId);
    await page.go('start');
    await page.terminate(passed('1'));
    await page.go('continue');
    await page.terminate(passed('0.8'));
    await page.go('previous');
    await page.commit({ completion_status: 'incomplete', location: 'page-2' });
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'PASS', 90]);
  });
});

describe('a SCORM 2004 course of one unit', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  const course = (ofUnit: string, ofCourse = '', presentation = '') =>
    scorm2004Course({
      items: `<item identifier="i1" identifierref="r1"><title>Exam</title><imsss:sequencing>${ofUnit}</imsss:sequencing>${presentation}</item>`,
      sequencing: `<imsss:sequencing>${ofCourse}</imsss:sequencing>`,
    });
  const rule = (set: string, condition: string, action: string) =>
    `<imsss:rollupRule childActivitySet="${set}"><imsss:rollupConditions><imsss:rollupCondition ${condition}/></imsss:rollupConditions>` +
    `<imsss:rollupAction action="${action}"/></imsss:rollupRule>`;
  const begin = async (files: ReturnType<typeof course>) => {
    const { registrationId } = await registerTo(service, files);
    const client = await startLaunch(service, registrationId);
    await client.open();
    await client.openUnit('i1');
    return { registrationId, client };
  };
  const failed = { completion_status: 'completed', success_status: 'failed', score: { scaled: '0.4' } };

  it('has the completion that its rollup rules give it, and keeps its data although it did not suspend', async () => {
    const rules =
      rule('all', 'condition="satisfied"', 'completed') +
      rule('any', 'condition="satisfied" operator="not"', 'incomplete');
    const { registrationId, client } = await begin(
      course('', `<imsss:rollupRules>${rules}</imsss:rollupRules>`),
    );
    const location = 'page-3';
    await client.commit('i1', { ...failed, location }, { terminated: true });
    assert.deepEqual(await statusOf(service, registrationId), ['Incomplete', 'FAIL', 40]);
    const next = await startLaunch(service, registrationId);
    assert.equal((await next.open()).sequencing, null);
    const { isReview, data } = await next.openUnit('i1');
    assert.deepEqual([isReview, data.cmi.location], [false, location]);
    await next.commit('i1', { ...passed('0.9'), completion_status: 'incomplete' });
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'PASS', 90]);
  });

  it('has its own status where its rollup rules say nothing', async () => {
    const rules = rule('all', 'condition="attempted"', 'satisfied');
    const { registrationId, client } = await begin(
      course('', `<imsss:rollupRules>${rules}</imsss:rollupRules>`),
    );
    await client.commit('i1', { completion_status: 'incomplete', score: { raw: '30' } });
    assert.deepEqual(await statusOf(service, registrationId), ['Incomplete', 'PASS', 30]);
  });

  /** Opens the course in a page, ends the unit without suspending, and exits. Returns whether the unit was opened. */
  const visit = async (files: ReturnType<typeof course>, states: SequencingState[]) => {
    const tree = activityTreeOf((await inspectFiles(files)).structure);
    assert.ok(tree !== null);
    const page = new Sequencer(tree, states.at(-1) ?? null);
    const unit = page.begin();
    if (unit !== null) {
      page.unitOpened(false);
      page.terminated(unit, { cmi: { exit: '' }, set: STATUSES, elapsedMs: 1_000 }, '');
      page.exit();
    }
    states.push(page.state().sequencing);
    return unit !== null;
  };

  for (const [kind, controls] of [
    ['flow alone', '<imsss:controlMode choice="false" flow="true"/>'],
    ['neither choice nor flow', '<imsss:controlMode choice="false" flow="false"/>'],
  ] as const) {
    it(`with ${kind} opens as often as its attempt limit allows, whether of the unit or of the course`, async () => {
      const limit = '<imsss:limitConditions attemptLimit="2"/>';
      for (const files of [course(limit, controls), course('', controls + limit)]) {
        const states: SequencingState[] = [];
        const opened = [await visit(files, states), await visit(files, states), await visit(files, states)];
        assert.deepEqual(opened, [true, true, false]);
      }
    });
  }

  for (const [what, hidden, after] of [
    ['suspends the course', 'exitAll', { attempts: 1, isSuspended: true }],
    ['ends the course', 'suspendAll', { attempts: 0, isSuspended: false }],
  ] as const) {
    it(`can still be taken if the learner exits before it has begun, and the exit ${what}`, async () => {
      const files = course('<imsss:limitConditions attemptLimit="1"/>', '', hiding(hidden));
      const tree = activityTreeOf((await inspectFiles(files)).structure);
      assert.ok(tree !== null);
      let state: SequencingState | null = null;
      for (const visit of ['the first visit', 'the second visit']) {
        const page: Sequencer = new Sequencer(tree, state);
        assert.equal(page.begin(), 'i1', visit);
        page.unitOpened(false);
        page.leaveUnit(true);
        page.unitNeverBegan();
        page.exit();
        state = page.state().sequencing;
        const { attempts, isSuspended } = state.activities.i1 ?? { attempts: 0, isSuspended: false };
        assert.deepEqual({ attempts, isSuspended }, after, visit);
      }
    });
  }

  /** Plays like a page of an earlier release that did not sequence such courses: without a state. */
  const asBefore = async (cmi: object, terminated: boolean, attempts: number) => {
    const files = course(`<imsss:limitConditions attemptLimit="${attempts}"/>`);
    const { registrationId, client } = await begin(files);
    await client.commit('i1', cmi, { terminated });
    const { sequencing } = await (await startLaunch(service, registrationId)).open();
    const session = new SequencingSession(sequencing.tree, sequencing.state);
    if (session.tree.current?.hasEnded) session.navigate('exit');
    else session.navigate('suspendAll');
    const resumed = session.navigate('resumeAll').delivered;
    const { only } = session.tree;
    assert.ok(only !== null);
    return { registrationId, delivered: resumed ?? session.deliver(only).delivered };
  };

  it('counts the attempt that began before it was sequenced', async () => {
    const { registrationId, delivered } = await asBefore(failed, true, 1);
    assert.equal(delivered, null);
    assert.deepEqual(await statusOf(service, registrationId), ['Completed', 'FAIL', 40]);
    const second = await asBefore(failed, true, 2);
    assert.deepEqual(second.delivered, { id: 'i1', isResumed: false });
  });

  it('resumes the attempt that was left open before it was sequenced', async () => {
    const open = await asBefore({ completion_status: 'incomplete', location: 'page-3' }, false, 1);
    assert.deepEqual(open.delivered, { id: 'i1', isResumed: true });
    const suspended = await asBefore({ completion_status: 'incomplete', exit: 'suspend' }, true, 1);
    assert.deepEqual(suspended.delivered, { id: 'i1', isResumed: true });
  });
});

describe('a SCORM 2004 course of several units', () => {
  it('resumes its last unit after the learner exited before that began again, although it cannot be suspended', async () => {
    const files = scorm2004Course({
      items: lessons(2).replaceAll('</item>', `${hiding('suspendAll')}</item>`),
      sequencing: '<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>',
    });
    const tree = activityTreeOf((await inspectFiles(files)).structure);
    assert.ok(tree !== null);
    const first = new Sequencer(tree, null);
    first.begin();
    first.unitOpened(false);
    assert.equal(first.request('continue'), 'i2');
    first.unitOpened(false);
    // The page is closed.
    const second = new Sequencer(tree, first.state().sequencing);
    assert.equal(second.begin(), 'i2');
    second.unitOpened(false);
    second.leaveUnit(true);
    second.unitNeverBegan();
    second.exit();
    const third = new Sequencer(tree, second.state().sequencing);
    assert.deepEqual([third.begin(), third.isResumed], ['i2', true]);
  });
});
