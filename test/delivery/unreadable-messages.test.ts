import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { type Damage, damagesOf, missingPart } from '../support/damage.ts';
import { openDatabaseOf, runSql } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, type TestService, temporaryFolder, until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import {
  accountNames,
  accountsOf,
  createAccounts,
  createWebhook,
  lineOf,
  listDeliveries,
  untilLineEmpty,
  untilRetrying,
  updateWebhook,
} from './webhook-helpers.ts';

const CANNOT_BE_READ = 'a message cannot be read';
/** Longer than any test needs, and shorter than a line waits for its head to be read again. */
const SOON_MS = 10_000;

const MESSAGE_BODY = { table: 'queue_messages', column: 'stored_body' };
const MISSING_PART = missingPart(MESSAGE_BODY);
const DAMAGES = damagesOf(MESSAGE_BODY);

/** Damages the nth message of a line, counted from 0, and returns its position. */
async function damage({ settings }: TestService, webhookId: number, how: Damage, nth = 0): Promise<number> {
  const rows = await runSql<{ id: number }>(
    settings.data_dir,
    'select id from queue_messages where line_id = ? order by id',
    webhookId,
  );
  const position = rows.at(-3 + nth)!.id;
  await using database = await openDatabaseOf(settings.data_dir);
  await database.transaction((tx) => how.do(tx, position));
  return position;
}

/** A webhook with three messages that wait because it is paused, and one that delivers. */
async function pausedAndOther(service: TestService, urls: { paused: string; other: string }) {
  const paused = await createWebhook(service.api, urls.paused, { name: 'Damaged', paused: true });
  const other = await createWebhook(service.api, urls.other, { name: 'Other' });
  await createAccounts(service.api, 'first', 'second', 'third');
  await untilLineEmpty(service.api, other);
  return paused;
}

/** Waits until the head was received, could not be read, and waits for its next attempt. */
async function untilFoundUnreadable(service: TestService, webhookId: number) {
  await until(() => linesAbout(service, CANNOT_BE_READ).length > 0, 'the log says so');
  return await untilRetrying(service.api, webhookId);
}

function linesAbout({ logLines }: TestService, text: string) {
  return logLines.filter(({ msg }) => msg.startsWith(text));
}

