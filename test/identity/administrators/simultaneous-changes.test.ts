import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMAND_LINE } from '../../../src/audit/actor.ts';
import type { Transaction } from '../../../src/database/database.ts';
import { spendBudget } from '../../../src/identity/administrators/guess-budget-store.ts';
import { addressBudget, GuessBudgets } from '../../../src/identity/administrators/guess-budgets.ts';
import { KnownBrowsers } from '../../../src/identity/administrators/known-browsers.ts';
import { INVITATION_LIFETIME_MS } from '../../../src/identity/administrators/setup-links.ts';
import { SignIn } from '../../../src/identity/administrators/sign-in.ts';
import { ProblemError } from '../../../src/problems/problem.ts';
import { administratorServicesOn, PASSWORD, VIEWER_EMAIL } from '../../support/administration.ts';
import { openTestDatabase } from '../../support/database.ts';
import { SILENT_LOGS } from '../../support/logs.ts';
import { untilOneWaits } from '../../support/open-transaction.ts';

const USE = { address: '192.0.2.1', userAgent: undefined };
/** The hash of an unknown password. */
const OTHER_HASH =
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

async function openAdministration() {
  await using stack = new AsyncDisposableStack();
  const owned = stack.use(await openTestDatabase());
  const { database } = owned;
  const now = Date.now;
  const services = administratorServicesOn(database);
  const budgets = new GuessBudgets({ database, now });
  const signIn = new SignIn({
    ...services,
    database,
    budgets,
    browsers: new KnownBrowsers(['a'.repeat(64)]),
    log: SILENT_LOGS.for('AdministratorService'),
    now,
  });
  const elsewhere = owned.open();
  const kept = stack.move();
  return {
    ...services,
    budgets,
    database,
    signIn,
    /** The result of `second` if it begins before another instance's `first` is committed. */
    async meanwhile<T>(first: (tx: Transaction) => Promise<unknown>, second: () => Promise<T>): Promise<T> {
      const [, outcome] = await elsewhere.transaction(async (tx) => {
        await first(tx);
        // Wrapped, so that the transaction does not wait for what waits for it.
        const begun = second();
        begun.catch(() => {});
        if (database.dialect === 'postgres') await untilOneWaits(database);
        return [null, { begun }] as const;
      });
      return await outcome.begun;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function refused(codes: readonly string[], what: Promise<unknown>): Promise<void> {
  await assert.rejects(what, (error) => {
    assert.ok(error instanceof ProblemError, String(error));
    assert.ok(codes.includes(error.code), error.code);
    return true;
  });
}

const setPassword = (id: number) => (tx: Transaction) =>
  tx.run('update administrators set password_hash = ? where id = ?', OTHER_HASH, id);

describe('changes of an administrator at the same time', () => {
  test('someone who is deleted while signing in stays deleted, without a session', async () => {
    await using administration = await openAdministration();
    const { administrators, sessions, database } = administration;
    const { id } = await administrators.create(
      {
        email: VIEWER_EMAIL,
        role: 'viewer',
        name: 'Vic',
        password: PASSWORD,
      },
      COMMAND_LINE,
    );
    await administration.meanwhile(
      async (tx) => {
        await tx.run('update administrators set last_sign_in_at = 1 where id = ?', id);
        await sessions.begin(tx, id, USE);
      },
      () => administrators.delete(id, COMMAND_LINE),
    );
    assert.deepEqual(await administrators.list(), []);
    assert.deepEqual(await database.reader.all('select id from administrator_sessions'), []);
  });

  test('a change of password does not undo one that was made in the meantime', async () => {
    await using administration = await openAdministration();
    const { administrators, database, signIn } = administration;
    const { id } = await administrators.create(
      {
        email: VIEWER_EMAIL,
        role: 'viewer',
        name: 'Vic',
        password: PASSWORD,
      },
      COMMAND_LINE,
    );
    const change = { current: PASSWORD, next: `${PASSWORD} 2` };
    await refused(
      // The second error occurs if the change was already there when the current password was checked.
      ['unauthorized', 'invalid-request'],
      administration.meanwhile(setPassword(id), () => signIn.changePassword(id, change, USE)),
    );
    const rows = await database.reader.all<{ password_hash: string }>(
      'select password_hash from administrators',
    );
    assert.deepEqual(
      rows.map(({ password_hash }) => password_hash),
      [OTHER_HASH],
    );
  });

  test('someone who is disabled while changing the password gets no new password and no session', async () => {
    await using administration = await openAdministration();
    const { administrators, database, signIn } = administration;
    const viewer = { email: VIEWER_EMAIL, role: 'viewer', name: 'Vic', password: PASSWORD };
    const { id } = await administrators.create(viewer, COMMAND_LINE);
    const passwords = () => database.reader.all('select password_hash from administrators');
    const before = await passwords();
    const change = { current: PASSWORD, next: `${PASSWORD} 2` };
    await refused(
      ['unauthorized'],
      administration.meanwhile(
        (tx) => tx.run('update administrators set enabled = 0 where id = ?', id),
        () => signIn.changePassword(id, change, USE),
      ),
    );
    assert.deepEqual(await passwords(), before);
    assert.deepEqual(await database.reader.all('select id from administrator_sessions'), []);
  });

  test('someone who sets a password while being invited again keeps it, and the role', async () => {
    await using administration = await openAdministration();
    const { administrators } = administration;
    const invitation = { email: VIEWER_EMAIL, role: 'viewer' };
    const { administrator } = await administrators.invite(invitation, COMMAND_LINE);
    await refused(
      ['conflict'],
      administration.meanwhile(setPassword(administrator.id), () =>
        administrators.invite({ ...invitation, role: 'admin' }, COMMAND_LINE),
      ),
    );
    assert.equal((await administrators.get(administrator.id)).role, 'viewer');
  });

  test('the first link ends if another administrator is created while its password is hashed', async () => {
    await using administration = await openAdministration();
    const { administrators, setup, passwords } = administration;
    const link = await setup.issueFirstLink();
    const { hash } = passwords;
    passwords.hash = async (password) => {
      passwords.hash = hash;
      await administrators.create(
        { email: VIEWER_EMAIL, role: 'admin', name: 'Vic', password: PASSWORD },
        COMMAND_LINE,
      );
      return await passwords.hash(password);
    };
    const input = { token: link!.token, email: 'first@example.com', name: 'First', password: PASSWORD };
    await refused(['not-found'], setup.setUp(input, USE));
    assert.deepEqual(
      (await administrators.list()).map(({ email }) => email),
      [VIEWER_EMAIL],
    );
  });

  test('no link is created for someone who is deleted in the meantime', async () => {
    await using administration = await openAdministration();
    const { administrators } = administration;
    const { administrator } = await administrators.invite(
      { email: VIEWER_EMAIL, role: 'viewer' },
      COMMAND_LINE,
    );
    await refused(
      ['not-found'],
      administration.meanwhile(
        async (tx) => {
          await tx.run('delete from setup_links');
          await tx.run('delete from administrators where id = ?', administrator.id);
        },
        () => administrators.issueLink(administrator.id, COMMAND_LINE),
      ),
    );
  });

  test('a new link is kept if it replaces an expired one while that is being removed', async () => {
    await using administration = await openAdministration();
    const { administrators, links, database } = administration;
    const { administrator } = await administrators.invite(
      { email: VIEWER_EMAIL, role: 'viewer' },
      COMMAND_LINE,
    );
    await database.transaction((tx) => tx.run('update setup_links set expires_at = 1'));
    let token = '';
    await administration.meanwhile(
      async (tx) => {
        ({ token } = await links.issue(tx, administrator.id, INVITATION_LIFETIME_MS));
      },
      () => links.forgetExpired(10),
    );
    assert.deepEqual(await links.read(token), { administrator_id: administrator.id });
  });

  test('a wrong password counts although its budget was full when full ones were being removed', async () => {
    await using administration = await openAdministration();
    const { budgets, database } = administration;
    const budget = addressBudget('192.0.2.1');
    await budgets.charge([budget]);
    await database.transaction((tx) => tx.run('update guess_budgets set full_at = 1'));
    const { name, refillMs } = budget;
    const now = Date.now();
    await administration.meanwhile(
      (tx) => spendBudget(tx, name, { now, refillMs, fullAtMost: now + 10 * refillMs }),
      () => budgets.forgetFull(10),
    );
    assert.deepEqual(await database.reader.all('select full_at from guess_budgets'), [
      { full_at: now + refillMs },
    ]);
  });
});
