import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { aiccFiles } from '../support/course-packages.ts';
import { registerTo } from '../support/registered-course.ts';
import { randomOf } from '../support/seeded-random.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { AiccUnit } from './aicc-helpers.ts';
import { AICC_ELEMENTS, type AiccElement } from './aicc-tables.ts';
import { launchUnit } from './learner-helpers.ts';
import { PlainAiccModel, type PlainAnswer } from './plain-aicc-model.ts';

// Runs on SQLite alone: messages are read before anything is stored, and the tests of AICC courses store the values.

const OK = 'error=0\r\nerror_text=Successful\r\nversion=4.0\r\n';
const SEQUENCES = 8;
const CALLS = 30;

describe('the data model of AICC', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const register = async () => (await registerTo(service, aiccFiles())).registrationId;
  const open = async (registrationId: string) =>
    new AiccUnit(await launchUnit(service, registrationId, 'A1'));

  test('records the interactions that a course reports', async () => {
    const registrationId = await register();
    const unit = await open(registrationId);
    const rows =
      '"course_id","student_id","lesson_id","date","time","interaction_id","objective_id","type_interaction","correct_response","student_response","result","weighting","latency"\r\n' +
      '"1","ann","A1","2026/01/31","09:30:00","Q1","O1","C","a,b","a","W","1","00:00:05"\r\n';
    assert.match(await unit.send('PutInteractions', rows), /^error=0/);
    for (const command of ['PutObjectives', 'PutComments', 'PutPath', 'PutPerformance'])
      assert.match(await unit.send(command, '"a","b"\r\n"1","2"'), /^error=0/, command);
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    const [interaction, ...others] = Object.values(body.attempts[0].units[0].data.cmi.interactions);
    assert.deepEqual(interaction, {
      id: 'Q1',
      type: 'choice',
      date: '2026/01/31',
      time: '09:30:00',
      result: 'wrong',
      student_response: 'a',
      correct_responses: { 0: { pattern: 'a,b' } },
      objectives: { 0: { id: 'O1' } },
      weighting: '1',
      latency: '00:00:05',
    });
    assert.deepEqual(others, []);
  });

  test('adds the rows of each message to those before', async () => {
    const registrationId = await register();
    const unit = await open(registrationId);
    for (const id of ['Q1', 'Q2']) {
      assert.equal(await unit.send('PutInteractions', `"interaction_id"\r\n"${id}"`), OK);
      assert.equal(await unit.send('PutComments', `"comment"\r\n"${id}"`), OK);
    }
    const { body } = await service.api.get(`/registrations/${registrationId}/runtime`);
    const { interactions, comment_records } = body.attempts[0].units[0].data.cmi;
    assert.deepEqual(
      Object.values<{ id: string }>(interactions).map(({ id }) => id),
      ['Q1', 'Q2'],
    );
    assert.deepEqual(Object.values(comment_records), [{ comment: 'Q1' }, { comment: 'Q2' }]);
  });

  test('keeps what a message omits of an objective, and the objectives that it does not mention', async () => {
    const unit = await open(await register());
    const put = (...lines: string[]) => unit.send('PutParam', ['[Objectives_Status]', ...lines].join('\r\n'));
    await put('J_ID.1=O1', 'J_Score.1=50', 'J_Status.1=I');
    await put('J_ID.1=O2', 'J_Score.1=70');
    await put('J_ID.7=O1', 'J_Status.7=P');
    const { values } = await unit.parameters();
    const read = (number: number) => ['ID', 'Score', 'Status'].map((name) => values[`J_${name}.${number}`]);
    assert.deepEqual(
      [read(1), read(2)],
      [
        ['O1', '50', 'passed'],
        ['O2', '70', ''],
      ],
    );
  });

  test('gives a unit its launch data with a line for each <cr>', async () => {
    const files = aiccFiles();
    const vendor = { 'course.au': String(files['course.au']).replace('level=2', 'level=2<CR>skin=<cr>blue') };
    const { registrationId } = await registerTo(service, { ...files, ...vendor });
    assert.match(
      await (await open(registrationId)).send('GetParam'),
      /\[Core_Vendor\]\r\nlevel=2\r\nskin=\r\nblue\r\n\[/,
    );
  });

  for (const element of AICC_ELEMENTS) {
    test(`handles ${element.name} in ${element.group} as the standard describes it`, async () => {
      const registrationId = await register();
      const unit = await open(registrationId);
      const read = async () => readOf((await unit.parameters()).values, element);
      const write = async (value: string) => {
        assert.equal(await unit.send('PutParam', messageOf(element, value)), OK, value);
      };
      const { initial = '', access, good = [], bad = [] } = element;
      if (access !== 'write') assert.equal(await read(), initial, 'at the first launch');
      if (access === 'read') {
        await write('x');
        assert.equal(await read(), initial, 'written');
      }
      for (const each of good) {
        const [written, expected] = typeof each === 'string' ? [each, each] : each;
        await write(written);
        assert.equal(await read(), expected, `after "${written}"`);
        for (const wrong of bad) {
          await write(wrong);
          assert.equal(await read(), expected, `"${wrong}" after "${written}"`);
        }
      }
    });
  }

  test('answers random messages like a simple model of its table, in several visits', async () => {
    for (let seed = 1; seed <= SEQUENCES; seed++) await assertSequence(seed);
  });

  async function assertSequence(seed: number): Promise<void> {
    const random = randomOf(seed);
    const registrationId = await register();
    const model = new PlainAiccModel(AICC_ELEMENTS);
    let unit = await open(registrationId);
    let former: { unit: AiccUnit; isReview: boolean } | null = null;
    model.open();
    const calls: string[] = [];
    const said = () => `seed ${seed}: the last of\n${calls.slice(-12).join('\n')}`;
    const sends = async (command: string, data: string | undefined, answer: PlainAnswer, by = unit) => {
      calls.push(`${command} ${data ?? ''}`);
      const text = await by.send(command, data);
      assert.match(text, new RegExp(`^error=${answer}\\r\\n`), said());
    };
    // A visit that reports no time is measured, by a clock that the model does not have.
    const time = model.messageOf(random, ['Time']);
    await sends('PutParam', time.text, model.put(time));
    for (let count = 0; count < CALLS; count++) {
      const kind = random(20);
      if (kind === 0) await sends('DropTables', undefined, '1');
      else if (kind === 1 && former !== null) {
        const answer = former.isReview ? '0' : '3';
        await sends('PutParam', '[core]\nlesson_status=failed', answer, former.unit);
      } else if (kind < 4) {
        if (kind === 2) await sends('ExitAU', undefined, model.exit());
        calls.push('opened again');
        former = { unit, isReview: model.isReview };
        unit = await open(registrationId);
        model.open();
        const again = model.messageOf(random, ['Time']);
        await sends('PutParam', again.text, model.put(again));
      } else {
        const message = model.messageOf(random);
        await sends('PutParam', message.text, model.put(message));
      }
      const { values } = await unit.parameters();
      const got = Object.fromEntries(AICC_ELEMENTS.map((each) => [each.name, readOf(values, each)]));
      assert.deepEqual(got, model.values(), said());
    }
  }
});

/** The value of an element. Names may be in any case. An objective is named by its id. */
function readOf(values: Readonly<Record<string, string>>, { name }: AiccElement): string {
  const found = Object.entries(values).find(([each]) => each.toLowerCase() === name.toLowerCase());
  return found?.[1] ?? '';
}

function messageOf({ group, name }: AiccElement, value: string): string {
  const number = /^J_\w+\.(\d)$/.exec(name)?.[1];
  const objectives = number === undefined ? '' : `J_ID.1=O1\r\nJ_ID.2=O2\r\n`;
  return `[${group}]\r\n${objectives}${name}=${value}\r\n`;
}
