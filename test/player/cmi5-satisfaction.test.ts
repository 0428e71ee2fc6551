import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { cmi5Course } from '../support/cmi5-course.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { Unit } from './cmi5-helpers.ts';
import { launchUnit, Player, resultOf } from './learner-helpers.ts';
import { lrsClient } from './lrs-helpers.ts';

// Runs on SQLite in `npm test`: what satisfies a unit is decided in the process. The tests of attempts store results on both.

const ONE = 'https://example.com/course/one';
const TWO = 'https://example.com/course/two';

describe('a unit of a cmi5 course', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const open = async (registrationId: string) =>
    await Unit.start(await launchUnit(service, registrationId, ONE));

  for (const [moveOn, verb, isSatisfied, mode] of [
    ['Passed', 'completed', false, 'Normal'],
    ['Passed', 'passed', true, 'Review'],
    ['Completed', 'passed', false, 'Normal'],
    ['CompletedAndPassed', 'passed', false, 'Normal'],
    ['CompletedOrPassed', 'completed', true, 'Normal'],
    ['CompletedOrPassed', 'passed', true, 'Normal'],
  ] as const) {
    const effect = `${isSatisfied ? 'satisfied' : 'not satisfied'} by ${verb}`;
    test(`of moveOn ${moveOn} is ${effect}, and opens in the mode ${mode} again`, async () => {
      const { registrationId } = await registerTo(service, cmi5Course([{ id: ONE, moveOn }]));
      const unit = await open(registrationId);
      await unit.send(unit.initialized(), unit[verb](), unit.terminated());
      const { completion } = await resultOf(service, registrationId);
      assert.equal(completion, isSatisfied ? 'Completed' : 'Incomplete');
      assert.equal((await open(registrationId)).launchData.launchMode, mode);
    });
  }

  test('that is the last of its blocks satisfies each of them once, inner blocks first and the course last', async () => {
    const files = cmi5Course([{ id: ONE }]);
    const [block = ''] = /<block.*<\/block>/s.exec(files['cmi5.xml']) ?? [];
    const [au = ''] = /<au.*<\/au>/s.exec(block) ?? [];
    const named = (name: string, content: string) =>
      block.replace('/block', `/${name}`).replaceAll('>Block<', `>${name}<`).replace(au, content);
    const outer = named('outer', named('first', au) + named('second', au.replaceAll(ONE, TWO)));
    const manifest = files['cmi5.xml'].replace(block, outer);
    const { registrationId } = await registerTo(service, { ...files, 'cmi5.xml': manifest });
    const records = await lrsClient(service);
    const satisfied = async () =>
      (await records.statementsOf(registrationId))
        .filter(({ verb }) => verb.id.endsWith('/satisfied'))
        .map(({ object }) => object.definition.name.und);
    const player = await Player.open(service, registrationId);
    const second = await Unit.start(await player.openUnit(TWO));
    await second.send(second.initialized(), second.completed());
    assert.deepEqual(await satisfied(), ['second']);
    const first = await Unit.start(await player.openUnit(ONE));
    await first.send(first.initialized(), first.completed(), first.passed());
    assert.deepEqual(await satisfied(), ['second', 'first', 'outer', 'Course']);
  });
});
