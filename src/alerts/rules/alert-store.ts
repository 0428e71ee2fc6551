import type { Insertable, Selectable } from 'kysely';
import { lockFor } from '../../database/advisory-locks.ts';
import type { Reader, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import type { AlertRuleRow } from '../../database/schema.ts';
import type { AlertRule, Condition, TargetFormat } from './alert-rule.ts';

/** SQL for alert rules, one operation per function. */

/** The columns of a rule that a person configures. */
export type ConfiguredColumns = Omit<
  Insertable<AlertRuleRow>,
  'id' | 'revision' | 'created_at' | 'updated_at' | 'target_url'
>;

/** Locks the counting of rules until the transaction ends, and returns their number. */
export async function lockAndCountRules(tx: Transaction): Promise<number> {
  await lockFor(tx, 'countingAlertRules');
  const [row] = await tx.all<{ count: number }>('select count(*) as count from alert_rules');
  return Number(row?.count ?? 0);
}

/** Inserts a rule, and returns its id. */
export async function insertRule(tx: Transaction, columns: ConfiguredColumns, now: number): Promise<number> {
  const { id } = await tx.query
    .insertInto('alert_rules')
    .values({ ...columns, target_url: null, revision: 1, created_at: now, updated_at: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Replaces the configuration of a rule. */
export async function updateRule(
  tx: Transaction,
  id: number,
  columns: ConfiguredColumns,
  now: number,
): Promise<void> {
  await tx.query
    .updateTable('alert_rules')
    .set((eb) => ({ ...columns, revision: eb('revision', '+', 1), updated_at: now }))
    .where('alert_rules.id', '=', id)
    .execute();
}

/** The encrypted URL; null if there is none. */
export async function setRuleUrl(tx: Transaction, id: number, url: string | null): Promise<void> {
  await tx.query
    .updateTable('alert_rules')
    .set({ target_url: url })
    .where('alert_rules.id', '=', id)
    .execute();
}

/** Deletes a rule. Its firings stay. */
export async function deleteRule(tx: Transaction, id: number): Promise<void> {
  await tx.query.deleteFrom('alert_rules').where('alert_rules.id', '=', id).execute();
}

/** A rule; undefined if it does not exist. */
export async function readRule(reader: Pick<Reader, 'query'>, id: number): Promise<AlertRule | undefined> {
  const row = await reader.query
    .selectFrom('alert_rules')
    .selectAll()
    .where('alert_rules.id', '=', id)
    .executeTakeFirst();
  return row === undefined ? undefined : toRule(row);
}

/** The rule, locked until the transaction ends. */
export async function lockRule(tx: Transaction, id: number): Promise<AlertRule | undefined> {
  if (tx.dialect === 'postgres') await tx.all('select id from alert_rules where id = ? for update', id);
  return await readRule(tx, id);
}

/** Rules in ascending order of id, one more than the limit of the page. */
export async function readRules(reader: Pick<Reader, 'query'>, page: PageRequest): Promise<AlertRule[]> {
  const rows = await reader.query
    .selectFrom('alert_rules')
    .selectAll()
    .where('alert_rules.id', '>', page.after ?? 0)
    .orderBy('alert_rules.id')
    .limit(page.limit + 1)
    .execute();
  return rows.map(toRule);
}

/** All rules that are evaluated, in ascending order of id. */
export async function readEnabledRules(reader: Pick<Reader, 'query'>): Promise<AlertRule[]> {
  const rows = await reader.query
    .selectFrom('alert_rules')
    .selectAll()
    .where('alert_rules.enabled', '=', 1)
    .orderBy('alert_rules.id')
    .execute();
  return rows.map(toRule);
}

function toRule(row: Selectable<AlertRuleRow>): AlertRule {
  const { target_format: format, target_origin: origin, target_url: storedUrl } = row;
  const { quiet_from: from, quiet_to: to, quiet_time_zone: timeZone } = row;
  return {
    id: row.id,
    name: row.name,
    enabled: row.enabled === 1,
    condition: row.condition as Condition,
    minutes: row.minutes,
    webhookIds: row.webhook_ids === null ? null : (JSON.parse(row.webhook_ids) as number[]),
    emailTo: JSON.parse(row.email_to) as string[],
    target:
      format === null || origin === null || storedUrl === null
        ? null
        : { format: format as TargetFormat, origin, storedUrl },
    quietHours: from === null || to === null || timeZone === null ? null : { from, to, timeZone },
    activeSince: row.active_since,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
