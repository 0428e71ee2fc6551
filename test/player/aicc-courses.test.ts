import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { RunningClock } from '../support/clock.ts';
import { aiccFiles, type PackageFiles } from '../support/course-packages.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { AiccUnit, TWO_UNITS } from './aicc-helpers.ts';
import { launchUnit, Player, resultOf } from './learner-helpers.ts';

// Runs on SQLite in `npm test`: it is about the messages of AICC. The tests of attempts store what courses save on both.

/** A course of two blocks with prerequisites: A3 needs a unit, A4 all of a block, A5 a unit that was browsed. */
const WITH_PREREQUISITES: PackageFiles = {
  ...TWO_UNITS,
  'course.au': `"System_ID","Type","File_Name"\r\n${['A1', 'A2', 'A3', 'A4', 'A5']
    .map((id) => `"${id}","lesson","index.html"\r\n`)
    .join('')}`,
  'course.cst':
    '"Block","Member","Member","Member"\r\n"ROOT","B1","B2","A5"\r\n"B1","A1","A2"\r\n"B2","A3","A4"\r\n',
  'course.pre':
    '"Structure_Element","Prerequisite"\r\n"a3","A1"\r\n"A4","B1 & ~A3=f"\r\n"A5","1*{A1=""B"", A2=""B""}"\r\n',
};

