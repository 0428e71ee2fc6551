import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { importCourse } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Learners, by what their registration is: whether it was launched, and the result that was set through the API. */
const LEARNERS: Readonly<Record<string, { launched?: true; result?: object }>> = {
  fresh: {},
  launched: { launched: true },
  'result of nothing': { result: { duration: 5 } },
  'imported as begun': { result: { completion: 'Incomplete' } },
  'launched and begun': { launched: true, result: { completion: 'Incomplete' } },
  'imported as completed': { result: { completion: 'Completed' } },
  'launched and completed': { launched: true, result: { completion: 'Completed' } },
  'imported as passed': { result: { completion: 'Completed', success: 'PASS' } },
  'passed without completion': { result: { success: 'PASS' } },
  'launched and passed': { launched: true, result: { completion: 'Incomplete', success: 'PASS' } },
  'imported as failed': { result: { success: 'FAIL' } },
  'launched and failed': { launched: true, result: { completion: 'Incomplete', success: 'FAIL' } },
  'completed and failed': { launched: true, result: { completion: 'Completed', success: 'FAIL' } },
};

/** The learners that each filter of the list finds. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  not_launched: ['fresh', 'result of nothing'],
  in_progress: ['imported as begun', 'launched', 'launched and begun'],
  completed: [
    'completed and failed',
    'imported as completed',
    'imported as passed',
    'launched and completed',
  ],
  passed: ['imported as passed', 'launched and passed', 'passed without completion'],
  failed: ['completed and failed', 'imported as failed', 'launched and failed'],
};

describe('the list of registrations finds', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ settings: { enable_queue_polling: false } }));
    const { api } = service;
    const course = await importCourse(service, { name: 'Fire drill' });
    const account = (await api.create('/accounts', { name: 'Northwind' })).id;
    const contents = [{ type: 'COURSE', id: course.id }];
    assert.equal((await api.post(`/accounts/${account}/content`, { contents })).status, 200);
    for (const [learner_id, { launched, result }] of Object.entries(LEARNERS)) {
      const body = { account_id: account, course_id: course.id, learner_id };
      const { registration_id: id } = await api.create('/registrations', body);
      if (launched) assert.equal((await api.post(`/registrations/${id}/launch`)).status, 200);
      if (result === undefined) continue;
      const status = { completion: 'Unknown', success: 'UNKNOWN', ...result };
      assert.equal((await api.put(`/registrations/${id}/status`, status)).status, 200);
    }
  });

  for (const [status, learners] of Object.entries(FOUND)) {
    test(`as ${status} the learners whose record shows it, launched or not`, async () => {
      const { body } = await service.api.get(`/ui/api/registrations?status=${status}`);
      const found = body.data.map(({ learner_id }: { learner_id: string }) => learner_id);
      assert.deepEqual(found.toSorted(), learners);
      assert.equal(body.total, learners.length);
    });
  }

  test('all of them, and their number beyond the last page', async () => {
    const { body } = await service.api.get('/ui/api/registrations?offset=1000');
    assert.deepEqual([body.total, body.data], [Object.keys(LEARNERS).length, []]);
  });

  test('the same ones in the order of their creation or of their latest change', async () => {
    const idsBy = async (sort: string) => {
      const { body } = await service.api.get(`/ui/api/registrations?sort=${sort}&direction=asc`);
      return body.data.map(({ learner_id }: { learner_id: string }) => learner_id);
    };
    const learners = Object.keys(LEARNERS);
    const { body } = await service.api.get('/ui/api/registrations?sort=created&direction=asc');
    const { registration_id, learner_id } = body.data[learners.indexOf('result of nothing')];
    const status = { completion: 'Unknown', success: 'UNKNOWN', duration: 7 };
    assert.equal((await service.api.put(`/registrations/${registration_id}/status`, status)).status, 200);
    assert.deepEqual(await idsBy('created'), learners);
    assert.deepEqual(await idsBy('updated'), [...learners.filter((id) => id !== learner_id), learner_id]);
  });
});
