import type { Reader, Transaction } from '../../database/database.ts';

/** SQL of budgets of wrong guesses, one operation a function. Moments are epoch milliseconds. */

/** Moves the moment at which a budget is full away by `refillMs`; false when that would be beyond `fullAtMost`. */
export async function spendBudget(
  tx: Transaction,
  budget: string,
  { now, refillMs, fullAtMost }: { now: number; refillMs: number; fullAtMost: number },
): Promise<boolean> {
  const spent = await tx.run(
    `insert into guess_budgets (budget, full_at) values (?, ?)
     on conflict (budget) do update set full_at =
       case when guess_budgets.full_at > ? then guess_budgets.full_at + ? else ? end
     where guess_budgets.full_at <= ?`,
    budget,
    now + refillMs,
    now,
    refillMs,
    now + refillMs,
    fullAtMost - refillMs,
  );
  return spent > 0;
}

/** When a budget is full again; undefined when it is. */
export async function selectBudget(reader: Reader, budget: string): Promise<number | undefined> {
  const [row] = await reader.all<{ full_at: number }>(
    'select full_at from guess_budgets where budget = ?',
    budget,
  );
  return row?.full_at;
}

/** Gives one guess back. */
export async function refundBudget(tx: Transaction, budget: string, refillMs: number): Promise<void> {
  await tx.run('update guess_budgets set full_at = full_at - ? where budget = ?', refillMs, budget);
}

/** Removes budgets that are full, or further from it than any can be, which a clock that was set back leaves behind. */
export async function deleteFullBudgets(
  tx: Transaction,
  now: number,
  latest: number,
  limit: number,
): Promise<number> {
  return await tx.run(
    `delete from guess_budgets where budget in
       (select old.budget from guess_budgets as old where old.full_at <= ? or old.full_at > ? limit ?)`,
    now,
    latest,
    limit,
  );
}