describe('an AICC course', () => {
  let service: TestService;
  /** The access token of the tests is valid for an hour. */
  const clock = new RunningClock();

  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ now: clock.now }));
  });

  const register = async (files = aiccFiles()) => (await registerTo(service, files)).registrationId;
  const open = async (registrationId: string, unit = 'A1') =>
    new AiccUnit(await launchUnit(service, registrationId, unit));

  test('receives the learner, the stored data and the passing score', async () => {
    const unit = await open(await register());
    const { values, suspended } = await unit.parameters();
    assert.equal(values.Student_ID, 'ann@example.com');
    assert.equal(values.Lesson_Status, 'not attempted, ab-initio');
    assert.equal(values.Credit, 'credit');
    assert.equal(values.Lesson_Mode, 'normal');
    assert.equal(values.Time, '0000:00:00.00');
    assert.equal(values.Mastery_Score, '80');
    assert.equal(values.Max_Time_Allowed, '00:30:00');
    assert.equal(values.Time_Limit_Action, 'exit,message');
    assert.equal(suspended, '');
    assert.match(await unit.send('GetParam'), /\[Core_Vendor\]\r\nlevel=2\r\n/);
  });

  test('resumes where it was left, byte for byte, in another window', async () => {
    const registrationId = await register();
    const first = await open(registrationId);
    const text = 'a=1\r\n[not a group]\r\n\r\nä & % + =';
    const data =
      `[Core]\r\nLesson_Location=page 7\r\nLesson_Status=i,s\r\nScore=\r\nTime=00:01:30\r\n[Core_Lesson]\r\n${text}\r\n` +
      '[Objectives_Status]\r\nJ_ID.1=O1\r\nJ_Score.1=50\r\nJ_Status.1=P\r\n';
    assert.equal(await first.send('PutParam', data), 'error=0\r\nerror_text=Successful\r\nversion=4.0\r\n');
    await first.send('ExitAU');
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Incomplete',
      success: 'UNKNOWN',
      score: null,
      duration: 90,
    });
    const { values, suspended } = await (await open(registrationId)).parameters();
    assert.equal(suspended, text);
    assert.equal(values.Lesson_Location, 'page 7');
    assert.equal(values.Lesson_Status, 'incomplete, resume');
    assert.equal(values.Time, '0000:01:30.00');
    assert.deepEqual([values['J_ID.1'], values['J_Score.1'], values['J_Status.1']], ['O1', '50', 'passed']);
  });

  test('stays suspended if a message without core values follows', async () => {
    const registrationId = await register();
    const first = await open(registrationId);
    await first.send('PutParam', '[Core]\r\nLesson_Location=page 7\r\nLesson_Status=n,s\r\n');
    await first.send('PutParam', '[Objectives_Status]\r\nJ_ID.1=O1\r\nJ_Status.1=P\r\n');
    await first.send('ExitAU');
    assert.equal((await resultOf(service, registrationId)).completion, 'Incomplete');
    const { values } = await (await open(registrationId)).parameters();
    assert.equal(values.Lesson_Status, 'not attempted, resume');
    assert.deepEqual([values['J_ID.1'], values['J_Status.1']], ['O1', 'passed']);
  });

  test('keeps a megabyte', async () => {
    const registrationId = await register();
    const text = 'x'.repeat(2 ** 20);
    await (await open(registrationId)).send('PutParam', `[core]\nlesson_status=i\n[core_lesson]\n${text}`);
    assert.equal((await (await open(registrationId)).parameters()).suspended, text);
  });

  test('may send its data as jQuery does: escaped with escape(), and a plus for each space', async () => {
    const registrationId = await register();
    const unit = await open(registrationId);
    const lines = ['Lesson_Location = L’été, page 3', 'Lesson_Status = Passed, Suspend', 'Score = 40, 50, 0'];
    const data = ['[Core]', ...lines, '[Core_Lesson]', 'my state'].join('\r\n');
    const form = `command=PutParam&session_id=${unit.sessionId}&AICC_Data=${escape(data)}`;
    assert.match(await unit.sendForm(form.replaceAll('%20', '+')), /^error=0\r\n/);
    const { success, score } = await resultOf(service, registrationId);
    assert.deepEqual([success, score], ['PASS', 80]);
    const { values, suspended } = await unit.parameters();
    assert.deepEqual([values.Lesson_Location, suspended], ['L’été, page 3', 'my state']);
  });

  for (const [name, status, score, expected] of [
    ['passed as it says', 'passed', '85', ['Completed', 'PASS', 85]],
    [
      'passed in one letter, with a score of three numbers',
      'P',
      '4.545454545454546,100,0',
      ['Completed', 'PASS', 4.545455],
    ],
    ['passed by the mastery score', 'c', '90', ['Completed', 'PASS', 90]],
    ['failed by the mastery score', 'Completed', '79', ['Completed', 'FAIL', 79]],
    ['failed as it says', 'failed, logout', '20', ['Completed', 'FAIL', 20]],
    ['incomplete with a score', 'incomplete', '90', ['Incomplete', 'UNKNOWN', 90]],
    ['browsed', 'b', '', ['Incomplete', 'UNKNOWN', null]],
    ['of a status that AICC does not know', 'done', '33100', ['Incomplete', 'UNKNOWN', 100]],
  ] as const) {
    test(`is ${name}`, async () => {
      const registrationId = await register();
      const unit = await open(registrationId);
      await unit.send('putparam', `[CORE]\nLESSON_STATUS=${status}\nSCORE=${score}\nTIME=0000:02:10.4`);
      const { completion, success, score: reported, duration } = await resultOf(service, registrationId);
      assert.deepEqual([completion, success, reported, duration], [...expected, 130]);
    });
  }

  test('adds up the time of its visits, whose messages each report the total', async () => {
    const registrationId = await register();
    const first = await open(registrationId);
    await first.send('PutParam', '[core]\nlesson_status=i\ntime=00:00:30');
    await first.send('PutParam', '[core]\nlesson_status=i\ntime=00:01:00');
    const second = await open(registrationId);
    await second.send('PutParam', '[core]\nlesson_status=p\nscore=90\ntime=00:00:20');
    assert.equal((await resultOf(service, registrationId)).duration, 80);
  });

  test('whose later visit reports no valid time is not given the time of the earlier one again', async () => {
    const registrationId = await register();
    const data = '[core]\nlesson_status=i,s\nlesson_location=page 2\n';
    await (await open(registrationId)).send('PutParam', `${data}time=00:01:30`);
    for (const time of ['', 'time=soon']) {
      const unit = await open(registrationId);
      await unit.send('PutParam', `${data}${time}`);
      await unit.send('ExitAU');
    }
    // The later visits took the time of a request, which rounds to nothing except on a slow machine.
    const { duration } = await resultOf(service, registrationId);
    assert.ok(duration >= 90 && duration < 180, String(duration));
    const unit = await open(registrationId);
    await unit.send('PutParam', `${data}time=00:00:20`);
    await unit.send('PutParam', data);
    const later = (await resultOf(service, registrationId)).duration;
    assert.equal(later - duration, 20, 'within a visit, the last valid time still counts');
    assert.equal((await unit.parameters()).values.Lesson_Location, 'page 2');
  });

  test('that reports no time is given the time until its last message', async () => {
    for (const [command, data] of [
      ['ExitAU', undefined],
      ['PutInteractions', '"interaction_id"\r\n"Q1"\r\n'],
      ['PutParam', '[core]\nlesson_location=page 9'],
    ] as const) {
      const registrationId = await register();
      const minutes = async () => Math.floor((await resultOf(service, registrationId)).duration / 60);
      const unit = await open(registrationId);
      await unit.send('PutParam', '[core]\nlesson_status=incomplete\nlesson_location=page 2');
      clock.aheadMs += 2 * 60_000;
      assert.match(await unit.send(command, data), /^error=0/);
      assert.equal(await minutes(), 2, command);
      // A visit that reports its time is not measured.
      const again = await open(registrationId);
      await again.send('PutParam', '[core]\nlesson_status=incomplete\ntime=00:01:00');
      clock.aheadMs += 2 * 60_000;
      await again.send(command, data);
      assert.equal(await minutes(), 3, command);
    }
  });

  test('counts the time of a visit after one that reported less time than had passed', async () => {
    const registrationId = await register();
    const minutes = async () => Math.floor((await resultOf(service, registrationId)).duration / 60);
    const unit = await open(registrationId);
    await unit.send('PutParam', '[core]\nlesson_status=i,s');
    clock.aheadMs += 4 * 60_000;
    await unit.send('PutParam', '[core]\nlesson_status=i,s');
    await unit.send('PutParam', '[core]\nlesson_status=i,s\ntime=00:02:00');
    await unit.send('ExitAU');
    assert.equal(await minutes(), 4);
    for (const total of [6, 8]) {
      const again = await open(registrationId);
      await again.send('PutParam', '[core]\nlesson_status=i,s\ntime=00:02:00');
      await again.send('ExitAU');
      assert.equal(await minutes(), total);
    }
  });

  test('counts each of several open sessions once', async () => {
    const registrationId = await register();
    const player = await Player.open(service, registrationId);
    const openUnit = async () => new AiccUnit(await player.openUnit('A1'));
    const minutesAfter = async (unit: AiccUnit, time: string) => {
      assert.match(await unit.send('PutParam', `[core]\nlesson_status=i,s${time}`), /^error=0/);
      return Math.floor((await resultOf(service, registrationId)).duration / 60);
    };
    const one = await openUnit();
    clock.aheadMs += 4 * 60_000;
    assert.equal(await minutesAfter(one, ''), 4);
    const two = await openUnit();
    for (const unit of [two, one, two]) assert.equal(await minutesAfter(unit, ''), 4);
    assert.equal(await minutesAfter(two, '\ntime=00:03:00'), 7);
    assert.equal(await minutesAfter(one, '\ntime=00:05:00'), 8);
    clock.aheadMs += 60_000;
    assert.equal(await minutesAfter(two, ''), 8);
  });

  test('of several units is completed when all of them are', async () => {
    const registrationId = await register(TWO_UNITS);
    const player = await Player.open(service, registrationId);
    const one = new AiccUnit(await player.openUnit('A1'));
    const two = new AiccUnit(await player.openUnit('A2'));
    await two.send('PutParam', '[core]\nlesson_status=completed\ntime=00:00:10');
    assert.equal((await resultOf(service, registrationId)).completion, 'Incomplete');
    // The last message of a unit arrives when the next one is already open.
    await one.send('PutParam', '[core]\nlesson_status=passed\nscore=90\ntime=00:00:10');
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Completed',
      success: 'PASS',
      score: 90,
      duration: 20,
    });
  });

  test('opens units once the prerequisites of its .pre file are met', async () => {
    const player = await Player.open(service, await register(WITH_PREREQUISITES));
    const closed = async () =>
      (await player.post('/units')).units
        .filter(({ isOpen }: { isOpen: boolean }) => !isOpen)
        .map(({ id }: { id: string }) => id);
    const report = async (unit: string, status: string) =>
      await new AiccUnit(await player.openUnit(unit)).send('PutParam', `[core]\nlesson_status=${status}`);
    assert.deepEqual(await closed(), ['A3', 'A4', 'A5']);
    await report('A2', 'browsed');
    assert.deepEqual(await closed(), ['A3', 'A4']);
    await report('A1', 'passed');
    assert.deepEqual(await closed(), ['A4']);
    await report('A2', 'completed');
    assert.deepEqual(await closed(), ['A5']);
    await report('A3', 'failed');
    assert.deepEqual(await closed(), ['A4', 'A5']);
    const refused = await fetch(`${player.base}/unit`, { method: 'POST', body: '{"unit":"A4"}' });
    assert.equal(refused.status, 409);
    assert.match(await refused.text(), /prerequisites of the unit \\"A4\\" are not met/);
  });

  test('in an older window writes nothing more, and its page says so', async () => {
    const registrationId = await register();
    const old = await open(registrationId);
    await open(registrationId);
    assert.match(await old.send('PutParam', '[core]\nlesson_status=passed'), /^error=3\r\n/);
    assert.equal((await resultOf(service, registrationId)).success, 'UNKNOWN');
  });

  test('that is finished opens for review, which changes no results', async () => {
    const registrationId = await register();
    const first = await open(registrationId);
    await first.send('PutParam', '[core]\nlesson_status=passed\nscore=90\ntime=00:01:00');
    await first.send('ExitAU');
    const second = await open(registrationId);
    const { values } = await second.parameters();
    assert.deepEqual([values.Lesson_Mode, values.Credit], ['review', 'no-credit']);
    for (const [status, score] of [
      ['failed', 0],
      ['passed', 100],
    ] as const) {
      const data = `[core]\nlesson_status=${status}\nscore=${score}\ntime=00:09:00`;
      assert.match(await second.send('PutParam', data), /^error=0\r\n/);
    }
    await second.send('ExitAU');
    assert.deepEqual(await resultOf(service, registrationId), {
      completion: 'Completed',
      success: 'PASS',
      score: 90,
      duration: 60,
    });
  });

  test('that failed after it had passed reads that it is passed when it is opened again', async () => {
    const registrationId = await register();
    const visit = async (core: string) => {
      const unit = await open(registrationId);
      const { values } = await unit.parameters();
      await unit.send('PutParam', `[Core]\r\n${core}\r\n`);
      const own = (await unit.parameters()).values.Lesson_Status;
      await unit.send('ExitAU');
      return [values.Lesson_Status, own];
    };
    await visit('Lesson_Status=passed,suspend\r\nScore=90');
    assert.deepEqual(await visit('Lesson_Status=failed\r\nScore=10'), ['passed, resume', 'failed']);
    const { values } = await (await open(registrationId)).parameters();
    assert.deepEqual([values.Lesson_Status, values.Lesson_Mode], ['passed', 'review']);
  });

  for (const [what, command, data] of [
    ['a bookmark', 'PutParam', '[Core]\r\nLesson_Location=4\r\n'],
    ['a status that AICC does not know', 'PutParam', '[Core]\r\nLesson_Status=done\r\n'],
    ['its state', 'PutParam', '[Core_Lesson]\r\nmy state\r\n'],
    ['an interaction', 'PutInteractions', '"interaction_id"\r\n"Q1"\r\n'],
  ] as const) {
    test(`that failed after it had passed still reads that it is passed after a message with only ${what}`, async () => {
      const registrationId = await register();
      for (const core of ['Lesson_Status=passed,suspend\r\nScore=90', 'Lesson_Status=failed,suspend']) {
        const unit = await open(registrationId);
        await unit.send('PutParam', `[Core]\r\n${core}\r\n`);
        await unit.send('ExitAU');
      }
      const unit = await open(registrationId);
      const status = async () => (await unit.parameters()).values.Lesson_Status?.split(',')[0];
      assert.match(await unit.send(command, data), /^error=0/);
      assert.equal(await status(), 'passed');
      await unit.send('PutParam', '[Core]\r\nLesson_Status=failed\r\n');
      assert.match(await unit.send(command, data), /^error=0/);
      assert.equal(await status(), 'failed', 'it has set that itself');
    });
  }

  for (const [score, status] of [
    [90, 'passed'],
    [10, 'failed'],
  ] as const) {
    test(`that was completed with the score ${score} reads ${status} when it is opened again, since it has a mastery score`, async () => {
      const registrationId = await register();
      const unit = await open(registrationId);
      await unit.send('PutParam', `[Core]\r\nLesson_Status=completed\r\nScore=${score}\r\n`);
      await unit.send('ExitAU');
      assert.equal((await (await open(registrationId)).parameters()).values.Lesson_Status, status);
    });
  }

  test('that was interrupted after it was completed can be continued, and its result is recorded', async () => {
    const registrationId = await register();
    await (await open(registrationId)).send('PutParam', '[core]\nlesson_status=completed\nlesson_location=3');
    const again = await open(registrationId);
    const { values } = await again.parameters();
    assert.deepEqual(
      [values.Lesson_Mode, values.Credit, values.Lesson_Status, values.Lesson_Location],
      ['normal', 'credit', 'completed, resume', '3'],
    );
    await again.send('PutParam', '[core]\nlesson_status=passed\nscore=90');
    assert.equal((await again.parameters()).values.Lesson_Status, 'passed');
    const { success, score } = await resultOf(service, registrationId);
    assert.deepEqual([success, score], ['PASS', 90]);
  });

  test('may send messages that would keep a naive parser busy for hours', async () => {
    const registrationId = await register();
    const unit = await open(registrationId);
    const lines = '\r\n'.repeat(2 ** 18);
    await unit.send('PutParam', `[core]\nlesson_status=i\n[core_lesson]\n${lines}x${lines}`);
    const rows = `"a"\r\n"${',""'.repeat(2 ** 18)}\r\n"1"`;
    assert.match(await unit.send('PutComments', rows), /^error=0/);
    const { suspended } = await (await open(registrationId)).parameters();
    assert.equal(suspended, `${lines}x`);
  });

  test('is rejected without its own session', async () => {
    const unit = await open(await register());
    const other = await open(await register());
    for (const wrong of ['', 'x', other.sessionId, `${unit.sessionId.slice(0, -3)}AAA`]) {
      assert.match(
        await unit.send('GetParam', undefined, wrong),
        /^error=3\r\nerror_text=Invalid Session ID/,
      );
    }
    assert.match(await unit.send('DropTables'), /^error=1\r\nerror_text=Invalid Command/);
    assert.match(await unit.send('constructor'), /^error=1/);
  });
});
