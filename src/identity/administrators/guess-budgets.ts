import type { Database } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import { deleteFullBudgets, refundBudget, selectBudget, spendBudget } from './guess-budget-store.ts';

/** How many wrong passwords someone may send: so many at once, then one each `refillMs`. */
export interface GuessBudget {
  /** Whose budget it is. */
  name: string;
  burst: number;
  refillMs: number;
}

const SECOND_MS = 1_000;
const BURST = 10;
const REFILL_MS = 30 * SECOND_MS;
/** An e-mail address has one budget for all the addresses that it is guessed at from: 1,440 guesses a day. */
const EMAIL_BURST = 30;
const EMAIL_REFILL_MS = 60 * SECOND_MS;
const LONGEST_MS = EMAIL_BURST * EMAIL_REFILL_MS;

/** What an address on the network may guess. `source` is its key, see {@link addressKey}. */
export function addressBudget(source: string): GuessBudget {
  return { name: `address:${source}`, burst: BURST, refillMs: REFILL_MS };
}

/** What everyone together may guess at an e-mail address. `subject` is its hash: people type passwords there. */
export function emailBudget(subject: string): GuessBudget {
  return { name: `email:${subject}`, burst: EMAIL_BURST, refillMs: EMAIL_REFILL_MS };
}

/** What a browser may guess from which the person has signed in before. */
export function browserBudget(browser: string): GuessBudget {
  return { name: `browser:${browser}`, burst: BURST, refillMs: REFILL_MS };
}

/** What may be guessed of the present password when a signed-in administrator changes it. */
export function passwordChangeBudget(administratorId: number): GuessBudget {
  return { name: `administrator:${administratorId}`, burst: BURST, refillMs: REFILL_MS };
}

/**
 * Slows the guessing of passwords down. A guess is paid for before it is looked at, so that many at the same time buy no
 * more than one after another, and a right one gets its price back. The budgets are in the database: several
 * instances do not multiply them, and a restart does not fill them.
 *
 * A budget is one number, the moment at which it is full again: a guess moves it `refillMs` further away, and there
 * is room for one while it then stays within `burst * refillMs` from now.
 */
export class GuessBudgets {
  readonly #database: Database;
  readonly #now: () => number;

  constructor({ database, now }: { database: Database; now: () => number }) {
    this.#database = database;
    this.#now = now;
  }

  /**
   * Pays for a guess from each of the budgets, or from none when one of them has no room.
   * @throws {ProblemError} `too-many-requests` with `Retry-After`.
   */
  async pay(budgets: readonly GuessBudget[]): Promise<void> {
    const now = this.#now();
    await this.#database.transaction(async (tx) => {
      for (const { name, burst, refillMs } of budgets) {
        const fullAtMost = now + burst * refillMs;
        if (await spendBudget(tx, name, { now, refillMs, fullAtMost })) continue;
        const waitMs = ((await selectBudget(tx, name)) ?? now) + refillMs - fullAtMost;
        const seconds = Math.max(1, Math.ceil(waitMs / SECOND_MS));
        throw new ProblemError('too-many-requests', `Too many wrong passwords. Try again in ${seconds} s`, {
          headers: { 'Retry-After': String(seconds) },
        });
      }
    });
  }

  /** Gives back what a guess cost that was right. */
  async refund(budgets: readonly GuessBudget[]): Promise<void> {
    await this.#database.transaction(async (tx) => {
      for (const { name, refillMs } of budgets) await refundBudget(tx, name, refillMs);
    });
  }

  /** Forgets budgets that are full, at most `limit`, and answers how many. */
  async forgetFull(limit: number): Promise<number> {
    const now = this.#now();
    return await this.#database.transaction((tx) => deleteFullBudgets(tx, now, now + LONGEST_MS, limit));
  }
}
