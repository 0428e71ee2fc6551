import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { SCORM_2004, type ScormEdition } from '../support/course-packages.ts';
import { lessons, scorm2004Course } from '../support/player-courses.ts';
import { receivedResults, receivedStatuses } from '../support/received-statuses.ts';
import { registerTo } from '../support/registered-course.ts';
import { until } from '../support/service.ts';
import { type Classroom, type Learner, newLearner, openClassroom } from './support/learner.ts';

const USER = 'ann@example.com';
const PASSED = { user: USER, completion: 'Completed', success: 'PASS', score: 85, duration: 90 };

describe('a SCORM 2004 course in a browser', () => {
  let classroom: Classroom;
  let { service, browser, target } = {} as Classroom;
  aroundTests(async (parts) => {
    classroom = parts.use(await openClassroom());
    ({ service, browser, target } = classroom);
  });
  const heard = (id: string) => receivedStatuses(target, id);

  for (const edition of ['2nd', '3rd', '4th'] satisfies ScormEdition[]) {
    it(`reports a pass to webhooks, once (${edition} edition)`, async () => {
      const { registrationId } = await registerTo(service, scorm2004Course({ edition }));
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      assert.deepEqual(await learner.given(), {
        started: 'true',
        entry: 'ab-initio',
        mode: 'normal',
        credit: 'credit',
        completion_status: 'unknown',
        success_status: 'unknown',
        location: '',
        total_time: 'PT0S',
        learner_id: USER,
        suspend_data: '',
        scaled_passing_score: '0.8',
        'objectives._count': '1',
        'objectives.0.id': 'p',
        'interactions._count': '0',
        continue: 'false',
      });
      await learner.course.locator('#pass').click();
      await learner.saved();
      await until(() => heard(registrationId).length > 0, 'the result is heard of');
      assert.deepEqual(heard(registrationId), [PASSED]);
    });
  }

  it('suspends at the course’s request, shows the recorded result, and resumes with its interactions', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course());
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.course.locator('#suspend').click();
    await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
    await using other = await newLearner(browser);
    await other.open(service, registrationId);
    const given = await other.given();
    assert.deepEqual(
      [given.entry, given.location, given.suspend_data, given.total_time, given['interactions._count']],
      ['resume', 'page-7', 'answers=a,b', 'PT1M30S', '1'],
    );
    await other.course.locator('#fail').click();
    await other.saved();
    await until(() => heard(registrationId).length > 1, 'both results are heard of');
    assert.deepEqual(heard(registrationId), [
      { user: USER, completion: 'Incomplete', success: 'UNKNOWN', score: null, duration: 90 },
      { user: USER, completion: 'Completed', success: 'FAIL', score: 40, duration: 180 },
    ]);
  });

  it('stores answers that only look like marks of the standard, and gives them back at the next visit', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course());
    const answer = '{x} is a set';
    const pattern = '{case_matters=true}{1, 2} is a set, {x} is another';
    {
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await learner.given();
      await learner.calls(
        ['SetValue', 'cmi.interactions.0.id', 'essay'],
        ['SetValue', 'cmi.interactions.0.type', 'long-fill-in'],
        ['SetValue', 'cmi.interactions.0.learner_response', answer],
        ['SetValue', 'cmi.interactions.0.correct_responses.0.pattern', pattern],
        ['SetValue', 'cmi.exit', 'suspend'],
        ['Commit', ''],
      );
      await learner.saved();
    }
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    const sent = JSON.stringify(body);
    for (const text of [answer, pattern]) assert.ok(sent.includes(JSON.stringify(text)), text);
    await using other = await newLearner(browser);
    await other.open(service, registrationId);
    await other.given();
    const read = await other.course.locator('body').evaluate(() => {
      const { sco } = globalThis as unknown as { sco: { GetValue(element: string): string } };
      return ['learner_response', 'correct_responses.0.pattern'].map((member) =>
        sco.GetValue(`cmi.interactions.0.${member}`),
      );
    });
    assert.deepEqual(read, [answer, pattern]);
  });

  it('leads through several units and an asset, and is completed when all of them are', async () => {
    const asset = '<item identifier="i3" identifierref="a1"><title>Reading</title></item>';
    const { registrationId } = await registerTo(service, scorm2004Course({ items: lessons(2) + asset }));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    assert.equal((await learner.given()).continue, 'true');
    await learner.course.locator('#continue').click();
    const contents = learner.page.getByRole('navigation', { name: 'Contents' });
    await contents.getByRole('button', { name: /^Lesson 1.*Completed/ }).waitFor();
    await contents.locator('[aria-current]').filter({ hasText: 'Lesson 2' }).waitFor();
    await learner.given();
    await learner.course.locator('#continue').click();
    await learner.course.locator('#reading').waitFor();
    const completed = () => heard(registrationId).find(({ completion }) => completion === 'Completed');
    await until(completed, 'the completion is heard of');
    assert.deepEqual(receivedResults(target, registrationId), [
      ['Incomplete', 'UNKNOWN', 90],
      ['Completed', 'UNKNOWN', 90],
    ]);
  });

  /** Opens the failed first lesson again. Its former course is gone once the service responds. */
  const openedAgain = async ({ page }: Learner) => {
    const opened = page.waitForResponse('**/unit');
    await page
      .getByRole('navigation', { name: 'Contents' })
      .getByRole('button', { name: /^Lesson 1.*Failed/ })
      .click();
    await opened;
  };

  /** Two lessons in a row; the second one is disabled until the first one is passed. */
  const SEQUENCED = {
    items: `<item identifier="i1" identifierref="r1"><title>Lesson 1</title>${sequencedPassing('o1')}</item>
      <item identifier="i2" identifierref="r1"><title>Lesson 2</title>${sequencedPassing(
        'o2',
        '<imsss:preConditionRule><imsss:ruleConditions><imsss:ruleCondition referencedObjective="first" operator="not" condition="satisfied"/></imsss:ruleConditions><imsss:ruleAction action="disabled"/></imsss:preConditionRule>' +
          '<imsss:preConditionRule><imsss:ruleConditions><imsss:ruleCondition referencedObjective="first" operator="not" condition="objectiveStatusKnown"/></imsss:ruleConditions><imsss:ruleAction action="disabled"/></imsss:preConditionRule>',
      )}</item>`,
    sequencing: '<imsss:sequencing><imsss:controlMode choice="true" flow="true"/></imsss:sequencing>',
  };

  it('follows the sequencing of the manifest: disabled units cannot be opened, and the root counts', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course(SEQUENCED));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    assert.equal((await learner.given()).entry, 'ab-initio');
    const contents = learner.page.getByRole('navigation', { name: 'Contents' });
    const second = contents.getByRole('button', { name: /^Lesson 2/ });
    assert.equal(await second.isDisabled(), true);
    await learner.course.locator('#fail').click();
    await learner.saved();
    await openedAgain(learner);
    assert.equal((await learner.given()).entry, 'ab-initio');
    await learner.course.locator('#continue').click();
    await contents.locator('[aria-current]').filter({ hasText: 'Lesson 2' }).waitFor();
    await learner.given();
    await learner.course.locator('#pass').click();
    const passed = () => heard(registrationId).find(({ success }) => success === 'PASS');
    await until(passed, 'the pass is heard of');
    assert.deepEqual([passed()?.completion, passed()?.score], ['Completed', 87.5]);
  });

  it('suspends a sequenced course when the learner exits, without completing it', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course(SEQUENCED));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await learner.page.getByRole('button', { name: 'Exit' }).click();
    await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
    await learner.page.getByText('Not completed yet').first().waitFor();
    await learner.open(service, registrationId);
    assert.equal((await learner.given()).entry, 'resume');
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.deepEqual([body.completion, body.units[0].completion], ['Incomplete', 'Incomplete']);
  });

  for (const [what, course] of [
    ['a course without sequencing', {}],
    ['a sequenced course', SEQUENCED],
  ] as const) {
    it(`suspends ${what} if the unit asks for that alone, and counts what follows`, async () => {
      const { registrationId } = await registerTo(service, scorm2004Course(course));
      const statusOf = async () => {
        const { body } = await service.api.get(`/registrations/${registrationId}`);
        return [body.completion, body.units[0].completion, body.units[0].success];
      };
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await learner.given();
      await learner.calls(
        ['SetValue', 'cmi.suspend_data', 'p2'],
        ['SetValue', 'adl.nav.request', 'suspendAll'],
        ['Commit', ''],
        ['Terminate', ''],
      );
      await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
      assert.deepEqual(await statusOf(), ['Incomplete', 'Incomplete', 'UNKNOWN']);
      await learner.open(service, registrationId);
      const { entry, mode, suspend_data } = await learner.given();
      assert.deepEqual([entry, mode, suspend_data], ['resume', 'normal', 'p2']);
      // The same while its page unloads, because the learner exits.
      await learner.course.locator('body').evaluate(() => {
        const { sco } = globalThis as unknown as { sco: Record<string, (...values: string[]) => string> };
        addEventListener('unload', () => {
          sco.SetValue?.('adl.nav.request', 'suspendAll');
          sco.Terminate?.('');
        });
      });
      await learner.page.getByRole('button', { name: 'Exit' }).click();
      await learner.page.getByRole('heading', { name: 'You have not finished this course yet' }).waitFor();
      assert.deepEqual(await statusOf(), ['Incomplete', 'Incomplete', 'UNKNOWN']);
      await learner.open(service, registrationId);
      assert.equal((await learner.given()).entry, 'resume');
      await learner.course.locator('#pass').click();
      await until(async () => (await statusOf())[2] === 'PASS', 'the pass is recorded');
    });
  }

  it('ends the attempt on a sequenced unit that asks to suspend the course while the learner goes on', async () => {
    const { registrationId } = await registerTo(
      service,
      scorm2004Course({ ...SEQUENCED, items: lessons(2) }),
    );
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await learner.course.locator('body').evaluate(() => {
      const { sco } = globalThis as unknown as { sco: Record<string, (...values: string[]) => string> };
      addEventListener('unload', () => {
        sco.SetValue?.('adl.nav.request', 'suspendAll');
        sco.Terminate?.('');
      });
    });
    await learner.page.getByRole('button', { name: 'Next' }).click();
    await learner.page.locator('nav [aria-current]').filter({ hasText: 'Lesson 2' }).waitFor();
    await learner.page.getByRole('button', { name: /^Lesson 1.*Completed/ }).click();
    await learner.page.locator('nav [aria-current]').filter({ hasText: 'Lesson 1' }).waitFor();
    assert.equal((await learner.given()).entry, 'ab-initio');
  });

  it('stays in a plain course of several units if a unit asks for its own end, and can open another one', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course({ items: lessons(2) }));
    await using learner = await newLearner(browser);
    await learner.open(service, registrationId);
    await learner.given();
    await learner.calls(['SetValue', 'adl.nav.request', 'exit'], ['Terminate', '']);
    await learner.page.getByRole('heading', { name: 'You have left this unit' }).waitFor();
    await learner.page.getByRole('button', { name: 'Lesson 2' }).click();
    await learner.given();
    await learner.calls(['SetValue', 'adl.nav.request', 'exitAll'], ['Terminate', '']);
    await learner.page.getByRole('heading', { name: 'You have finished this course' }).waitFor();
  });

  it('counts the time of a resumed attempt on a sequenced unit without that of earlier attempts', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course(SEQUENCED));
    await using learner = await newLearner(browser);
    const begun = async () => {
      const { entry, total_time } = await learner.given();
      return [entry, total_time];
    };
    await learner.open(service, registrationId);
    assert.deepEqual(await begun(), ['ab-initio', 'PT0S']);
    await learner.course.locator('#fail').click();
    await openedAgain(learner);
    assert.deepEqual(await begun(), ['ab-initio', 'PT0S']);
    for (const total of ['PT1M30S', 'PT3M']) {
      await learner.course.locator('#suspend').click();
      await learner.page.getByRole('button', { name: 'Back to the course' }).waitFor();
      await learner.open(service, registrationId);
      assert.deepEqual(await begun(), ['resume', total]);
    }
  });

  it('resumes a new attempt that has reported nothing without the data of the attempt before', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course(SEQUENCED));
    await using learner = await newLearner(browser);
    const begun = async () => {
      const { completion_status, success_status, total_time = '' } = await learner.given();
      return [completion_status, success_status, /M/.test(total_time)];
    };
    await learner.open(service, registrationId);
    await learner.given();
    await learner.course.locator('#fail').click();
    await openedAgain(learner);
    assert.deepEqual(await begun(), ['unknown', 'unknown', false]);
    await learner.open(service, registrationId);
    assert.deepEqual(await begun(), ['unknown', 'unknown', false]);
    const { body } = await service.api.get(`/registrations/${registrationId}`);
    assert.deepEqual([body.units[0].completion, body.units[0].success], ['Completed', 'FAIL']);
  });

  it('closes an exam of one unit once its attempts are used up, until it is reset', async () => {
    const limit = '<imsss:limitConditions attemptLimit="1"/>';
    const passing = SCORM_2004.passing.replace('<imsss:sequencing>', `$&${limit}`);
    const exam = `<item identifier="i1" identifierref="r1"><title>Exam</title>${passing}</item>`;
    const { registrationId } = await registerTo(service, scorm2004Course({ items: exam }));
    await using learner = await newLearner(browser);
    const { page } = learner;
    await learner.open(service, registrationId);
    await learner.course.locator('#suspend').click();
    await page.getByText('To continue where you left off').waitFor();
    await learner.open(service, registrationId);
    assert.equal((await learner.given()).location, 'page-7');
    await learner.course.locator('#fail').click();
    await learner.saved();
    await page.getByRole('button', { name: 'Exit' }).click();
    await page.getByRole('heading', { name: 'You have not passed this course' }).waitFor();
    await page.getByText('You have used all attempts').waitFor();
    await page.getByRole('button', { name: 'Back to the course' }).click();
    await page.getByRole('heading', { name: 'You cannot open this course now' }).waitFor();
    assert.equal(await page.locator('iframe').count(), 0);
    const review = await service.api.post(`/registrations/${registrationId}/launch`, { mode: 'review' });
    await page.goto(review.body.launch_url);
    assert.equal((await learner.given()).mode, 'review');
    await service.api.post(`/registrations/${registrationId}/reset`, {});
    await learner.open(service, registrationId);
    assert.equal((await learner.given()).mode, 'normal');
  });

  it('resumes a sequenced course in the unit whose tab was closed', async () => {
    const { registrationId } = await registerTo(service, scorm2004Course(SEQUENCED));
    {
      await using learner = await newLearner(browser);
      await learner.open(service, registrationId);
      await learner.course.locator('#continue').click();
      await learner.page.locator('nav [aria-current]').filter({ hasText: 'Lesson 2' }).waitFor();
      await learner.given();
      await learner.course.locator('body').evaluate(() => {
        const { sco } = globalThis as unknown as {
          sco: { SetValue(element: string, value: string): string };
        };
        sco.SetValue('cmi.location', 'page-3');
      });
      await learner.page.close({ runBeforeUnload: true });
      // A browser sends the last request of a closed tab by itself. A window that opens the course before it arrives
      // supersedes it.
      await until(async () => {
        const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
        return JSON.stringify(body).includes('page-3');
      }, 'what the closed tab sent has arrived');
    }
    await using other = await newLearner(browser);
    await other.open(service, registrationId);
    const given = await other.given();
    assert.deepEqual([given.entry, given.location], ['resume', 'page-3']);
    await other.page.locator('nav [aria-current]').filter({ hasText: 'Lesson 2' }).waitFor();
  });
});

/** Sequencing of a lesson that is passed with 0.8 and writes or reads a shared objective. */
function sequencedPassing(id: string, rules = ''): string {
  const map =
    rules === ''
      ? '<imsss:mapInfo targetObjectiveID="first" writeSatisfiedStatus="true" writeNormalizedMeasure="true"/>'
      : '';
  const asked =
    rules === ''
      ? ''
      : '<imsss:objective objectiveID="first"><imsss:mapInfo targetObjectiveID="first" readSatisfiedStatus="true"/></imsss:objective>';
  const given = rules === '' ? '' : `<imsss:sequencingRules>${rules}</imsss:sequencingRules>`;
  return (
    `<imsss:sequencing>${given}<imsss:objectives><imsss:primaryObjective objectiveID="${id}" satisfiedByMeasure="true">` +
    `<imsss:minNormalizedMeasure>0.8</imsss:minNormalizedMeasure>${map}</imsss:primaryObjective>${asked}</imsss:objectives></imsss:sequencing>`
  );
}