describe('a head that cannot be read', () => {
  for (const how of DAMAGES)
    for (const nth of [0, 1])
      it(`lets only its own webhook wait, and can be skipped (message ${nth + 1} ${how.what})`, async () => {
        await using target = await startTarget();
        await using others = await startTarget();
        await using service = await startTestService();
        const { api } = service;
        const id = await pausedAndOther(service, { paused: target.url, other: others.url });
        const position = await damage(service, id, how, nth);
        await updateWebhook(api, id, target.url, { name: 'Damaged' });
        await untilFoundUnreadable(service, id);

        const names = accountNames(30);
        const begunAt = performance.now();
        await createAccounts(api, ...names);
        await others.waitFor(3 + names.length);
        assert.ok(performance.now() - begunAt < SOON_MS);
        assert.deepEqual(accountsOf(others.requests).slice(3), names);
        assert.deepEqual(accountsOf(target.requests), ['first', 'second', 'third'].slice(0, nth));

        const line = await untilRetrying(api, id);
        assert.match(line.head.unreadable, how.reason);
        assert.deepEqual(
          [line.depth, line.head.attempts, line.head.in_flight, line.head.next_attempt_dt],
          [3 - nth + names.length, 0, false, null],
        );
        const { body: waiting } = await api.get(`/webhooks/${id}/line/messages?limit=2`);
        assert.equal(waiting.data[0].position, position);
        assert.equal(waiting.data[0].about.account, null);
        assert.equal((await api.get(`/webhooks/${id}/line/messages/${position}`)).status, 409);
        const reasons = await api.get(`/ui/api/waiting-reasons?webhook_ids=${id}`);
        assert.deepEqual(reasons.body.data, [
          { webhook_id: id, reason: 'UNREADABLE', since_dt: null, blocker: null },
        ]);
        const [logged] = linesAbout(service, CANNOT_BE_READ);
        assert.deepEqual([logged?.webhook_id, logged?.message_id], [id, line.head.message_id]);
        assert.match(logged?.reason, how.reason);
        assert.deepEqual(linesAbout(service, 'the queue failed'), []);

        // The head is read again, and still cannot be read. The log says so once a minute.
        const retried = await api.post(`/webhooks/${id}/line/retry`);
        assert.equal(retried.status, 200, JSON.stringify(retried.body));
        await createAccounts(api, 'meanwhile');
        await others.waitFor(4 + names.length);
        assert.equal((await untilRetrying(api, id)).head.attempts, 0);
        assert.equal(linesAbout(service, CANNOT_BE_READ).length, 1);

        const skip = `/webhooks/${id}/line/skip?message_id=${line.head.message_id}`;
        await until(
          async () => (await api.post(skip)).status === 200,
          'the head is skipped when it is not in flight',
        );
        await target.waitFor(3 + names.length);
        const expected = ['first', 'second', 'third', ...names, 'meanwhile'].filter((_, n) => n !== nth);
        assert.deepEqual(accountsOf(target.requests), expected);
      });

  it('is delivered when the database was repaired, with the messages behind it', async () => {
    await using target = await startTarget();
    await using others = await startTarget();
    await using service = await startTestService();
    const { api } = service;
    const id = await pausedAndOther(service, { paused: target.url, other: others.url });
    const position = await damage(service, id, MISSING_PART);
    await updateWebhook(api, id, target.url, { name: 'Damaged' });
    await untilFoundUnreadable(service, id);
    const repair = 'update queue_messages set shared_body_id = null where id = ? returning id';
    await runSql(service.settings.data_dir, repair, position);
    assert.equal((await lineOf(api, id)).head.unreadable, null);
    assert.equal((await api.post(`/webhooks/${id}/line/retry`)).status, 200);
    await target.waitFor(3);
    assert.deepEqual(accountsOf(target.requests), ['first', 'second', 'third']);
    await untilLineEmpty(api, id);
    assert.deepEqual(
      (await listDeliveries(api, id)).map(({ attempts }) => attempts),
      [1, 1, 1],
    );
  });

  it('is purged with the messages behind it', async () => {
    for (const how of DAMAGES) {
      await using target = await startTarget();
      await using others = await startTarget();
      await using service = await startTestService();
      const { api } = service;
      const id = await pausedAndOther(service, { paused: target.url, other: others.url });
      await damage(service, id, how);
      await updateWebhook(api, id, target.url, { name: 'Damaged' });
      await untilFoundUnreadable(service, id);
      const { status, body } = await api.post(`/webhooks/${id}/line/purge`);
      assert.deepEqual([status, body.purged, body.remaining], [200, 3, 0], how.what);
      await createAccounts(api, 'after');
      await target.waitFor(1);
      assert.deepEqual(accountsOf(target.requests), ['after']);
      const list = await listDeliveries(api, id);
      assert.equal(list.filter((each) => each.status_reason === 'PURGED').length, 3);
    }
  });
});

describe('a message that cannot be read is discarded with the others', () => {
  for (const [nth, how] of DAMAGES.flatMap((each): [number, Damage][] => [
    [0, each],
    [1, each],
  ]))
    for (const [what, end] of [
      ['deactivated', (api, id, url) => updateWebhook(api, id, url, { name: 'Damaged', enabled: false })],
      ['deleted', async (api, id) => assert.equal((await api.delete(`/webhooks/${id}`)).status, 204)],
    ] as readonly [string, (api: Api, id: number, url: string) => Promise<unknown>][])
      it(`if its webhook is ${what} (message ${nth + 1} ${how.what})`, async () => {
        await using target = await startTarget();
        await using others = await startTarget();
        await using service = await startTestService();
        const id = await pausedAndOther(service, { paused: target.url, other: others.url });
        await damage(service, id, how, nth);
        if (nth === 0) {
          await updateWebhook(service.api, id, target.url, { name: 'Damaged' });
          await untilFoundUnreadable(service, id);
        }
        await end(service.api, id, target.url);
        const statement = 'select line_id from queue_lines where line_id = ? and pending > 0';
        await until(
          async () => (await runSql(service.settings.data_dir, statement, id)).length === 0,
          'no message waits',
        );
        assert.equal(target.requests.length, 0);
      });
});

