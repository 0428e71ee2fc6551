import type { Reader, Transaction } from '../../database/database.ts';

/** SQL for budgets of wrong guesses, one operation per function. Times are in epoch milliseconds. */

/**
 * Postpones the time at which a budget is full by `refillMs`. Returns false if that would be after
 * `fullAtMost`.
 */
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

/** When a budget is full again, or undefined if it is full. */
export async function selectBudget(reader: Reader, budget: string): Promise<number | undefined> {
  const [row] = await reader.all<{ full_at: number }>(
    'select full_at from guess_budgets where budget = ?',
    budget,
  );
  return row?.full_at;
}

/** Refunds one guess. */
export async function refundBudget(tx: Transaction, budget: string, refillMs: number): Promise<void> {
  await tx.run('update guess_budgets set full_at = full_at - ? where budget = ?', refillMs, budget);
}

/**
 * Deletes budgets that are full, or impossibly far from full after a clock was set back. The condition is there twice: one
 * that another transaction has charged in the meantime is kept.
 */
export async function deleteFullBudgets(
  tx: Transaction,
  now: number,
  latest: number,
  limit: number,
): Promise<number> {
  return await tx.run(
    `delete from guess_budgets where (full_at <= ? or full_at > ?) and budget in
       (select old.budget from guess_budgets as old where old.full_at <= ? or old.full_at > ? limit ?)`,
    now,
    latest,
    now,
    latest,
    limit,
  );
}
