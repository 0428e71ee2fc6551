import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database } from '../../../src/database/database.ts';
import { GuessBudgets } from '../../../src/identity/administrators/guess-budgets.ts';
import { KnownBrowsers } from '../../../src/identity/administrators/known-browsers.ts';
import { Passwords } from '../../../src/identity/administrators/passwords.ts';
import { SignIn, type Visitor } from '../../../src/identity/administrators/sign-in.ts';
import { ProblemError } from '../../../src/problems/problem.ts';
import { HOUR_MS } from '../../../src/time/units.ts';
import {
  ADMIN_EMAIL,
  administratorServicesOn,
  Browser,
  createAdministrator,
  PASSWORD,
} from '../../support/administration.ts';
import { ManualClock } from '../../support/clock.ts';
import { openTestDatabase } from '../../support/database.ts';
import { SILENT_LOGS } from '../../support/logs.ts';
import { startTestService } from '../../support/service.ts';

const WRONG = 'wrong password no. 1';

/** Records which hashes were checked, without the time that a real check takes. */
class WatchedPasswords extends Passwords {
  readonly verified: (string | null)[] = [];
  /** Whether the last check was for a known caller. */
  wasKnown = false;
  /** Called while a password is being checked. */
  meanwhile = async (): Promise<void> => {};

  override async verify(
    passwordHash: string | null,
    password: string,
    { isKnown = false } = {},
  ): Promise<boolean> {
    this.verified.push(passwordHash);
    this.wasKnown = isKnown;
    await this.meanwhile();
    return passwordHash === `hash of ${password}`;
  }

  override async hash(password: string): Promise<string> {
    return `hash of ${password}`;
  }
}

/** The sign-in of one instance of the service, on a database that others may share. */
function instance(database: Database, clock: ManualClock) {
  const log = SILENT_LOGS.for('AdministratorService');
  const { now } = clock;
  const passwords = new WatchedPasswords();
  const { sessions, links } = administratorServicesOn(database, now);
  const budgets = new GuessBudgets({ database, now });
  const browsers = new KnownBrowsers(['a'.repeat(64)]);
  const signIn = new SignIn({ database, passwords, sessions, links, budgets, browsers, log, now });
  return {
    passwords,
    budgets,
    signIn,
    /** Tries to sign in. Returns `ok`, or a problem's code and how long to wait. */
    async attempt(email: string, password: string, visitor: Partial<Visitor> = {}) {
      const from = { address: '192.0.2.1', userAgent: undefined, mark: null, sessionToken: null };
      try {
        const { mark } = await signIn.signIn({ email, password }, { ...from, ...visitor });
        return { outcome: 'ok', mark, waitSeconds: 0 };
      } catch (error) {
        assert.ok(error instanceof ProblemError, String(error));
        const waitSeconds = Number(error.headers['Retry-After'] ?? 0);
        return { outcome: error.code, mark: null, waitSeconds, error };
      }
    },
  };
}

async function insertAdministrator(
  database: Database,
  email: string,
  { enabled = 1, password = PASSWORD as string | null } = {},
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(
      `insert into administrators (email, email_key, name, role, enabled, password_hash, created_at)
       values (?, ?, 'A', 'admin', ?, ?, 0)`,
      email,
      email,
      enabled,
      password === null ? null : `hash of ${password}`,
    );
  });
}

