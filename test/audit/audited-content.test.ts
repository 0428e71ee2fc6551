import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { AuditEntryRecord } from '../../src/audit/audit-schemas.ts';
import { uploadForm } from '../content/packages.ts';
import { scorm12Package } from '../support/course-packages.ts';
import { startTestService, type TestService } from '../support/service.ts';

describe('the audit log, about content', () => {
  let service: TestService;
  let courseId: number;
  /** The newest entry before the test. */
  let newest: number;

  before(async () => {
    service = await startTestService();
    courseId = await importCourse('Fire safety');
  });
  after(() => service.stop());
  beforeEach(async () => {
    newest = (await service.api.get('/audit-log?limit=1')).body.data[0]?.id ?? 0;
  });

  async function importCourse(title: string): Promise<number> {
    return (await service.api.create('/courses', uploadForm(new Uint8Array(await scorm12Package({ title })))))
      .id;
  }

  /** What the test has recorded, oldest first. */
  async function recorded(query = ''): Promise<AuditEntryRecord[]> {
    const { status, body } = await service.api.get(`/audit-log?limit=200${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.filter(({ id }: AuditEntryRecord) => id > newest).reverse();
  }

  const fireSafety = () => ({ type: 'COURSE', id: courseId, name: 'Fire safety' });
  const asReferences = (...contents: { type: string; id: number }[]) =>
    contents.map(({ type, id }) => ({ type, id }));

  it('records what an account gets and loses, and nothing if nothing changes', async () => {
    const { api, clientId } = service;
    const { id } = await api.create('/accounts', { name: 'Northwind' });
    const path = `/accounts/${id}/content`;
    const folder = { type: 'FOLDER', id: (await api.create('/folders', { name: 'Safety' })).id };
    for (const _ of ['first', 'repeated']) {
      const contents = asReferences(fireSafety(), folder);
      assert.equal((await api.post(path, { contents })).status, 200);
    }
    assert.equal((await api.delete(`${path}/COURSE/${courseId}`)).status, 204);
    assert.equal((await api.delete(`${path}/COURSE/${courseId}`)).status, 404);
    const [added, removed, ...others] = await recorded(`&object_type=ACCOUNT&object_id=${id}`);
    assert.deepEqual(others, []);
    assert.equal(added?.action, 'CONTENT_ADDED');
    assert.equal(added.actor.id, clientId);
    assert.deepEqual(added.object, { type: 'ACCOUNT', id: String(id), name: 'Northwind' });
    assert.deepEqual(added.changes, [
      { field: 'contents', added: [fireSafety(), { ...folder, name: 'Safety' }], removed: [] },
    ]);
    assert.equal(removed?.action, 'CONTENT_REMOVED');
    assert.deepEqual(removed.changes, [{ field: 'contents', added: [], removed: [fireSafety()] }]);
  });

  it('records for each account what a call for many accounts changed in it', async () => {
    const { api } = service;
    const ids: number[] = [];
    for (const name of ['Has it', 'Lacks it']) ids.push((await api.create('/accounts', { name })).id);
    const contents = asReferences(fireSafety());
    await api.post(`/accounts/${ids[0]}/content`, { contents });
    const body = { account_ids: ids, contents };
    assert.equal((await api.post('/account-content/add', body)).status, 200);
    const unknown = { ...body, account_ids: [...ids, 999_999] };
    assert.equal((await api.post('/account-content/remove', unknown)).status, 400);
    assert.equal((await api.post('/account-content/remove', body)).status, 200);
    const entries = await recorded();
    assert.deepEqual(
      entries.map(({ action, object }) => [action, object.id, object.name]),
      [
        ['CONTENT_ADDED', String(ids[0]), 'Has it'],
        ['CONTENT_ADDED', String(ids[1]), 'Lacks it'],
        ['CONTENT_REMOVED', String(ids[0]), 'Has it'],
        ['CONTENT_REMOVED', String(ids[1]), 'Lacks it'],
      ],
    );
    assert.deepEqual(entries.at(-1)?.changes, [{ field: 'contents', added: [], removed: [fireSafety()] }]);
  });

  it('has one entry for a call that is repeated with its idempotency key', async () => {
    const { api } = service;
    const { id } = await api.create('/accounts', { name: 'Northwind' });
    const body = { account_ids: [id], contents: asReferences(fireSafety()) };
    for (const _ of ['first', 'repeated']) {
      const { status } = await api.post('/account-content/add', body, {
        'Idempotency-Key': `add-${id}`,
      });
      assert.equal(status, 200);
    }
    assert.equal((await recorded()).length, 1);
  });

  it('records who deleted courses, equivalents, bundles and folders, with what they were', async () => {
    const { api } = service;
    const folder = await api.create('/folders', { name: 'Old' });
    const course = await importCourse('First aid');
    const equivalent = await api.create('/equivalents', {
      name: 'First aid, translated',
      folder_id: folder.id,
      courses: [{ course_id: course, language: 'en' }],
    });
    const bundle = await api.create('/bundles', {
      name: 'Basics',
      contents: [{ type: 'EQUIVALENT', id: equivalent.id }],
    });
    assert.equal((await api.delete(`/courses/${course}`)).status, 409);
    const paths = ['bundles', 'equivalents', 'courses', 'folders'] as const;
    const ids = { bundles: bundle.id, equivalents: equivalent.id, courses: course, folders: folder.id };
    for (const path of paths) assert.equal((await api.delete(`/${path}/${ids[path]}`)).status, 204, path);
    const entries = await recorded();
    assert.deepEqual(
      entries.map(({ action, object }) => [action, object.type, object.id, object.name]),
      [
        ['BUNDLE_DELETED', 'BUNDLE', String(bundle.id), 'Basics'],
        ['EQUIVALENT_DELETED', 'EQUIVALENT', String(equivalent.id), 'First aid, translated'],
        ['COURSE_DELETED', 'COURSE', String(course), 'First aid'],
        ['FOLDER_DELETED', 'FOLDER', String(folder.id), 'Old'],
      ],
    );
    const [ofBundle, ofEquivalent, ofCourse, ofFolder] = entries.map(({ changes }) => changes);
    assert.deepEqual(ofBundle?.at(-1), {
      field: 'contents',
      added: [],
      removed: [{ type: 'EQUIVALENT', id: equivalent.id, name: 'First aid, translated' }],
    });
    assert.deepEqual(ofEquivalent?.at(-1), {
      field: 'courses',
      added: [],
      removed: [{ course_id: course, language: 'en', name: 'First aid' }],
    });
    assert.deepEqual(ofEquivalent?.[1], { field: 'folder_id', before: folder.id, after: null });
    assert.deepEqual(ofCourse?.[0], { field: 'name', before: 'First aid', after: null });
    assert.deepEqual(ofFolder?.at(-1), { field: 'location', before: folder.location, after: null });
  });

  it('names the content in the focus of a webhook', async () => {
    const focus = [{ webhook_focus_type: 'COURSE', webhook_focus_id: courseId }];
    await service.api.create('/webhooks', {
      name: 'CRM',
      topic: 'ACCOUNT_CONTENT',
      target_url: 'http://127.0.0.1:9/',
      focus,
    });
    const [created] = await recorded('&action=WEBHOOK_CREATED');
    assert.deepEqual(
      created?.changes.find(({ field }) => field === 'focus'),
      { field: 'focus', added: [{ ...focus[0], webhook_focus_name: 'Fire safety' }], removed: [] },
    );
  });
});
