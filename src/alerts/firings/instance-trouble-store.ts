import type { Reader, Transaction } from '../../database/database.ts';
import type { ServiceReports, ServiceTrouble } from '../firing.ts';

/** SQL for the problems of instances, one operation per function. Times are in epoch milliseconds. */

/** The dates of the reports that count: the parameters of {@link COUNTS}. */
export type CountedDates = readonly [from: number, to: number];

/** SQL for whether a report counts. */
const COUNTS = '(seen_at >= ? and seen_at <= ?)';
/** An alert about the problem is firing. Subjects are those of `toServiceTrouble`. */
const IS_FIRING = `exists (
  select 1 from alert_firings as firing where firing.condition = 'SERVICE_IN_TROUBLE' and firing.ended_at is null
    and firing.subject = alert_troubles.name || ':' || alert_troubles.host_name)`;

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

/** Dates the report of an instance. */
export async function dateTroubles(tx: Transaction, instance: string, seenAt: number): Promise<void> {
  await tx.run('update alert_troubles set seen_at = ? where instance = ?', seenAt, instance);
}

/** Deletes reports that no longer count, unless an alert about them is firing. */
export async function deleteSilentTroubles(tx: Transaction, counting: CountedDates): Promise<void> {
  await tx.run(`delete from alert_troubles where not ${COUNTS} and not ${IS_FIRING}`, ...counting);
}

/** Deletes reports about a host that no longer count and that are not later than a time. @param names of their checks */
export async function deleteFormerTroubles(
  tx: Transaction,
  { hostName, names, until }: { hostName: string; names: readonly string[]; until: number },
  counting: CountedDates,
): Promise<void> {
  if (names.length === 0) return;
  await tx.run(
    `delete from alert_troubles where host_name = ? and seen_at <= ? and not ${COUNTS}
       and name in (${names.map(() => '?').join(', ')})`,
    hostName,
    until,
    ...counting,
    ...names,
  );
}

/** What instances have reported. A host with several instances reports each check once. */
export async function readReports(
  reader: Pick<Reader, 'all'>,
  counting: CountedDates,
): Promise<ServiceReports> {
  const rows = await reader.all<TroubleRow>(
    `select name, host_name, min(since) as since, max(reason) as reason, case when ${COUNTS} then 1 else 0 end as counts
     from alert_troubles group by name, host_name, counts order by name, host_name`,
    ...counting,
  );
  const { failing = [], silent = [] } = Object.groupBy(rows, ({ counts }) =>
    Number(counts) === 1 ? 'failing' : 'silent',
  );
  return { failing: failing.map(toTrouble), silent: silent.map(toTrouble) };
}

interface TroubleRow {
  name: string;
  host_name: string;
  since: number;
  reason: string;
  counts: number;
}

function toTrouble({ name, host_name, since, reason }: TroubleRow): ServiceTrouble {
  return { name, hostName: host_name, since: Number(since), reason };
}
