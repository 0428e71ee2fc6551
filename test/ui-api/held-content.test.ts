import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importCourse } from '../content/packages.ts';
import { aroundTests } from '../support/around-tests.ts';
import { startTestService, type TestService } from '../support/service.ts';

interface Found {
  type: 'COURSE' | 'EQUIVALENT';
  id: number;
}

describe('the search in the content of an account', () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  const search = (query: string) => service.api.get(`/ui/api/search/assets?${query}`);

  it('finds exactly what a learner of the account can be registered for', async () => {
    const { api } = service;
    const folder = async (name: string, parent?: number) =>
      (await api.create('/folders', { name, ...(parent === undefined ? {} : { parent_id: parent }) })).id;
    const course = async (name: string, folderId: number) =>
      (await importCourse(service, { name, folder_id: String(folderId) })).id;
    const [top, aside] = [await folder('Top'), await folder('Aside')];
    const inner = await folder('Inner', top);
    const courses: number[] = [];
    for (const [index, place] of [top, inner, aside, aside, aside, aside].entries()) {
      courses.push(await course(`Course ${index}`, place));
    }
    const equivalent = async (name: string, folderId: number, courseId: number) =>
      (
        await api.create('/equivalents', {
          name,
          folder_id: folderId,
          courses: [{ course_id: courseId, language: 'en' }],
        })
      ).id;
    const equivalents = [
      await equivalent('Equivalent 0', aside, courses[2]!),
      await equivalent('Equivalent 1', inner, courses[3]!),
    ];
    const bundle = async (name: string, folderId: number, contents: object[]) =>
      (await api.create('/bundles', { name, folder_id: folderId, contents })).id;
    const bundles = [
      await bundle('Bundle 0', aside, [{ type: 'EQUIVALENT', id: equivalents[0] }]),
      await bundle('Bundle 1', inner, [{ type: 'COURSE', id: courses[4] }]),
      await bundle('Bundle 2', aside, [{ type: 'COURSE', id: courses[0] }]),
    ];
    assert.equal(courses[0], equivalents[0], 'an asset of another type has the same id');
    const gifts: { type: string; id: number }[][] = [
      [],
      [{ type: 'COURSE', id: courses[5]! }],
      [{ type: 'EQUIVALENT', id: equivalents[0]! }],
      [{ type: 'BUNDLE', id: bundles[0]! }],
      [{ type: 'BUNDLE', id: bundles[1]! }],
      [{ type: 'BUNDLE', id: bundles[2]! }],
      [{ type: 'FOLDER', id: inner }],
      [{ type: 'FOLDER', id: top }],
      [
        { type: 'FOLDER', id: inner },
        { type: 'COURSE', id: courses[5]! },
      ],
    ];
    const offered = [];
    for (const contents of gifts) {
      const { id: account_id } = await api.create('/accounts', { name: 'Northwind' });
      if (contents.length > 0) await api.post(`/accounts/${account_id}/content`, { contents });
      const { status, body } = await search(`held_by=${account_id}&limit=50`);
      assert.equal(status, 200, JSON.stringify(body));
      const found = (body.data as Found[]).map(({ type, id }) => `${type} ${id}`);
      const allowed = [];
      for (const [type, member, ids] of [
        ['COURSE', 'course_id', courses],
        ['EQUIVALENT', 'equivalent_id', equivalents],
      ] as const) {
        for (const id of ids) {
          const answer = await api.post('/registrations', { account_id, [member]: id, learner_id: 'ada' });
          if (answer.status === 201) allowed.push(`${type} ${id}`);
          else assert.equal(answer.status, 409, JSON.stringify(answer.body));
        }
      }
      assert.deepEqual(found.toSorted(), allowed.toSorted(), JSON.stringify(contents));
      offered.push(found.length);
    }
    assert.deepEqual(offered, [0, 1, 2, 2, 1, 1, 4, 5, 5]);
  });

  it('filters by type and name, and rejects types for which nobody can be registered', async () => {
    const { api } = service;
    const { id: courseId } = await importCourse(service, { name: 'Ladders' });
    const { id } = await api.create('/accounts', { name: 'Contoso' });
    await api.post(`/accounts/${id}/content`, { contents: [{ type: 'COURSE', id: courseId }] });
    const ids = async (query: string) =>
      ((await search(`held_by=${id}&${query}`)).body.data as Found[]).map((found) => found.id);
    assert.deepEqual(await ids('search=ladd'), [courseId]);
    assert.equal((await search(`held_by=${id}`)).body.total, 1, 'nothing of other accounts is counted');
    assert.deepEqual(await ids('offset=1'), []);
    assert.deepEqual(await ids('search=none'), []);
    assert.deepEqual(await ids('types=EQUIVALENT'), []);
    assert.equal((await search(`held_by=${id}&types=COURSE,BUNDLE`)).status, 400);
    assert.equal((await search('held_by=x')).status, 400);
  });
});
