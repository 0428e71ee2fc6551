import type { Reader, Transaction } from '../../database/database.ts';
import type { ServiceTrouble } from '../firing.ts';

/** SQL for the problems of instances, one operation per function. */

/** Replaces what an instance has reported. @param seenAt may be ahead, so that the report counts longer */
export async function replaceTroubles(
  tx: Transaction,
  instance: string,
  troubles: readonly ServiceTrouble[],
  seenAt: number,
): Promise<void> {
  await tx.run('delete from alert_troubles where instance = ?', instance);
  await tx.insertMany(
    'alert_troubles',
    ['instance', 'name', 'host_name', 'since', 'reason', 'seen_at'],
    troubles.map(({ name, hostName, since, reason }) => [instance, name, hostName, since, reason, seenAt]),
  );
}

/** Deletes reports of instances that have stopped. */
export async function deleteOldTroubles(tx: Transaction, before: number): Promise<void> {
  await tx.run('delete from alert_troubles where seen_at < ?', before);
}

/** What instances have reported since a time. A host with several instances reports each check once. */
export async function readTroublesSince(
  reader: Pick<Reader, 'all'>,
  after: number,
): Promise<ServiceTrouble[]> {
  const rows = await reader.all<{ name: string; host_name: string; since: number; reason: string }>(
    `select name, host_name, min(since) as since, max(reason) as reason from alert_troubles
     where seen_at >= ? group by name, host_name order by name, host_name`,
    after,
  );
  return rows.map(({ name, host_name, since, reason }) => ({
    name,
    hostName: host_name,
    since: Number(since),
    reason,
  }));
}
