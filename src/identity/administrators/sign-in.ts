import { hash } from 'node:crypto';
import { administratorActor, unknownActor } from '../../audit/actor.ts';
import { recordAudit } from '../../audit/record-audit.ts';
import { addressKey, siteKey } from '../../http/address-key.ts';
import { invalidInput, ProblemError } from '../../problems/problem.ts';
import { challenge } from '../bearer.ts';
import { type Administrator, toAdministrator } from './administrator.ts';
import { checkAdministratorInput, emailKeyOf } from './administrator-input.ts';
import type { AdministratorDependencies } from './administrator-service.ts';
import {
  lockAdministrator,
  noteSignIn,
  type StoredAdministrator,
  selectAdministrator,
  selectAdministratorByEmail,
  updateAdministrator,
} from './administrator-store.ts';
import {
  addressBudget,
  browserBudget,
  emailBudget,
  type GuessBudget,
  type GuessBudgets,
  passwordChangeBudget,
  siteBudget,
} from './guess-budgets.ts';
import type { KnownBrowsers } from './known-browsers.ts';
import type { SessionUse } from './sessions.ts';

/** What is known about the caller. */
export interface Visitor extends SessionUse {
  /** The mark of a known browser, if there is one. */
  mark: string | null;
  /** The session that the browser already has. It ends with the sign-in, unless it has expired. */
  sessionToken: string | null;
}

/** Who has signed in, and the values for the browser's cookies. */
export interface SignInResult {
  administrator: Administrator;
  sessionToken: string;
  mark: string;
}

/** Dependencies of {@link SignIn}. */
export interface SignInDependencies extends AdministratorDependencies {
  budgets: GuessBudgets;
  browsers: KnownBrowsers;
}

/** Signing in with e-mail address and password, and changing the password. */
export class SignIn {
  readonly #with: SignInDependencies;

  constructor(dependencies: SignInDependencies) {
    this.#with = dependencies;
  }

  /**
   * Signs in. An unknown address, a wrong password and a disabled administrator get the same response after the
   * same steps.
   * @throws {ProblemError} `unauthorized`; `too-many-requests` after too many wrong passwords; `unavailable`
   */
  async signIn(
    { email, password }: { email: string; password: string },
    visitor: Visitor,
  ): Promise<SignInResult> {
    const emailKey = emailKeyOf(email);
    const row = await selectAdministratorByEmail(this.#with.database.reader, emailKey);
    const passwordHash = row?.password_hash ?? null;
    const browser = this.#with.browsers.browserOf(visitor.mark, { emailKey, passwordHash });
    const site = siteKey(visitor.address);
    const budgets =
      browser === null
        ? [
            addressBudget(addressKey(visitor.address)),
            ...(site === null ? [] : [siteBudget(site)]),
            emailBudget(hashOf(emailKey)),
          ]
        : [browserBudget(browser)];
    await this.#with.budgets.charge(budgets);
    const matches = await this.#verify(passwordHash, password, { budgets, isKnown: browser !== null });
    if (!matches || row === undefined || passwordHash === null || row.enabled !== 1) {
      await this.#recordFailure(row, visitor);
      throw this.#refused(visitor);
    }
    const sessionToken = await this.#orRefund(budgets, () => this.#store(row, passwordHash, visitor));
    await this.#refund(budgets);
    this.#with.log.info('an administrator signed in', { administrator_id: row.id, address: visitor.address });
    const mark = this.markFor({ email: row.email, passwordHash });
    return { administrator: toAdministrator(row), sessionToken, mark };
  }

  /** Stores a sign-in. Returns the token of its session. */
  async #store(row: StoredAdministrator, passwordHash: string, visitor: Visitor): Promise<string> {
    const { database, sessions, now } = this.#with;
    return await database.transaction(async (tx) => {
      // The password may have been changed, or its owner disabled, during verification.
      if (!(await noteSignIn(tx, row.id, passwordHash, now()))) throw this.#refused(visitor);
      if (visitor.sessionToken !== null) await sessions.endReplaced(tx, visitor.sessionToken);
      const by = administratorActor(row, visitor.address);
      const name = row.name ?? row.email;
      await recordAudit(tx, { by, action: 'SIGNED_IN', id: row.id, name }, now());
      return await sessions.begin(tx, row.id, visitor);
    });
  }

