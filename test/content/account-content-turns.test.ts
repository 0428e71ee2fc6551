import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { aroundTests } from '../support/around-tests.ts';
import { openDatabaseOf } from '../support/database.ts';
import { beginTransaction, untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';
import type { Target } from '../support/target.ts';
import { targetOfEachTest } from '../support/target-of-each-test.ts';
import {
  assertPublishedBy,
  ContentMaker,
  courseResource,
  HOME,
  inHome,
  messageAbout,
  type NamedWebhook,
  type PublishedChange,
} from './account-content-helpers.ts';

describe('events of accounts’ content, with repeated and simultaneous calls,', () => {
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

  it('omit a subfolder that is emptied and deleted in the meantime', { skip: !ON_POSTGRES }, async () => {
    const account = await northwind();
    const top = await make.folder('Top');
    const sub = await make.folder('Sub', top);
    const [moved, kept] = [await make.course('Moved', sub), await make.course('Kept', top)];
    const webhook = await createWebhook();
    await using database = await openDatabaseOf(service.settings.data_dir);
    const change = await beginTransaction(database);
    await change.tx.all('select id from courses where id = ? for update', moved.id);
    await change.tx.run('update courses set folder_id = ? where id = ?', HOME, moved.id);
    await change.tx.run('delete from folders where id = ?', sub);
    const adding = make.add(account.id, { type: 'FOLDER', id: top });
    try {
      await untilOneWaits(database);
    } finally {
      await change.commit();
    }
    await adding;
    await assertPublished(webhook, [
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, {
        course: courseResource(kept, 'Home > Top'),
        folder: { id: top, name: 'Top', location: 'Home', contents: [kept] },
      }),
    ]);
  });

  it('are sent once for one Idempotency-Key', async () => {
    const account = await northwind();
    const course = await make.course('Keyed');
    const webhook = await createWebhook();
    const body = { contents: [{ type: 'COURSE', id: course.id }] };
    const key = { 'idempotency-key': 'content-once' };
    const first = await api.post(`/accounts/${account.id}/content`, body, key);
    await make.remove(account.id, course);
    const second = await api.post(`/accounts/${account.id}/content`, body, key);
    assert.deepEqual([second.status, second.body], [200, first.body]);
    assert.deepEqual(first.body, { added: [course], unchanged: [] });
    const content = inHome(course);
    await assertPublished(webhook, [
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, content),
      messageAbout('CONTENT_REMOVED_FROM_ACCOUNT', account, content),
    ]);
  });

  it('are one for additions of the same asset at the same time', async () => {
    const account = await northwind();
    const course = await make.course('Contested');
    const webhook = await createWebhook();
    const additions = await Promise.all(Array.from({ length: 10 }, () => make.add(account.id, course)));
    assert.equal(additions.filter(({ added }) => added.length === 1).length, 1);
    const removals = await Promise.all(
      Array.from({ length: 5 }, () => api.delete(`/accounts/${account.id}/content/COURSE/${course.id}`)),
    );
    assert.deepEqual(removals.map(({ status }) => status).sort(), [204, 404, 404, 404, 404]);
    const content = inHome(course);
    await assertPublished(webhook, [
      messageAbout('CONTENT_ADDED_TO_ACCOUNT', account, content),
      messageAbout('CONTENT_REMOVED_FROM_ACCOUNT', account, content),
    ]);
  });
});
