import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { ContentMaker } from './account-content-helpers.ts';
import { problemErrors } from './packages.ts';

describe('an equivalent with registrations', () => {
  let service: TestService;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    make = new ContentMaker(service);
  });

  /** An equivalent that an account has only through a folder, and two registrations for it. One learner has begun. */
  async function registered() {
    const { api } = service;
    const courses = [await make.course('English'), await make.course('German')];
    const folderId = await make.folder('Safety');
    const equivalent = await make.equivalent('Fire', courses, folderId);
    const accountId = await make.account('Northwind');
    await make.add(accountId, { type: 'FOLDER', id: folderId });
    const ids: string[] = [];
    for (const learner of ['ada', 'bob']) {
      const body = { account_id: accountId, equivalent_id: equivalent.id, learner_id: learner };
      ids.push((await api.create('/registrations', body)).registration_id);
    }
    const launched = await api.post(`/registrations/${ids[1]}/launch`, { language: 'en-101' });
    assert.equal(launched.status, 200);
    return { id: equivalent.id, accountId, courses, ids };
  }

  it('cannot be deleted until they are, whatever language was chosen', async () => {
    const { api } = service;
    const { id, ids } = await registered();
    const usage = async () => (await api.get(`/ui/api/usage/EQUIVALENT/${id}`)).body.registrations;
    assert.deepEqual(await usage(), { total: 2, total_is_lower_bound: false });
    const refused = await api.delete(`/equivalents/${id}`);
    problemErrors(refused, 409);
    assert.equal(refused.body.detail, 'The equivalent is in use by registrations of learners');
    for (const each of ids) {
      problemErrors(await api.delete(`/equivalents/${id}`), 409);
      assert.equal((await api.post(`/registrations/${each}/launch`, {})).status, 200);
      assert.equal((await api.delete(`/registrations/${each}`)).status, 204);
    }
    assert.equal((await usage()).total, 0);
    assert.equal((await api.delete(`/equivalents/${id}`)).status, 204);
  });

  it('frees a course that it no longer has once those without a language are launched or reset', async () => {
    const { api } = service;
    const { id, accountId, courses, ids } = await registered();
    const body = { account_id: accountId, equivalent_id: id, learner_id: 'eve' };
    const { registration_id: third } = await api.create('/registrations', body);
    const { folder_id } = (await api.get(`/equivalents/${id}`)).body;
    const kept = { name: 'Fire', folder_id, courses: [{ course_id: courses[1]?.id, language: 'de' }] };
    assert.equal((await api.put(`/equivalents/${id}`, kept)).status, 200);
    assert.equal((await api.delete(`/registrations/${ids[1]}`)).status, 204);
    const remove = async () => await api.delete(`/courses/${courses[0]?.id}`);
    problemErrors(await remove(), 409);
    assert.equal((await api.post(`/registrations/${ids[0]}/launch`)).status, 200);
    problemErrors(await remove(), 409);
    assert.equal((await api.post(`/registrations/${third}/reset`)).status, 200);
    assert.equal((await remove()).status, 204);
    const changes = `/events?registration_id=${third}`;
    assert.deepEqual((await api.get(changes)).body.data, [], 'a reset without a result triggers no event');
  });

  it('has their list, whatever language was chosen', async () => {
    const { api } = service;
    const { id, accountId, courses, ids } = await registered();
    const ofCourse = { account_id: accountId, course_id: courses[0]?.id, learner_id: 'eve' };
    await make.add(accountId, courses[0]!);
    await api.create('/registrations', ofCourse);
    for (const path of ['/registrations', '/ui/api/registrations']) {
      const { status, body } = await api.get(`${path}?equivalent_id=${id}`);
      assert.equal(status, 200, JSON.stringify(body));
      const found = body.data.map(({ registration_id }: { registration_id: string }) => registration_id);
      assert.deepEqual(found.sort(), [...ids].sort());
      assert.deepEqual((await api.get(`${path}?equivalent_id=99999`)).body.data, []);
    }
  });
});