  /** A mark for a browser in which someone has just signed in with this password. */
  markFor({ email, passwordHash }: { email: string; passwordHash: string }): string {
    return this.#with.browsers.mark({ emailKey: emailKeyOf(email), passwordHash });
  }

  /**
   * Changes an administrator's password, ends all sessions, all marks of known browsers and the link to set another
   * password. Starts a new session, whose token is returned with a new mark for this browser.
   * @throws {ProblemError} `invalid-request`, `too-many-requests`, `unavailable`
   */
  async changePassword(
    administratorId: number,
    { current, next }: { current: string; next: string },
    use: SessionUse,
  ): Promise<Pick<SignInResult, 'sessionToken' | 'mark'>> {
    const row = await selectAdministrator(this.#with.database.reader, administratorId);
    if (row === undefined || row.password_hash === null) throw unauthorized('The session has ended.');
    checkAdministratorInput({ password: { value: next, email: row.email, member: 'new_password' } });
    const budgets = [passwordChangeBudget(administratorId)];
    await this.#with.budgets.charge(budgets);
    if (!(await this.#verify(row.password_hash, current, { budgets, isKnown: true }))) {
      this.#with.log.warn('a password change was refused', { administrator_id: administratorId });
      throw invalidInput([{ pointer: '/current_password', detail: 'must be the current password' }]);
    }
    await this.#with.budgets.refund(budgets);
    const passwordHash = await this.#with.passwords.hash(next);
    const sessionToken = await this.#with.database.transaction(async (tx) => {
      const locked = await lockAdministrator(tx, administratorId);
      if (locked?.password_hash !== row.password_hash || locked.enabled !== 1) {
        throw unauthorized('The session has ended.');
      }
      await updateAdministrator(tx, administratorId, { password_hash: passwordHash });
      const by = administratorActor(row, use.address);
      const name = row.name ?? row.email;
      await recordAudit(tx, { by, action: 'PASSWORD_CHANGED', id: row.id, name }, this.#with.now());
      await this.#with.links.end(tx, administratorId);
      await this.#with.sessions.endAll(tx, administratorId);
      return await this.#with.sessions.begin(tx, administratorId, use);
    });
    this.#with.log.info('an administrator changed the password', { administrator_id: administratorId });
    return { sessionToken, mark: this.markFor({ email: row.email, passwordHash }) };
  }

  /** A password that was not verified because too many are waiting was not a guess: it is refunded. */
  async #verify(
    passwordHash: string | null,
    password: string,
    { budgets, isKnown }: { budgets: readonly GuessBudget[]; isKnown: boolean },
  ): Promise<boolean> {
    return await this.#orRefund(budgets, () =>
      this.#with.passwords.verify(passwordHash, password, { isKnown }),
    );
  }

  /** Does a part of a sign-in. If it fails for another reason than a wrong password, the guess is refunded. */
  async #orRefund<T>(budgets: readonly GuessBudget[], work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isRefusal(error)) await this.#refund(budgets);
      throw error;
    }
  }

  /** A database that accepts no changes must not hide how the sign-in ended. */
  async #refund(budgets: readonly GuessBudget[]): Promise<void> {
    try {
      await this.#with.budgets.refund(budgets);
    } catch (error) {
      this.#with.log.warn(
        'a guess could not be refunded: a password that was not wrong counts as a wrong one',
        { error },
      );
    }
  }

  /**
   * Recorded whether the address is known or not, so that both take the same time. Guess budgets bound the number. A
   * database that accepts no changes must not prevent the response.
   */
  async #recordFailure(row: StoredAdministrator | undefined, { address }: Visitor): Promise<void> {
    const by = unknownActor(address);
    const object = row === undefined ? { id: null, name: null } : { id: row.id, name: row.name ?? row.email };
    try {
      await this.#with.database.transaction((tx) =>
        recordAudit(tx, { by, action: 'SIGN_IN_FAILED', ...object }, this.#with.now()),
      );
    } catch (error) {
      this.#with.log.warn('a failed sign-in could not be recorded in the audit log', { error });
    }
  }

  /** The typed address is not logged: it may be a password in the wrong field. */
  #refused({ address }: Visitor): ProblemError {
    this.#with.log.info('a sign-in was refused', { address });
    return unauthorized('The e-mail address or the password is wrong.');
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProblemError && error.code === 'unauthorized';
}

function unauthorized(detail: string): ProblemError {
  return new ProblemError('unauthorized', detail, { headers: { 'WWW-Authenticate': challenge() } });
}

function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}
