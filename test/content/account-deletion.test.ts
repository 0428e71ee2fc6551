import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Database } from '../../src/database/database.ts';
import { aroundTests } from '../support/around-tests.ts';
import { openDatabaseOf } from '../support/database.ts';
import { untilOneWaits } from '../support/open-transaction.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type Api, startTestService, type TestService } from '../support/service.ts';
import { startTarget, type Target } from '../support/target.ts';
import { problemErrors } from './packages.ts';
import { give, makeParties, register, sql, takeAll } from './registration-helpers.ts';

const COLUMNS =
  'account_id, course_id, version_id, learner_id, completion, success, score, duration, completed_at, launched_at, ' +
  'equivalent_id, language, revision, created_at, updated_at';
/** The ids of an account's registrations end with this and the following numbers. */
const firstNumber = (accountId: number) => 100_000_000_000 + accountId * 10_000;
const made = (accountId: number, n: number) => `00000000-0000-4000-8000-${firstNumber(accountId) + n}`;
const STATUS = { completion: 'Completed', success: 'PASS', score: 80 };
/** More than the service has connections for changes. */
const LEARNERS = 20;

describe('deleting an account', () => {
  let service: TestService;
  let api: Api;
  let database: Database;
  let target: Target;
  aroundTests(async (parts) => {
    service = parts.use(await startTestService());
    api = service.api;
    database = parts.use(await openDatabaseOf(service.settings.data_dir));
  });
  beforeEach(async () => {
    target = await startTarget();
  });
  afterEach(async () => {
    for (const { id } of (await api.get('/webhooks')).body.data) await api.delete(`/webhooks/${id}`);
    await target.close();
  });

  /** A new account with 1,201 registrations; {@link made} gives the ids of those after the first. */
  async function makeLargeAccount(): Promise<{ account_id: number; course_id: number }> {
    const parties = await makeParties(service);
    const { registration_id: first } = await register(service, parties);
    await database.transaction((tx) =>
      tx.run(
        `with recursive made (n) as (select 1 union all select made.n + 1 from made where made.n < 1200)
         insert into registrations (registration_id, ${COLUMNS})
         select '00000000-0000-4000-8000-' || (${firstNumber(parties.account_id)} + made.n), ${COLUMNS} from made, registrations
         where registration_id = ? order by made.n`,
        first,
      ),
    );
    return parties;
  }

  const countLeft = async (accountId: number): Promise<number> =>
    (
      await sql<{ n: number }>(
        service,
        'select count(*) as n from registrations where account_id = ?',
        accountId,
      )
    ).n;

  /** Runs this SQL before each deletion of a registration, until the result is disposed of. */
  async function beforeDeletes(body: string): Promise<AsyncDisposable> {
    const { dialect } = database;
    await database.transaction(async (tx) => {
      if (dialect === 'sqlite') {
        await tx.run(`create trigger watching before delete on registrations begin ${body}; end`);
        return;
      }
      await tx.run(
        `create function watch() returns trigger language plpgsql as $$ begin ${body}; return old; end $$`,
      );
      await tx.run(
        'create trigger watching before delete on registrations for each row execute function watch()',
      );
    });
    return {
      [Symbol.asyncDispose]: () =>
        database.transaction(async (tx) => {
          await tx.run(dialect === 'sqlite' ? 'drop trigger watching' : 'drop function watch cascade');
        }),
    };
  }

  const failAt = (id: string) =>
    ON_POSTGRES
      ? `if old.registration_id = '${id}' then raise 'broken'; end if`
      : `select raise(abort, 'broken') where old.registration_id = '${id}'`;

  it('also deletes its registrations, and no others', async () => {
    const parties = await makeParties(service);
    const other = await makeParties(service);
    await give(service, other.account_id, 'COURSE', parties.course_id);
    await register(service, parties);
    const { registration_id: id } = await register(service, parties);
    const kept = await register(service, { ...other, course_id: parties.course_id });
    await takeAll(service, parties.account_id);
    assert.equal((await api.delete(`/accounts/${parties.account_id}`)).status, 204);
    problemErrors(await api.get(`/registrations/${id}`), 404);
    const left = await sql<{ n: number }>(
      service,
      'select count(*) as n from registrations where account_id = ?',
      parties.account_id,
    );
    assert.equal(left.n, 0);
    assert.equal((await api.get(`/registrations/${kept.registration_id}`)).status, 200);
  });

  it('deletes at most 500 registrations at a time, however many there are', async () => {
    const { account_id: accountId } = await makeLargeAccount();
    if (ON_POSTGRES) {
      await database.transaction(async (tx) => {
        await tx.run(
          `create function refuse_large() returns trigger language plpgsql as $$
           begin if (select count(*) from gone) > 500 then raise 'too many at a time'; end if; return null; end $$`,
        );
        await tx.run(
          `create trigger of_limited_size after delete on registrations referencing old table as gone
           for each statement execute function refuse_large()`,
        );
      });
    }
    assert.equal((await api.delete(`/accounts/${accountId}`)).status, 204);
    assert.equal(await countLeft(accountId), 0);
    if (ON_POSTGRES) await database.transaction((tx) => tx.run('drop function refuse_large cascade'));
  });

  it('deletes nothing if it is refused', async () => {
    const { account_id: accountId } = await makeLargeAccount();
    const refused = await api.delete(`/accounts/${accountId}`, { 'if-match': '"9"' });
    problemErrors(refused, 412);
    assert.equal(await countLeft(accountId), 1201);
  });

  it('is finished with If-Match even if someone changes the account after it began', async () => {
    const { account_id: accountId } = await makeLargeAccount();
    const change = 'update accounts set revision = revision + 1 where id = old.account_id';
    const half = `old.registration_id = '${made(accountId, 700)}'`;
    await using _ = await beforeDeletes(
      ON_POSTGRES ? `if ${half} then ${change}; end if` : `${change} and ${half}`,
    );
    assert.equal((await api.delete(`/accounts/${accountId}`, { 'if-match': '"1"' })).status, 204);
    assert.equal(await countLeft(accountId), 0);
  });

  it('can be repeated after it failed in the middle, and triggers one message', async () => {
    await api.create('/webhooks', { name: 'Accounts', topic: 'ACCOUNT', target_url: target.url });
    const { account_id: accountId } = await makeLargeAccount();
    {
      await using _ = await beforeDeletes(failAt(made(accountId, 700)));
      problemErrors(await api.delete(`/accounts/${accountId}`), 500);
      assert.equal(await countLeft(accountId), 701);
      assert.equal((await api.get(`/accounts/${accountId}`)).status, 200);
      const [begun] = (await api.get('/audit-log?limit=1')).body.data;
      assert.equal(begun.action, 'ACCOUNT_DELETION_BEGUN');
    }
    assert.equal((await api.delete(`/accounts/${accountId}`)).status, 204);
    await target.waitFor(2);
    assert.deepEqual(
      target.requests.map(({ json }) => (json as { subtopic: string }).subtopic),
      ['ACCOUNT_CREATED', 'ACCOUNT_DELETED'],
    );
  });

  it('delays neither saves of learners nor deliveries while it is slow', { skip: !ON_POSTGRES }, async () => {
    const other = await makeParties(service);
    const { registration_id: id } = await register(service, other);
    const { account_id: accountId } = await makeLargeAccount();
    await api.create('/webhooks', {
      name: 'Registrations',
      topic: 'REGISTRATION',
      target_url: target.url,
      focus: [{ webhook_focus_type: 'ACCOUNT', webhook_focus_id: other.account_id }],
    });
    await using _ = await beforeDeletes(
      `if old.registration_id = '${made(accountId, 700)}' then perform pg_advisory_xact_lock(4711); end if`,
    );
    const deletion = await database.transaction(
      async (tx) => {
        await tx.all('select pg_advisory_xact_lock(4711)');
        const deleting = api.delete(`/accounts/${accountId}`);
        await untilOneWaits(database);
        const save = (registrationId: string) => api.put(`/registrations/${registrationId}/status`, STATUS);
        const learners = Array.from({ length: LEARNERS }, (_, index) => save(made(accountId, 1100 + index)));
        const saved = await Promise.all([...learners, save(id)]);
        assert.deepEqual(new Set(saved.map(({ status }) => status)), new Set([200]));
        await target.waitFor(1);
        return { deleting };
      },
      { isLong: true },
    );
    assert.equal((await deletion.deleting).status, 204);
    assert.equal(await countLeft(accountId), 0);
  });
});
