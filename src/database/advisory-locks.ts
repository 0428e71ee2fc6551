import type { Transaction } from './database.ts';

/**
 * Advisory locks of PostgreSQL. All are here, so that no two purposes share one. SQLite needs none, because nobody else
 * writes while a transaction is open.
 */

/** The numbers of the locks, by purpose: arbitrary, all different, and the same in every release. */
export const ADVISORY_LOCKS = Object.freeze({
  migrating: 7_305_201_411,
  countingWebhooks: 7_305_201_412,
  /** Every transaction that stores statements has it, shared. Readers look for the oldest of them. */
  storingStatements: 7_305_201_417,
  countingAlertRules: 7_305_201_433,
});

/** What an advisory lock is for. */
export type AdvisoryLock = keyof typeof ADVISORY_LOCKS;

/** Waits until no other transaction has the lock, and locks it until this one ends. */
export async function lockFor(tx: Transaction, lock: AdvisoryLock): Promise<void> {
  if (tx.dialect === 'postgres') await tx.all('select pg_advisory_xact_lock(?)', ADVISORY_LOCKS[lock]);
}

/** Locks until the transaction ends, together with others that share the lock. */
export async function lockSharedFor(tx: Transaction, lock: AdvisoryLock): Promise<void> {
  if (tx.dialect === 'postgres') await tx.all('select pg_advisory_xact_lock_shared(?)', ADVISORY_LOCKS[lock]);
}

/** Locks something that has a name, and possibly no row yet, until the transaction ends. */
export async function lockName(tx: Transaction, name: string): Promise<void> {
  if (tx.dialect === 'postgres') await tx.all('select pg_advisory_xact_lock(hashtextextended(?, 0))', name);
}

/**
 * A condition of a statement on PostgreSQL that locks a name as {@link lockName} does, but together with others. It is true
 * unless the name is null. Shared locks of a row can keep a change out forever, because a new sharer never waits. Here, it
 * waits behind those who asked before.
 * @param nameSql SQL of the name
 */
export function sharesNameSql(nameSql: string): string {
  return `(select pg_advisory_xact_lock_shared(hashtextextended(${nameSql}, 0))) is not null`;
}
