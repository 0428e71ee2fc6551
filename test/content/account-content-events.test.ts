import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';
import type { Target } from '../support/target.ts';
import { targetOfEachTest } from '../support/target-of-each-test.ts';
import {
  assertPublishedBy,
  ContentMaker,
  courseResource,
  messageAbout,
  type NamedAsset,
  type NamedWebhook,
  type PublishedChange,
} from './account-content-helpers.ts';
import { problemErrors, scormPackage, uploadForm } from './packages.ts';

// Runs on SQLite in `npm test`: what a message says is decided before it is stored. The tests of matching, of turns and of many accounts change content and store such events on both.

describe('events of accounts’ content', () => {
  let service: TestService;
  let api: Api;
  let make: ContentMaker;
  let target: Target;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
    make = new ContentMaker(service);
  });
  targetOfEachTest(
    () => api,
    (started) => {
      target = started;
    },
  );

  const createWebhook = async () => await make.webhook(target);
  const northwind = async () => await make.northwind();
  const assertPublished = async (webhook: NamedWebhook, expected: readonly PublishedChange[]) =>
    await assertPublishedBy(make, target, webhook, expected);

  for (const [change, subtopic] of [
    ['added', 'CONTENT_ADDED_TO_ACCOUNT'],
    ['removed', 'CONTENT_REMOVED_FROM_ACCOUNT'],
  ] as const) {
    /** Publishes the addition, or the removal of content that was added before the webhook was created. */
    async function publishChange(account: { id: number }, asset: NamedAsset): Promise<NamedWebhook> {
      if (change === 'added') {
        const webhook = await createWebhook();
        await make.add(account.id, asset);
        return webhook;
      }
      await make.add(account.id, asset);
      const webhook = await createWebhook();
      await make.remove(account.id, asset);
      return webhook;
    }

    it(`show a course that was ${change}, in its published version, with its folder`, async () => {
      const account = await northwind();
      const place = await make.folder(`Courses “${change}”`);
      const course = await make.course('Fire safety', place);
      const uploaded = await api.post(`/courses/${course.id}/versions`, uploadForm(await scormPackage()));
      assert.equal(uploaded.status, 201);
      await api.post(`/courses/${course.id}/versions/1/publish`);
      await api.post(`/courses/${course.id}/versions`, uploadForm(await scormPackage()));
      const location = `Home > Courses “${change}”`;
      await assertPublished(await publishChange(account, course), [
        messageAbout(subtopic, account, {
          course: courseResource(course, location, 1),
          folder: { id: place, name: `Courses “${change}”`, location: 'Home', contents: [course] },
        }),
      ]);
    });

    it(`show an equivalent that was ${change}, in its folder alone`, async () => {
      const account = await northwind();
      const place = await make.folder(`Equivalents ${change}`);
      const equivalent = await make.equivalent('Fire', [await make.course('Fire safety')], place);
      await assertPublished(await publishChange(account, equivalent), [
        messageAbout(subtopic, account, {
          folder: { id: place, name: `Equivalents ${change}`, location: 'Home', contents: [equivalent] },
        }),
      ]);
    });

    it(`show a bundle that was ${change}, with its folder`, async () => {
      const account = await northwind();
      const place = await make.folder(`Bundles ${change}`);
      const bundle = await make.bundle('Week', [await make.course('Fire safety')], place);
      const location = `Home > Bundles ${change}`;
      await assertPublished(await publishChange(account, bundle), [
        messageAbout(subtopic, account, {
          folder: { id: place, name: `Bundles ${change}`, location: 'Home', contents: [bundle] },
          bundle: { id: bundle.id, name: 'Week', location },
        }),
      ]);
    });

    it(`show each folder of a tree that was ${change} with its contents, and no empty folder`, async () => {
      const account = await northwind();
      const top = await make.folder(`Tree ${change}`);
      const empty = await make.folder('Empty', top);
      const deep = await make.folder('Deep', empty);
      const later = await make.folder('Later', top);
      const outside = await make.course('Outside');
      const inDeep = await make.bundle('In deep', [outside], deep);
      const bundle = await make.bundle('Bundle', [outside], top);
      const second = await make.course('Second', top);
      const equivalent = await make.equivalent('Equivalent', [second], top);
      const inLater = await make.course('In later', later);
      const location = `Home > Tree ${change}`;
      await assertPublished(
        await publishChange(account, { type: 'FOLDER', id: top, name: `Tree ${change}` }),
        [
          messageAbout(subtopic, account, {
            folder: {
              id: top,
              name: `Tree ${change}`,
              location: 'Home',
              contents: [second, equivalent, bundle],
            },
          }),
          messageAbout(subtopic, account, {
            course: courseResource(inLater, `${location} > Later`),
            folder: { id: later, name: 'Later', location, contents: [inLater] },
          }),
          messageAbout(subtopic, account, {
            folder: {
              id: deep,
              name: 'Deep',
              location: `${location} > Empty`,
              contents: [inDeep],
            },
            bundle: { id: inDeep.id, name: 'In deep', location: `${location} > Empty > Deep` },
          }),
        ],
      );
    });
  }

  it('list several of one folder in one message, in the order of the request', async () => {
    const account = await northwind();
    const place = await make.folder('Several');
    const first = await make.course('First', place);
    const second = await make.course('Second', place);
    const equivalent = await make.equivalent('Equivalent', [first], place);
    const bundle = await make.bundle('Bundle', [first], place);
    const webhook = await createWebhook();
    const contents = [bundle, second, equivalent, first];
    assert.deepEqual(await make.add(account.id, ...contents), { added: contents, unchanged: [] });
    const folder = { id: place, name: 'Several', location: 'Home', contents };
    await assertPublished(webhook, [messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, { folder })]);
  });

  it('are one for each folder, in the order in which the request names them first', async () => {
    const account = await northwind();
    const left = await make.folder('Left');
    const right = await make.folder('Right');
    const leftCourse = await make.course('Left course', left);
    const rightCourse = await make.course('Right course', right);
    const rightBundle = await make.bundle('Right bundle', [leftCourse], right);
    const webhook = await createWebhook();
    await make.add(account.id, rightBundle, leftCourse, rightCourse);
    const place = (id: number, name: string, contents: NamedAsset[]) => ({
      id,
      name,
      location: 'Home',
      contents,
    });
    await assertPublished(webhook, [
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, {
        folder: place(right, 'Right', [rightBundle, rightCourse]),
      }),
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, {
        course: courseResource(leftCourse, 'Home > Left'),
        folder: place(left, 'Left', [leftCourse]),
      }),
    ]);
  });

  it('show each of two assets with the same id in its own folder', async () => {
    const account = await northwind();
    const [left, right] = [await make.folder('With the course'), await make.folder('With the bundle')];
    let course = await make.course('Course', left);
    let bundle = await make.bundle('Bundle', [course], right);
    while (course.id !== bundle.id) {
      if (course.id < bundle.id) course = await make.course('Course', left);
      else bundle = await make.bundle('Bundle', [course], right);
    }
    const webhook = await createWebhook();
    await make.add(account.id, course, bundle);
    await assertPublished(webhook, [
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, {
        course: courseResource(course, 'Home > With the course'),
        folder: { id: left, name: 'With the course', location: 'Home', contents: [course] },
      }),
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, {
        folder: { id: right, name: 'With the bundle', location: 'Home', contents: [bundle] },
        bundle: { id: bundle.id, name: 'Bundle', location: 'Home > With the bundle' },
      }),
    ]);
  });

  it('list each asset once, even if the request names both it and its folder', async () => {
    const account = await northwind();
    const outer = await make.folder('Outer');
    const inner = await make.folder('Inner', outer);
    const first = await make.course('First', inner);
    const second = await make.course('Second', inner);
    const webhook = await createWebhook();
    const folders = [inner, outer].map((id) => ({ type: 'FOLDER', id }));
    await make.add(account.id, second, ...folders);
    await assertPublished(webhook, [
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, {
        folder: {
          id: inner,
          name: 'Inner',
          location: 'Home > Outer',
          contents: [second, first],
        },
      }),
    ]);
  });

  it('are not sent for content that the account already has, for an empty folder, or for a rejected call', async () => {
    const account = await northwind();
    const place = await make.folder('Quiet');
    const there = await make.course('There', place);
    const added = await make.course('New', place);
    await make.add(account.id, there);
    const webhook = await createWebhook();
    assert.deepEqual(await make.add(account.id, there), { added: [], unchanged: [there] });
    await make.add(account.id, { type: 'FOLDER', id: await make.folder('Empty', place) });
    const wrong = { contents: [added, { type: 'COURSE', id: 99_999 }].map(({ type, id }) => ({ type, id })) };
    problemErrors(await api.post(`/accounts/${account.id}/content`, wrong), 400);
    problemErrors(await api.delete(`/accounts/${account.id}/content/COURSE/${added.id}`), 404);
    assert.deepEqual(await make.add(account.id, there, added), { added: [added], unchanged: [there] });
    await assertPublished(webhook, [
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, {
        course: courseResource(added, 'Home > Quiet'),
        folder: { id: place, name: 'Quiet', location: 'Home', contents: [added] },
      }),
    ]);
  });

  it('report a course that is added itself, also if it was moved into a folder of the account without an event', async () => {
    const account = await northwind();
    const folder = await make.folder('Filled later');
    await make.add(account.id, { type: 'FOLDER', id: folder });
    const webhook = await createWebhook();
    const late = await make.course('Late', folder);
    assert.deepEqual(await make.add(account.id, late), { added: [late], unchanged: [] });
    await assertPublished(webhook, [
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, {
        course: courseResource(late, 'Home > Filled later'),
        folder: { id: folder, name: 'Filled later', location: 'Home', contents: [late] },
      }),
    ]);
  });

  it('list only what the account gains or loses, whatever other folder it also has it through', async () => {
    const account = await northwind();
    const outer = await make.folder('Outer of two');
    const inner = await make.folder('Inner of two', outer);
    const course = await make.course('Course', inner);
    const bundle = await make.bundle('Bundle', [course], inner);
    const besides = await make.course('Besides', outer);
    const whole = (id: number) => ({ type: 'FOLDER', id });
    await make.add(account.id, course);
    const webhook = await createWebhook();
    for (const asset of [whole(inner), whole(outer), bundle]) await make.add(account.id, asset);
    for (const asset of [whole(inner), bundle, whole(outer), course]) await make.remove(account.id, asset);
    const ofInner = {
      folder: { id: inner, name: 'Inner of two', location: 'Home > Outer of two', contents: [bundle] },
      bundle: { id: bundle.id, name: 'Bundle', location: 'Home > Outer of two > Inner of two' },
    };
    const ofOuter = {
      course: courseResource(besides, 'Home > Outer of two'),
      folder: { id: outer, name: 'Outer of two', location: 'Home', contents: [besides] },
    };
    const ofCourse = {
      course: courseResource(course, 'Home > Outer of two > Inner of two'),
      folder: { ...ofInner.folder, contents: [course] },
    };
    await assertPublished(webhook, [
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, ofInner),
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, ofOuter),
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, ofInner),
      messageAbout('CONTENT_REMOVED_FROM_ACCOUNT', account, ofOuter),
      messageAbout('CONTENT_REMOVED_FROM_ACCOUNT', account, ofInner),
      messageAbout('CONTENT_REMOVED_FROM_ACCOUNT', account, ofCourse),
    ]);
  });

  it('are not sent when an equivalent or bundle changes, or an account is deleted with its content', async () => {
    const account = await northwind();
    const course = await make.course('One');
    const other = await make.course('Other');
    const equivalent = await make.equivalent('Equivalent', [course]);
    const bundle = await make.bundle('Bundle', [course, equivalent]);
    await make.add(account.id, course, equivalent, bundle);
    const webhook = await createWebhook();
    const courses = [{ course_id: other.id, language: 'de' }];
    assert.equal((await api.put(`/equivalents/${equivalent.id}`, { name: 'New', courses })).status, 200);
    const contents = [{ type: 'COURSE', id: other.id }];
    assert.equal((await api.put(`/bundles/${bundle.id}`, { name: 'New', contents })).status, 200);
    assert.equal((await api.delete(`/accounts/${account.id}`)).status, 204);
    await assertPublished(webhook, []);
  });

  it('show the current state: renamed, moved, the account inactive', async () => {
    const account = await northwind();
    const place = await make.folder('Old place');
    const bundle = await make.bundle('Old name', [await make.course('Any')], place);
    await make.add(account.id, bundle);
    await api.put(`/accounts/${account.id}`, { name: 'Southwind', enabled: false });
    await api.put(`/folders/${place}`, { name: 'New place' });
    const record = (await api.get(`/bundles/${bundle.id}`)).body;
    await api.put(`/bundles/${bundle.id}`, { ...record, name: 'New name' });
    const webhook = await createWebhook();
    await make.remove(account.id, bundle);
    const location = 'Home > New place';
    await assertPublished(webhook, [
      messageAbout(
        'CONTENT_REMOVED_FROM_ACCOUNT',
        { id: account.id, name: 'Southwind', enabled: false },
        {
          folder: {
            id: place,
            name: 'New place',
            location: 'Home',
            contents: [{ type: 'BUNDLE', id: bundle.id, name: 'New name' }],
          },
          bundle: { id: bundle.id, name: 'New name', location },
        },
      ),
    ]);
  });
});
