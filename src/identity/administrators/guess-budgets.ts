import type { Database } from '../../database/database.ts';
import { ProblemError } from '../../problems/problem.ts';
import { SECOND_MS } from '../../time/units.ts';
import { deleteFullBudgets, refundBudget, selectBudget, spendBudget } from './guess-budget-store.ts';

/** Limit for wrong passwords: `burst` at once, then one per `refillMs`. */
export interface GuessBudget {
  /** Whose budget it is. */
  name: string;
  burst: number;
  refillMs: number;
}

const BURST = 10;
const REFILL_MS = 30 * SECOND_MS;
/** A site has thousands of network addresses, and as many people. */
const SITE_BURST = 40;
const SITE_REFILL_MS = 10 * SECOND_MS;
/** An e-mail address has one budget for guesses from all network addresses: 1,440 guesses per day. */
const EMAIL_BURST = 30;
const EMAIL_REFILL_MS = 60 * SECOND_MS;
const LONGEST_MS = EMAIL_BURST * EMAIL_REFILL_MS;

/** Budget of a network address. `source` is its key, see {@link addressKey}. */
export function addressBudget(source: string): GuessBudget {
  return { name: `address:${source}`, burst: BURST, refillMs: REFILL_MS };
}

/** Shared budget of all network addresses of an IPv6 site. `site` is its key, see {@link siteKey}. */
export function siteBudget(site: string): GuessBudget {
  return { name: `site:${site}`, burst: SITE_BURST, refillMs: SITE_REFILL_MS };
}

/** Shared budget for guesses at an e-mail address. `subject` is its hash, because people type passwords there. */
export function emailBudget(subject: string): GuessBudget {
  return { name: `email:${subject}`, burst: EMAIL_BURST, refillMs: EMAIL_REFILL_MS };
}

/** Budget of a browser in which the person has signed in before. */
export function browserBudget(browser: string): GuessBudget {
  return { name: `browser:${browser}`, burst: BURST, refillMs: REFILL_MS };
}

/** Budget for guesses of the current password when a signed-in administrator changes it. */
export function passwordChangeBudget(administratorId: number): GuessBudget {
  return { name: `administrator:${administratorId}`, burst: BURST, refillMs: REFILL_MS };
}

/** Dependencies of {@link GuessBudgets}. */
export interface GuessBudgetsDependencies {
  database: Database;
  now: () => number;
}

/**
 * Limits password guessing. A guess is charged before it is verified, so that concurrent guesses get no
 * advantage, and a correct one is refunded. The budgets are in the database: several instances do not multiply
 * them, and a restart does not reset them.
 * A budget is one number, the time at which it is full again. A guess postpones it by `refillMs`, and is
 * allowed if it then is within `burst * refillMs` from now.
 */
export class GuessBudgets {
  readonly #with: GuessBudgetsDependencies;

  constructor(dependencies: GuessBudgetsDependencies) {
    this.#with = dependencies;
  }

  /**
   * Charges a guess to each of the budgets, or to none if one of them is exhausted.
   * @throws {ProblemError} `too-many-requests` with `Retry-After`.
   */
  async charge(budgets: readonly GuessBudget[]): Promise<void> {
    const now = this.#with.now();
    await this.#with.database.transaction(async (tx) => {
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

  /** Refunds a correct guess. */
  async refund(budgets: readonly GuessBudget[]): Promise<void> {
    await this.#with.database.transaction(async (tx) => {
      for (const { name, refillMs } of budgets) await refundBudget(tx, name, refillMs);
    });
  }

  /** Deletes budgets that are full, at most `limit`, and returns how many. */
  async forgetFull(limit: number): Promise<number> {
    const now = this.#with.now();
    return await this.#with.database.transaction((tx) => deleteFullBudgets(tx, now, now + LONGEST_MS, limit));
  }
}