describe('a message that cannot be read', () => {
  for (const how of DAMAGES)
    it(`is skipped from the middle of a line, and answers its redelivery with a conflict (it ${how.what})`, async () => {
      await using target = await startTarget();
      await using others = await startTarget();
      await using service = await startTestService();
      const { api } = service;
      const id = await pausedAndOther(service, { paused: target.url, other: others.url });
      const position = await damage(service, id, how, 1);
      const skipped = await api.post(`/webhooks/${id}/line/messages/${position}/skip`);
      assert.equal(skipped.status, 200, JSON.stringify(skipped.body));
      const [dead] = await listDeliveries(api, id);
      assert.deepEqual([dead!.status, dead!.status_reason], ['DEAD_LETTERED', 'SKIPPED']);
      for (const path of [`${dead!.id}/redeliver`, `redeliver?delivery_id=${dead!.id}`]) {
        const { status, body } = await api.post(`/webhooks/${id}/deliveries/${path}`);
        assert.equal(status, 409, path);
        assert.match(body.detail, /The message cannot be read/);
      }
      assert.equal((await api.get(`/webhooks/${id}/deliveries/${dead!.id}`)).status, 409);
      const { body: letters } = await api.get(`/ui/api/dead-letters?webhook_id=${id}`);
      assert.equal(letters.data.length, 1);

      await updateWebhook(api, id, target.url, { name: 'Damaged' });
      await target.waitFor(2);
      assert.deepEqual(accountsOf(target.requests), ['first', 'third']);
      const all = await api.post(`/webhooks/${id}/deliveries/redeliver?status=DEAD_LETTERED`);
      assert.deepEqual([all.status, all.body.redelivered, all.body.remaining], [202, 0, 0]);
      const removed = await api.post(`/webhooks/${id}/deliveries/remove`);
      assert.deepEqual([removed.status, removed.body.removed], [200, 1]);
    });
});

describe('messages whose shared part is deleted', () => {
  it('let their webhooks wait while others deliver the next event', async () => {
    await using target = await startTarget();
    await using others = await startTarget();
    await using service = await startTestService();
    const { api } = service;
    const ids: number[] = [];
    for (let n = 0; n < 60; n++)
      ids.push(await createWebhook(api, n === 0 ? target.url : others.url, { name: `Webhook ${n}` }));
    const [first] = ids;
    await updateWebhook(api, first!, target.url, { name: 'Webhook 0', paused: true });
    const long = 'n'.repeat(200);
    await createAccounts(api, long);
    await others.waitFor(59);
    for (const id of ids.slice(1)) await untilLineEmpty(api, id);
    const deleted = await runSql(service.settings.data_dir, 'delete from shared_bodies returning id');
    assert.equal(deleted.length, 1);
    await updateWebhook(api, first!, target.url, { name: 'Webhook 0' });
    await createAccounts(api, 'next');
    await others.waitFor(2 * 59);
    const line = await untilRetrying(api, first!);
    assert.match(line.head.unreadable, /shared part/);
    assert.equal((await api.post(`/webhooks/${first}/line/skip`)).status, 200);
    await target.waitFor(1);
    assert.deepEqual(accountsOf(target.requests), ['next']);
  });
});

describe('a head on damaged pages of SQLite', { skip: ON_POSTGRES && 'PostgreSQL has other pages' }, () => {
  it('lets other webhooks deliver', async () => {
    await using target = await startTarget();
    await using others = await startTarget();
    using folder = temporaryFolder();
    const first = await startTestService({ dataDir: folder.path });
    const id = await pausedAndOther(first, { paused: target.url, other: others.url });
    await first.stop();
    damagePages(path.join(folder.path, 'coursewire.db'), id);
    await using service = await startTestService({ dataDir: folder.path });
    const [logged] = await until(() => {
      const lines = linesAbout(service, CANNOT_BE_READ);
      return lines.length > 0 && lines;
    }, 'the log says so');
    assert.equal(logged?.webhook_id, id);
    assert.match(logged?.reason, /malformed/);
    await createAccounts(service.api, 'fourth', 'fifth');
    await others.waitFor(5);
    assert.deepEqual(accountsOf(others.requests).slice(3), ['fourth', 'fifth']);
    assert.equal(target.requests.length, 0);
    const events = await service.api.get('/ui/api/events');
    assert.equal(events.body.data.length, 5, 'the list of events shows them without the marks');
  });
});

/** Makes the first message of a line long, damages one of its pages, and makes the line due. */
function damagePages(file: string, webhookId: number): void {
  using database = new DatabaseSync(file);
  const body = JSON.stringify({ random: randomBytes(40_000).toString('base64') });
  database
    .prepare(
      `update queue_messages set stored_body = ?
       where id = (select min(first.id) from queue_messages as first where first.line_id = ?)`,
    )
    .run(body, webhookId);
  database.exec('update webhooks set paused_at = null');
  database.exec('update queue_lines set available_at = 0, lease_token = null where pending > 0');
  database.exec('pragma wal_checkpoint(truncate)');
  const overflow = database
    .prepare(
      "select pageno from dbstat where name = 'queue_messages' and pagetype = 'overflow' order by path",
    )
    .all() as { pageno: number }[];
  const { page_size: size } = database.prepare('pragma page_size').get() as { page_size: number };
  const opened = openSync(file, 'r+');
  // A page begins with the number of the next one.
  writeSync(opened, Buffer.alloc(4, 0xff), 0, 4, (overflow[1]!.pageno - 1) * size);
  closeSync(opened);
}
