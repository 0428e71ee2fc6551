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

  test('all of them, and their number beyond the last page, by creation or by the latest change', async () => {
    const read = async (query: string) => (await service.api.get(`/ui/api/registrations?${query}`)).body;
    const { total, data: beyond } = await read('offset=1000');
    assert.deepEqual([total, beyond], [Object.keys(LEARNERS).length, []]);
    const { data: created } = await read('sort=created&direction=asc');
    const [first] = created;
    assert.deepEqual(
      created.map(({ learner_id }: { learner_id: string }) => learner_id),
      Object.keys(LEARNERS),
    );
    // A later change of the first one moves it only in the other order.
    const launch = await service.api.post(`/registrations/${first.registration_id}/launch`);
    assert.equal(launch.status, 200);
    assert.equal((await read('sort=created&direction=asc')).data[0].learner_id, first.learner_id);
  });
});
