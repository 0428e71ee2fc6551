import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { AuditEntryRecord } from '../../src/audit/audit-schemas.ts';
import { uploadForm } from '../content/packages.ts';
import { type Browser, createAdministrator, signedInBrowser } from '../support/administration.ts';
import { aroundTests } from '../support/around-tests.ts';
import { scorm12Package, scorm2004Package } from '../support/course-packages.ts';
import { startTestService, type TestService } from '../support/service.ts';

// Runs on SQLite in `npm test`: entries are composed before they are stored. The test of every change stores an entry
// for each action on both.

describe('the audit log, about content', () => {
  let service: TestService;
  let ann: Browser;
  let courseId: number;
  /** The newest entry before the test. */
  let newest: number;

  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    await createAdministrator(service.settings.data_dir);
    ann = await signedInBrowser(service.url);
    courseId = await importCourse('Fire safety');
  });
  beforeEach(async () => {
    newest = (await service.api.get('/audit-log?limit=1')).body.data[0]?.id ?? 0;
  });

  async function importCourse(title: string): Promise<number> {
    return (await service.api.create('/courses', uploadForm(new Uint8Array(await scorm12Package({ title })))))
      .id;
  }

  /** The entries that the test has caused, oldest first. */
  async function recorded(query = ''): Promise<AuditEntryRecord[]> {
    const { status, body } = await service.api.get(`/audit-log?limit=200${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data.filter(({ id }: AuditEntryRecord) => id > newest).reverse();
  }

  const fireSafety = () => ({ type: 'COURSE', id: courseId, name: 'Fire safety' });
  const asReferences = (...contents: { type: string; id: number }[]) =>
    contents.map(({ type, id }) => ({ type, id }));

  it('records additions to and removals from an account, and nothing if nothing changes', async () => {
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

  it('records the changes of a call for many accounts for each account', async () => {
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
    const entries = await recorded('&object_type=ACCOUNT');
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

  it('records who deleted courses, equivalents, bundles and folders, with their last state', async () => {
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
    const entries = (await recorded()).filter(({ action }) => action.endsWith('_DELETED'));
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

  it('records who imported, renamed and moved a course, uploaded a version and published it', async () => {
    const { api } = service;
    const folder = await api.create('/folders', { name: 'Basics' });
    const id = await importCourse('First aid');
    const changed = { name: 'First aid at work', folder_id: folder.id };
    for (const _ of ['first', 'repeated']) {
      assert.equal((await api.put(`/courses/${id}`, changed)).status, 200);
    }
    const form = uploadForm(new Uint8Array(await scorm2004Package({ title: 'First aid' })));
    await api.create(`/courses/${id}/versions`, form);
    for (const _ of ['first', 'repeated']) {
      assert.equal((await api.post(`/courses/${id}/versions/1/publish`)).status, 200);
    }
    const entries = await recorded(`&object_type=COURSE&object_id=${id}`);
    assert.deepEqual(
      entries.map(({ action, object, changes }) => [action, object.name, changes]),
      [
        [
          'COURSE_IMPORTED',
          'First aid',
          [
            { field: 'name', before: null, after: 'First aid' },
            { field: 'folder_id', before: null, after: 1 },
            { field: 'location', before: null, after: 'Home' },
            { field: 'learning_standard', before: null, after: 'SCORM_12' },
            { field: 'version_id', before: null, after: 0 },
            { field: 'published_version_id', before: null, after: 0 },
          ],
        ],
        [
          'COURSE_UPDATED',
          'First aid at work',
          [
            { field: 'name', before: 'First aid', after: 'First aid at work' },
            { field: 'folder_id', before: 1, after: folder.id },
            { field: 'location', before: 'Home', after: 'Home > Basics' },
          ],
        ],
        [
          'COURSE_VERSION_UPLOADED',
          'First aid at work',
          [
            { field: 'learning_standard', before: 'SCORM_12', after: 'SCORM_2004_4TH_EDITION' },
            { field: 'version_id', before: 0, after: 1 },
          ],
        ],
        [
          'COURSE_VERSION_PUBLISHED',
          'First aid at work',
          [{ field: 'published_version_id', before: 0, after: 1 }],
        ],
      ],
    );
  });

  it('records who created, renamed and moved a folder, and nothing if that is refused or changes nothing', async () => {
    const { api } = service;
    const outer = await api.create('/folders', { name: 'Outer' });
    const { id } = await api.create('/folders', { name: 'Inner', parent_id: outer.id });
    const path = `/folders/${id}`;
    assert.equal((await api.put(path, { name: 'Inner', parent_id: outer.id })).status, 200);
    assert.equal((await api.put(path, { name: 'Inner', parent_id: id })).status, 409);
    assert.equal((await api.put(path, { name: 'Moved' })).status, 200);
    const entries = await recorded(`&object_type=FOLDER&object_id=${id}`);
    assert.deepEqual(
      entries.map(({ action, changes }) => [action, changes]),
      [
        [
          'FOLDER_CREATED',
          [
            { field: 'name', before: null, after: 'Inner' },
            { field: 'parent_id', before: null, after: outer.id },
            { field: 'location', before: null, after: 'Home > Outer' },
          ],
        ],
        [
          'FOLDER_UPDATED',
          [
            { field: 'name', before: 'Inner', after: 'Moved' },
            { field: 'parent_id', before: outer.id, after: 1 },
            { field: 'location', before: 'Home > Outer', after: 'Home' },
          ],
        ],
      ],
    );
  });

  it('records additions to and removals from an equivalent or a bundle, or a change of its order', async () => {
    const { api } = service;
    const other = await importCourse('First aid');
    const courses = [
      { course_id: courseId, language: 'en' },
      { course_id: other, language: 'de' },
    ];
    const { id } = await api.create('/equivalents', { name: 'Safety', courses });
    const contents = [{ type: 'EQUIVALENT', id }];
    const bundle = await api.create('/bundles', { name: 'Basics', contents });
    for (const list of [courses, courses.toReversed(), courses.slice(0, 1)]) {
      assert.equal((await api.put(`/equivalents/${id}`, { name: 'Safety', courses: list })).status, 200);
    }
    const more = [...contents, { type: 'COURSE', id: other }];
    assert.equal((await api.put(`/bundles/${bundle.id}`, { name: 'Basics', contents: more })).status, 200);
    const entries = await recorded();
    assert.deepEqual(
      entries.slice(1).map(({ action, changes, details }) => [action, changes.at(-1), details]),
      [
        [
          'EQUIVALENT_CREATED',
          {
            field: 'courses',
            added: [
              { ...courses[0], name: 'Fire safety' },
              { ...courses[1], name: 'First aid' },
            ],
            removed: [],
          },
          {},
        ],
        [
          'BUNDLE_CREATED',
          { field: 'contents', added: [{ ...contents[0], name: 'Safety' }], removed: [] },
          {},
        ],
        ['EQUIVALENT_UPDATED', undefined, { order_changed: true }],
        [
          'EQUIVALENT_UPDATED',
          { field: 'courses', added: [], removed: [{ ...courses[1], name: 'First aid' }] },
          {},
        ],
        [
          'BUNDLE_UPDATED',
          { field: 'contents', added: [{ type: 'COURSE', id: other, name: 'First aid' }], removed: [] },
          {},
        ],
      ],
    );
  });

  it('records who created accounts and registrations and set results, if it was a person and no program', async () => {
    for (const caller of [service.api, ann]) {
      const { id } = (await caller.post('/accounts', { name: 'Northwind' })).body;
      await service.api.post(`/accounts/${id}/content`, { contents: asReferences(fireSafety()) });
      const input = { account_id: id, course_id: courseId, learner_id: 'ada' };
      const { registration_id } = (await caller.post('/registrations', input)).body;
      const status = { completion: 'Completed', success: 'PASS', score: 92, duration: 60 };
      for (const _ of ['first', 'repeated']) {
        assert.equal((await caller.put(`/registrations/${registration_id}/status`, status)).status, 200);
      }
    }
    const entries = (await recorded()).filter(({ action }) => action !== 'CONTENT_ADDED');
    assert.deepEqual(
      entries.map(({ action, actor, object }) => [action, actor.name, object.name]),
      [
        ['ACCOUNT_CREATED', 'Ann', 'Northwind'],
        ['REGISTRATION_CREATED', 'Ann', 'ada'],
        ['REGISTRATION_STATUS_SET', 'Ann', 'ada'],
      ],
    );
    const set = entries.at(-1)?.changes ?? [];
    assert.deepEqual(set.slice(0, -1), [
      { field: 'completion', before: 'Unknown', after: 'Completed' },
      { field: 'success', before: 'UNKNOWN', after: 'PASS' },
      { field: 'score', before: null, after: 92 },
      { field: 'duration', before: 0, after: 60 },
    ]);
    assert.equal(set.at(-1)?.field, 'completion_dt');
  });

  it('records who set the course of a registration by launching an equivalent, if it was a person', async () => {
    const german = await importCourse('Brandschutz');
    const { id: equivalent_id } = await service.api.create('/equivalents', {
      name: 'Fire safety',
      courses: [
        { course_id: courseId, language: 'en' },
        { course_id: german, language: 'de' },
      ],
    });
    const { id: account_id } = await service.api.create('/accounts', { name: 'Northwind' });
    const contents = [{ type: 'EQUIVALENT', id: equivalent_id }];
    await service.api.post(`/accounts/${account_id}/content`, { contents });
    const input = { account_id, equivalent_id, learner_id: 'ada' };
    const { registration_id } = await service.api.create('/registrations', input);
    newest = (await service.api.get('/audit-log?limit=1')).body.data[0].id;
    const launch = async (caller: Pick<Browser, 'post'>, body: object) =>
      assert.equal((await caller.post(`/registrations/${registration_id}/launch`, body)).status, 200);
    await launch(ann, {});
    await launch(ann, { language: 'de' });
    await launch(ann, { language: 'de' });
    await launch(ann, { mode: 'review' });
    await launch(service.api, { language: 'en' });
    await launch(ann, { language: 'de' });
    const set = {
      action: 'REGISTRATION_COURSE_SET',
      actor: 'Ann',
      object: { type: 'REGISTRATION', id: registration_id, name: 'ada' },
    };
    const course = { field: 'course_id', before: courseId, after: german };
    assert.deepEqual(
      (await recorded()).map(({ action, actor, object, changes }) => ({
        action,
        actor: actor.name,
        object,
        changes,
      })),
      [
        { ...set, changes: [course, { field: 'language', before: null, after: 'de' }] },
        { ...set, changes: [course, { field: 'language', before: 'en', after: 'de' }] },
      ],
    );
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
