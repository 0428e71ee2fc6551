import { randomUUID } from 'node:crypto';
import type { Transaction } from './database.ts';

/**
 * Changes a row that nobody reads, to see whether the database accepts changes. The row must really change: an unchanged
 * row shows nothing.
 * @param name the caller's own row. Probes of the same name wait for each other
 */
export async function makeProbe(tx: Transaction, name: 'change-probe' | 'outcome-probe'): Promise<void> {
  await tx.run(
    `insert into task_leases (task, token, leased_until) values (?, ?, 0)
     on conflict (task) do update set token = excluded.token, leased_until = excluded.leased_until`,
    name,
    randomUUID(),
  );
}
