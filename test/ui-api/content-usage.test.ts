import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ContentMaker } from '../content/account-content-helpers.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('the usage of an asset', () => {
  let service: TestService;
  let make: ContentMaker;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    make = new ContentMaker(service);
  });

  const usage = (type: string, id: number | string) => service.api.get(`/ui/api/usage/${type}/${id}`);
  const count = (...data: { id: number; name: string }[]) => ({
    data,
    total: data.length,
    total_is_lower_bound: false,
  });
  const unused = {
    accounts: count(),
    equivalents: count(),
    bundles: count(),
    registrations: { total: 0, total_is_lower_bound: false },
  };

  test('lists accounts, equivalents, bundles and registrations for a course', async () => {
    const course = await make.course('Fire');
    assert.deepEqual((await usage('COURSE', course.id)).body, unused);
    const equivalent = await make.equivalent('Fire, all languages', [course, course]);
    const bundle = await make.bundle('Week', [course]);
    const accountId = await accountWith(course);
    await service.api.create('/registrations', {
      account_id: accountId,
      course_id: course.id,
      learner_id: 'ada',
    });
    const { status, body } = await usage('COURSE', course.id);
    assert.equal(status, 200);
    assert.deepEqual(body.equivalents, count({ id: equivalent.id, name: equivalent.name }), 'counted once');
    assert.deepEqual(body.bundles, count({ id: bundle.id, name: bundle.name }));
    assert.deepEqual(body.accounts, count({ id: accountId, name: 'Holder of Fire' }));
    assert.deepEqual(body.registrations, { total: 1, total_is_lower_bound: false });
  });

  test('lists bundles and accounts for an equivalent, and accounts for a bundle or folder', async () => {
    const folderId = await make.folder('Safety');
    const course = await make.course('Water', folderId);
    const equivalent = await make.equivalent('Water, all languages', [course]);
    const bundle = await make.bundle('Rescue', [equivalent]);
    const folder = { type: 'FOLDER', id: folderId, name: 'Safety' };
    for (const asset of [equivalent, bundle, folder]) {
      const accountId = await accountWith(asset);
      assert.deepEqual((await usage(asset.type, asset.id)).body, {
        ...unused,
        accounts: count({ id: accountId, name: `Holder of ${asset.name}` }),
        bundles: asset === equivalent ? count({ id: bundle.id, name: bundle.name }) : count(),
      });
    }
  });

  test('is not that of an asset of another type with the same id', async () => {
    let course = await make.course('Twin');
    const first = await make.equivalent('Twin, all languages', [course]);
    while (course.id < first.id) course = await make.course('Twin');
    let equivalent = first;
    while (equivalent.id < course.id) equivalent = await make.equivalent('Twin, all languages', [course]);
    assert.equal(course.id, equivalent.id);
    await make.bundle('With the course', [course]);
    await accountWith(course);
    assert.deepEqual((await usage('EQUIVALENT', equivalent.id)).body, unused);
  });

  test('counts many users, and names the first of them', async () => {
    const course = await make.course('Used');
    const bundles = [];
    for (let index = 0; index < 51; index += 1) bundles.push(await make.bundle(`Bundle ${index}`, [course]));
    const { body } = await usage('COURSE', course.id);
    assert.equal(body.bundles.total, 51);
    assert.deepEqual(
      body.bundles.data.map(({ id }: { id: number }) => id),
      bundles.slice(0, 50).map(({ id }) => id),
    );
  });

  test('is 404 for an asset that does not exist, and 400 for an unknown type', async () => {
    assert.equal((await usage('BUNDLE', 999)).status, 404);
    assert.equal((await usage('COURSE', 'x')).status, 404);
    assert.equal((await usage('ACCOUNT', 1)).status, 400);
  });

  async function accountWith({
    type,
    id,
    name,
  }: {
    type: string;
    id: number;
    name: string;
  }): Promise<number> {
    const accountId = await make.account(`Holder of ${name}`);
    await make.add(accountId, { type, id });
    return accountId;
  }
});