describe('guessing passwords', () => {
  test('an unknown address, a wrong password, a disabled and an invited administrator look the same', async () => {
    await using owned = await openTestDatabase();
    const { database } = owned;
    await insertAdministrator(database, 'known@example.com');
    await insertAdministrator(database, 'disabled@example.com', { enabled: 0 });
    await insertAdministrator(database, 'invited@example.com', { password: null });
    const seen = [];
    for (const [email, password] of [
      ['known@example.com', WRONG],
      ['unknown@example.com', WRONG],
      ['disabled@example.com', PASSWORD],
      ['invited@example.com', PASSWORD],
      ['not an address', WRONG],
    ] as const) {
      const { passwords, attempt } = instance(database, new ManualClock());
      const { outcome, error } = await attempt(email, password, { address: email });
      assert.equal(passwords.verified.length, 1, `${email}: one password is looked at`);
      const budgets = await database.reader.all(
        'select full_at from guess_budgets where budget = ?',
        `address:${email}`,
      );
      seen.push({ outcome, message: error?.message, headers: error?.headers, budgets });
    }
    for (const each of seen) assert.deepEqual(each, seen[0]);
  });

  test('an address may guess wrong ten times at once, then once every thirty seconds', async () => {
    await using owned = await openTestDatabase();
    const clock = new ManualClock();
    const { attempt, passwords } = instance(owned.database, clock);
    for (let at = 0; at < 10; at++) {
      assert.equal((await attempt(`someone${at}@example.com`, WRONG)).outcome, 'unauthorized');
    }
    const refused = await attempt('someone-else@example.com', WRONG);
    assert.deepEqual([refused.outcome, refused.waitSeconds], ['too-many-requests', 30]);
    assert.equal(passwords.verified.length, 10, 'a refused guess is not looked at');
    clock.pass(29_999);
    assert.equal((await attempt('a@example.com', WRONG)).waitSeconds, 1);
    clock.pass(1);
    assert.equal((await attempt('a@example.com', WRONG)).outcome, 'unauthorized');
    assert.equal((await attempt('a@example.com', WRONG)).outcome, 'too-many-requests');
    const elsewhere = await attempt('a@example.com', WRONG, { address: '192.0.2.2' });
    assert.equal(elsewhere.outcome, 'unauthorized');
  });

  test('a password that could not be checked does not count as a guess', async () => {
    await using owned = await openTestDatabase();
    const { attempt, passwords } = instance(owned.database, new ManualClock());
    await insertAdministrator(owned.database, 'ann@example.com');
    passwords.meanwhile = async () => {
      throw new ProblemError('unavailable', 'too many people sign in');
    };
    for (let at = 0; at < 40; at++) {
      assert.equal((await attempt('ann@example.com', PASSWORD)).outcome, 'unavailable');
    }
    passwords.meanwhile = async () => {};
    assert.equal((await attempt('ann@example.com', PASSWORD)).outcome, 'ok');
  });

  test('an IPv6 network counts as one address', async () => {
    await using owned = await openTestDatabase();
    const { attempt } = instance(owned.database, new ManualClock());
    for (let at = 0; at < 10; at++) await attempt(`a${at}@b.c`, WRONG, { address: `2001:db8::${at}` });
    assert.equal((await attempt('z@b.c', WRONG, { address: '2001:db8::ffff' })).outcome, 'too-many-requests');
  });

  test('the networks of one IPv6 site, a /48, have forty guesses together, then one every ten seconds', async () => {
    await using owned = await openTestDatabase();
    const clock = new ManualClock();
    const { attempt } = instance(owned.database, clock);
    const guess = (at: number) =>
      attempt(`a${at}@b.c`, WRONG, { address: `2001:db8:1:${at.toString(16)}::1` });
    for (let at = 0; at < 40; at++) assert.equal((await guess(at)).outcome, 'unauthorized');
    const refused = await guess(40);
    assert.deepEqual([refused.outcome, refused.waitSeconds], ['too-many-requests', 10]);
    const elsewhere = await attempt('z@b.c', WRONG, { address: '2001:db8:2::1' });
    assert.equal(elsewhere.outcome, 'unauthorized');
    clock.pass(10_000);
    assert.equal((await guess(41)).outcome, 'unauthorized');
  });

  test('an administrator’s password can be guessed from many addresses only once a minute', async () => {
    await using owned = await openTestDatabase();
    const clock = new ManualClock();
    const { attempt } = instance(owned.database, clock);
    await insertAdministrator(owned.database, 'ann@example.com');
    const outcomes = [];
    for (let at = 0; at < 40; at++) {
      outcomes.push((await attempt('ANN@example.com', WRONG, { address: `198.51.100.${at}` })).outcome);
    }
    assert.equal(outcomes.filter((outcome) => outcome === 'unauthorized').length, 30);
    const refused = await attempt('ann@example.com', PASSWORD, { address: '203.0.113.1' });
    assert.deepEqual([refused.outcome, refused.waitSeconds], ['too-many-requests', 60]);
    clock.pass(60_000);
    assert.equal((await attempt('ann@example.com', PASSWORD, { address: '203.0.113.1' })).outcome, 'ok');
  });

  test('guessing locks nobody out of a browser in which they have signed in before', async () => {
    await using owned = await openTestDatabase();
    const { attempt, passwords } = instance(owned.database, new ManualClock());
    await insertAdministrator(owned.database, 'ann@example.com');
    await insertAdministrator(owned.database, 'bob@example.com');
    const { mark } = await attempt('ann@example.com', PASSWORD);
    assert.equal(passwords.wasKnown, false);
    const bob = await attempt('bob@example.com', PASSWORD);
    for (let at = 0; at < 40; at++) await attempt('ann@example.com', WRONG, { address: `198.51.100.${at}` });
    for (let at = 0; at < 10; at++) await attempt('x@example.com', WRONG);
    assert.equal((await attempt('ann@example.com', PASSWORD)).outcome, 'too-many-requests');
    assert.equal((await attempt('ann@example.com', PASSWORD, { mark })).outcome, 'ok');
    assert.equal(passwords.wasKnown, true, 'so that others who are waiting do not keep them out');
    const other = await attempt('ann@example.com', PASSWORD, { mark: bob.mark });
    assert.equal(other.outcome, 'too-many-requests', 'another person’s browser is not known');

    const outcomes = [];
    for (let at = 0; at < 11; at++)
      outcomes.push((await attempt('ann@example.com', WRONG, { mark })).outcome);
    assert.equal(outcomes.at(-2), 'unauthorized');
    assert.equal(outcomes.at(-1), 'too-many-requests', 'a stolen browser guesses no faster');
  });

  test('a new password makes every browser unknown except the one that set it', async () => {
    await using owned = await openTestDatabase();
    const { attempt, signIn } = instance(owned.database, new ManualClock());
    const email = 'ann@example.com';
    await insertAdministrator(owned.database, email);
    const marks = [];
    for (let at = 0; at < 3; at++) marks.push((await attempt(email, PASSWORD)).mark);
    const [row] = await owned.database.reader.all<{ id: number }>('select id from administrators');
    const use = { address: '192.0.2.1', userAgent: undefined };
    const change = { current: PASSWORD, next: `${PASSWORD} 2` };
    const { mark: own } = await signIn.changePassword(row!.id, change, use);

    for (let at = 0; at < 10; at++) assert.equal((await attempt(email, WRONG)).outcome, 'unauthorized');
    for (const mark of marks) {
      assert.equal((await attempt(email, WRONG, { mark })).outcome, 'too-many-requests');
    }
    assert.equal((await attempt(email, change.next, { mark: own })).outcome, 'ok');
  });

  test('a correct password does not count as a guess', async () => {
    await using owned = await openTestDatabase();
    const { attempt, signIn } = instance(owned.database, new ManualClock());
    await insertAdministrator(owned.database, 'ann@example.com');
    for (let at = 0; at < 50; at++) assert.equal((await attempt('ann@example.com', PASSWORD)).outcome, 'ok');
    const [row] = await owned.database.reader.all<{ id: number }>('select id from administrators');
    const use = { address: '192.0.2.1', userAgent: undefined };
    const passwords = Array.from({ length: 12 }, (_, at) => (at === 0 ? PASSWORD : `${PASSWORD} ${at}`));
    for (const [at, next] of passwords.slice(1).entries())
      await signIn.changePassword(row!.id, { current: passwords[at]!, next }, use);
  });

  test('a correct password whose session cannot be stored does not count as a guess', async () => {
    await using owned = await openTestDatabase();
    const { database } = owned;
    const { attempt, signIn } = instance(database, new ManualClock());
    const email = 'ann@example.com';
    await insertAdministrator(database, email);
    // A session without this column cannot be stored.
    const rename = (from: string, to: string) =>
      database.transaction((tx) =>
        tx.run(`alter table administrator_sessions rename column ${from} to ${to}`),
      );
    await rename('address', 'lost');
    const visitor = { address: '192.0.2.1', userAgent: undefined, mark: null, sessionToken: null };
    for (let at = 0; at < 12; at++)
      await assert.rejects(signIn.signIn({ email, password: PASSWORD }, visitor), /address/);
    await rename('lost', 'address');
    assert.equal((await attempt(email, PASSWORD)).outcome, 'ok');
  });

  test('a password no longer works if it was changed or its owner disabled while it was checked', async () => {
    await using owned = await openTestDatabase();
    const { database } = owned;
    for (const change of ["password_hash = 'hash of another'", 'enabled = 0']) {
      const { passwords, attempt } = instance(database, new ManualClock());
      await insertAdministrator(database, change);
      passwords.meanwhile = async () => {
        await database.transaction((tx) =>
          tx.run(`update administrators set ${change} where email_key = ?`, change),
        );
      };
      assert.equal((await attempt(change, PASSWORD)).outcome, 'unauthorized', change);
      assert.deepEqual(await database.reader.all('select id from administrator_sessions'), []);
    }
  });

  test('simultaneous guesses on several instances get no more tries than guesses in turn', async () => {
    await using owned = await openTestDatabase();
    const clock = new ManualClock();
    const instances = [instance(owned.database, clock), instance(owned.open(), clock)];
    const attempts = Array.from({ length: 40 }, (_, at) =>
      instances[at % 2]!.attempt(`a${at}@example.com`, WRONG),
    );
    const outcomes = (await Promise.all(attempts)).map(({ outcome }) => outcome);
    assert.equal(outcomes.filter((outcome) => outcome === 'unauthorized').length, 10);
    assert.equal(outcomes.filter((outcome) => outcome === 'too-many-requests').length, 30);
  });

  test('full budgets are forgotten, others are not', async () => {
    await using owned = await openTestDatabase();
    const clock = new ManualClock();
    const { attempt, budgets } = instance(owned.database, clock);
    await attempt('a@example.com', WRONG);
    assert.equal(await budgets.forgetFull(100), 0);
    clock.pass(30_000);
    assert.equal(await budgets.forgetFull(100), 1, 'the address’s');
    clock.pass(30_000);
    assert.equal(await budgets.forgetFull(100), 1, 'the e-mail address’s');
    await attempt('a@example.com', WRONG);
    clock.pass(-24 * HOUR_MS);
    assert.equal(await budgets.forgetFull(100), 2, 'after the clock was set back');
  });

  test('over HTTP: 401 in the same words for all, then 429 with Retry-After, and no address is stored', async () => {
    // Another guess is allowed every thirty seconds.
    await using service = await startTestService({ now: new ManualClock().now });
    const { data_dir: dataDir } = service.settings;
    await createAdministrator(dataDir);
    const browser = new Browser(service.url);
    const wrong = await browser.signIn(ADMIN_EMAIL, WRONG);
    const unknown = await browser.signIn('nobody@example.com', WRONG);
    assert.equal(wrong.status, 401);
    assert.deepEqual(unknown.body, wrong.body);
    const shape = ({ headers }: typeof wrong) => [...headers.keys()].filter((name) => name !== 'date').sort();
    assert.deepEqual(shape(unknown), shape(wrong));
    const answers = await Promise.all(Array.from({ length: 9 }, () => browser.signIn(ADMIN_EMAIL, WRONG)));
    const refused = answers.filter(({ status }) => status === 429);
    assert.equal(refused.length, 1);
    assert.match(refused[0]!.headers.get('retry-after') ?? '', /^(?:[1-9]|[12]\d|30)$/);
    assert.equal(refused[0]!.body.type, 'urn:coursewire:problem:too-many-requests');
    assert.doesNotMatch(JSON.stringify(service.logLines), /nobody@example\.com|wrong password/);
  });
});
