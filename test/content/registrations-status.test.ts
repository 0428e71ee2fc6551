import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SECOND_MS } from '../../src/time/units.ts';
import { aroundTests } from '../support/around-tests.ts';
import { ManualClock } from '../support/clock.ts';
import { type Answer, type Api, startTestService, type TestService } from '../support/service.ts';
import { problemErrors } from './packages.ts';
import { makeParties, register, takeAll, withoutUnits } from './registration-helpers.ts';

const RESULT = { completion: 'Completed', success: 'PASS' };

describe('the status of a registration', () => {
  const clock = new ManualClock(Date.now());
  let service: TestService;
  let api: Api;
  let parties: { account_id: number; course_id: number };
  aroundTests(async (parts) => {
    service = parts.use(await startTestService({ now: clock.now }));
    api = service.api;
    parties = await makeParties(service);
  });

  const makeRegistration = async () => (await register(service, parties)).registration_id;
  const put = (id: string, status: unknown, headers?: Record<string, string>): Promise<Answer> =>
    api.put(`/registrations/${id}/status`, status, headers);
  const nowText = () => new Date(clock.now()).toISOString();

  async function replaced(id: string, status: unknown): Promise<Record<string, unknown>> {
    const answer = await put(id, status);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.deepEqual(withoutUnits((await api.get(`/registrations/${id}`)).body), answer.body);
    return answer.body;
  }

  it('is replaced as a whole: omitted members get their defaults', async () => {
    const id = await makeRegistration();
    clock.pass(SECOND_MS);
    const full = { ...RESULT, score: 87.5, duration: 130, completion_dt: '2026-01-31T10:42:10+01:00' };
    const first = await replaced(id, full);
    const { completion, success, score, duration, completion_dt, updated_dt } = first;
    assert.deepEqual(
      { completion, success, score, duration, completion_dt, updated_dt },
      { ...full, completion_dt: '2026-01-31T09:42:10.000Z', updated_dt: nowText() },
    );
    const second = await replaced(id, { completion: 'Incomplete', success: 'UNKNOWN' });
    assert.deepEqual(
      [second.completion, second.success, second.score, second.duration],
      ['Incomplete', 'UNKNOWN', null, 0],
    );
  });

  it('keeps the time of the first completion unless another one is given', async () => {
    const id = await makeRegistration();
    assert.equal((await replaced(id, { ...RESULT, completion: 'Incomplete' })).completion_dt, null);
    clock.pass(SECOND_MS);
    const completed = nowText();
    assert.equal((await replaced(id, RESULT)).completion_dt, completed);
    clock.pass(SECOND_MS);
    assert.equal((await replaced(id, { ...RESULT, score: 1 })).completion_dt, completed);
    assert.equal((await replaced(id, { ...RESULT, completion: 'Unknown' })).completion_dt, completed);
    assert.equal((await replaced(id, { ...RESULT, completion_dt: null })).completion_dt, completed);
    const given = '2026-01-31T09:42:10.123Z';
    assert.equal((await replaced(id, { ...RESULT, completion_dt: given })).completion_dt, given);
    assert.equal((await replaced(id, RESULT)).completion_dt, given);
  });

  it('accepts the smallest and largest values', async () => {
    const id = await makeRegistration();
    for (const completion of ['Completed', 'Incomplete', 'Unknown']) {
      for (const success of ['PASS', 'FAIL', 'UNKNOWN']) {
        const body = await replaced(id, { completion, success });
        assert.deepEqual([body.completion, body.success], [completion, success]);
      }
    }
    for (const score of [0, 100, 0.1, 66.66666666666667, null]) {
      assert.equal((await replaced(id, { ...RESULT, score })).score, score);
    }
    for (const duration of [0, Number.MAX_SAFE_INTEGER]) {
      assert.equal((await replaced(id, { ...RESULT, duration })).duration, duration);
    }
  });

  it('is rejected with every invalid member named', async () => {
    const id = await makeRegistration();
    const wrong = {
      completion: 'completed',
      score: 100.1,
      duration: 1.5,
      completion_dt: '2026-01-31T09:42:10',
      progress: 1,
    };
    assert.deepEqual(Object.keys(problemErrors(await put(id, wrong), 400)).sort(), [
      '/completion',
      '/completion_dt',
      '/duration',
      '/progress',
      '/score',
      '/success',
    ]);
    for (const [member, values] of Object.entries({
      success: ['Pass', '', null, 1],
      score: [-0.1, '50', true, []],
      duration: [-1, '5', null, 2 ** 53],
      completion_dt: ['yesterday', '2026-02-30T00:00:00Z', '', 'Z'.repeat(41), 5],
    })) {
      for (const value of values) {
        const answer = await put(id, { ...RESULT, [member]: value });
        assert.deepEqual(Object.keys(problemErrors(answer, 400)), [`/${member}`], JSON.stringify(value));
      }
    }
    for (const body of [[], 'x', 5, null]) problemErrors(await put(id, JSON.stringify(body)), 400);
    assert.equal((await api.get(`/registrations/${id}`)).headers.get('etag'), '"1"');
  });

  it('does not change when the record is sent back as it was read', async () => {
    const id = await makeRegistration();
    for (const status of [
      { completion: 'Unknown', success: 'FAIL' },
      { ...RESULT, score: 3, duration: 9 },
    ]) {
      await replaced(id, status);
      const read = await api.get(`/registrations/${id}`);
      clock.pass(SECOND_MS);
      const sentBack = await put(id, read.body);
      assert.deepEqual([sentBack.status, sentBack.body], [200, withoutUnits(read.body)]);
      assert.equal(sentBack.headers.get('etag'), read.headers.get('etag'));
    }
  });

  it('is accepted with the units of the largest course, as they were read', async () => {
    const id = await makeRegistration();
    const record = (await api.get(`/registrations/${id}`)).body;
    const [unit] = record.units;
    const units = Array.from({ length: 2_000 }, (_, index) => ({ ...unit, unit_id: `unit-${index}` }));
    assert.equal((await replaced(id, { ...record, ...RESULT, units })).success, 'PASS');
  });

  it('is not replaced if someone else changed it since it was read', async () => {
    const id = await makeRegistration();
    const first = await put(id, RESULT, { 'If-Match': '"1"' });
    assert.deepEqual([first.status, first.headers.get('etag')], [200, '"2"']);
    problemErrors(await put(id, { ...RESULT, score: 5 }, { 'If-Match': '"1"' }), 412);
    assert.equal((await api.get(`/registrations/${id}`)).body.score, null);
  });

  it('is accepted even after the account was disabled or lost the course', async () => {
    const lost = await makeParties(service);
    const { registration_id: id } = await register(service, lost);
    await takeAll(service, lost.account_id);
    await api.put(`/accounts/${lost.account_id}`, { name: 'Northwind', enabled: false });
    assert.equal((await replaced(id, RESULT)).completion, 'Completed');
  });
});
