import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lockAccountForContent } from '../../src/content/accounts/account-service.ts';
import { lockWithAccount } from '../../src/content/registrations/registration-rows.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openDatabaseOf } from '../support/database.ts';
import { beginTransaction, countWaiting, untilOneWaits } from '../support/open-transaction.ts';
import { startLaunch } from '../support/player-client.ts';
import { scorm12Course } from '../support/player-courses.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { registerTo } from '../support/registered-course.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { problemErrors } from './packages.ts';
import { register } from './registration-helpers.ts';

describe('an account on PostgreSQL', {
  skip: !ON_POSTGRES && 'on SQLite, transactions run one after another',
}, () => {
  let service: TestService;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
  });

  /** An account with two learners, and what happens to it, in order. */
  async function openAccount() {
    const { registrationId, accountId, courseId } = await registerTo(service, scorm12Course());
    const other = await register(service, { account_id: accountId, course_id: courseId }, 'bob@example.com');
    const client = await startLaunch(service, other.registration_id);
    await client.open();
    await client.openUnit('i1');
    const order: string[] = [];
    return {
      registrationId,
      accountId,
      order,
      /** Changes the name of the account. */
      change: async () => {
        const renamed = { name: 'Southwind', enabled: true };
        assert.equal((await service.api.put(`/accounts/${accountId}`, renamed)).status, 200);
        order.push('changed');
      },
      /** Saves that the second learner has passed. Its event has the name that the account had then. */
      save: async () => {
        const passed = { core: { lesson_status: 'passed' } };
        assert.equal((await client.commit('i1', passed)).status, 200);
        const about = `registration_id=${other.registration_id}&subtopic=REGISTRATION_STATUS_UPDATED`;
        const [event] = (await service.api.get(`/events?${about}`)).body.data;
        order.push(`saved in ${event.account.name}`);
      },
    };
  }

  it('is changed after the saves that have begun, however many follow', async () => {
    const { registrationId, order, change, save } = await openAccount();
    await using database = await openDatabaseOf(service.settings.data_dir);
    const waiting = async (count: number) =>
      await until(async () => order.length > 0 || (await countWaiting(database)) === count, `${count} wait`);
    const begun = await beginTransaction(database);
    const work: Promise<void>[] = [];
    try {
      await lockWithAccount(begun.tx, registrationId);
      work.push(change());
      await waiting(1);
      work.push(save());
      await waiting(2);
      assert.deepEqual(order, [], 'both wait for the save that has begun');
    } finally {
      await begun.commit();
      await Promise.all(work);
    }
    assert.deepEqual(order, ['changed', 'saved in Southwind']);
  });

  it('lets learners save while a change of it waits for one of its content', async () => {
    const { accountId, order, change, save } = await openAccount();
    await using database = await openDatabaseOf(service.settings.data_dir);
    const content = await beginTransaction(database);
    const work: Promise<void>[] = [];
    try {
      await lockAccountForContent(content.tx, accountId);
      work.push(change());
      await untilOneWaits(database);
      work.push(save());
      await until(async () => order.length > 0 || (await countWaiting(database)) === 2, 'the learner saves');
    } finally {
      await content.commit();
      await Promise.all(work);
    }
    assert.deepEqual(order, ['saved in Northwind', 'changed']);
  });

  it('gets no content while it is being deleted, and the call for many accounts is refused', async () => {
    const { api } = service;
    const { accountId, courseId } = await registerTo(service, scorm12Course());
    const [deleted, kept] = [
      (await api.create('/accounts', { name: 'Deleted' })).id,
      (await api.create('/accounts', { name: 'Kept' })).id,
    ];
    await using database = await openDatabaseOf(service.settings.data_dir);
    const deletion = await beginTransaction(database);
    await deletion.tx.run('delete from accounts where id = ?', deleted);
    const contents = [{ type: 'COURSE', id: courseId }];
    const adding = api.post('/account-content/add', { account_ids: [accountId, deleted, kept], contents });
    try {
      await untilOneWaits(database);
    } finally {
      await deletion.commit();
    }
    const refused = problemErrors(await adding, 400);
    assert.deepEqual(Object.keys(refused), ['/account_ids/1']);
    assert.deepEqual((await api.get(`/accounts/${kept}/content`)).body.data, []);
  });
});
