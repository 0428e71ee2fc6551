import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { PageRequest } from '../../database/page.ts';
import { idList, toIdList } from '../../database/recordset.ts';
import type { AlertFiringRow } from '../../database/schema.ts';
import type { Firing, StoredEndReason, Trouble, TroubleDetails } from '../firing.ts';
import type { AlertRule, Condition } from '../rules/alert-rule.ts';

/** SQL for firings, one operation per function. */

/** The mark of a firing about whose end nothing is said. */
const NOTHING_TO_SAY = '';

/** The open firings of a rule, or of all rules, oldest first. */
export async function readOpenFirings(reader: Pick<Reader, 'query'>, ruleId?: number): Promise<Firing[]> {
  const rows = await reader.query
    .selectFrom('alert_firings')
    .selectAll()
    .$if(ruleId !== undefined, (query) => query.where('alert_firings.rule_id', '=', ruleId!))
    .where('alert_firings.ended_at', 'is', null)
    // In the order of the index of open firings: ordered by id, SQLite would also read those that have ended.
    .orderBy('alert_firings.rule_id')
    .orderBy('alert_firings.subject')
    .execute();
  return rows.map(toFiring).sort((one, other) => one.id - other.id);
}

/** The id of the newest firing, open or ended, of a rule or of all rules. 0 for a rule that has none. */
export async function readNewestFirings(
  reader: Pick<Reader, 'query'>,
  ruleId?: number,
): Promise<Map<number, number>> {
  const rows = await reader.query
    .selectFrom('alert_rules')
    .select((eb) => [
      'alert_rules.id',
      // For each rule one look into the index: grouped, all firings of a month would be read.
      eb
        .selectFrom('alert_firings')
        .select((of) => of.fn.max('alert_firings.id').as('newest'))
        .whereRef('alert_firings.rule_id', '=', 'alert_rules.id')
        .as('newest'),
    ])
    .$if(ruleId !== undefined, (query) => query.where('alert_rules.id', '=', ruleId!))
    .execute();
  return new Map(rows.map(({ id, newest }) => [id, newest ?? 0]));
}

/** The ended firings of a rule about whose end nothing was sent yet. */
export async function readUnreportedEnds(reader: Pick<Reader, 'query'>, ruleId: number): Promise<Firing[]> {
  const rows = await reader.query
    .selectFrom('alert_firings')
    .selectAll()
    .where('alert_firings.rule_id', '=', ruleId)
    .where('alert_firings.ended_at', 'is not', null)
    .where('alert_firings.end_batch', 'is', null)
    .orderBy('alert_firings.id')
    .execute();
  return rows.map(toFiring);
}

/**
 * When firings of a rule ended because someone paused or deactivated the webhook, the latest for each webhook. Only
 * those whose begin was sent, and not before `since`.
 */
export async function readEndsByPeople(
  reader: Pick<Reader, 'all'>,
  ruleId: number,
  { since, now }: { since: number; now: number },
): Promise<Map<number, number>> {
  const rows = await reader.all<{ webhook_id: number; ended_at: number }>(
    // The sign keeps SQLite, which has no statistics, from reading all firings of the rule.
    `select webhook_id, max(ended_at) as ended_at from alert_firings
     where +rule_id = ? and ended_at >= ? and ended_at <= ? and end_reason in ('PAUSED', 'DEACTIVATED')
       and webhook_id is not null and begin_batch is not null
     group by webhook_id`,
    ruleId,
    since,
    now,
  );
  return new Map(rows.map(({ webhook_id, ended_at }) => [webhook_id, Number(ended_at)]));
}

/** Inserts firings, except those that are already open. */
export async function insertFirings(
  tx: Transaction,
  rule: Pick<AlertRule, 'id' | 'name' | 'condition'>,
  troubles: readonly Trouble[],
  now: number,
): Promise<void> {
  await tx.insertMany(
    'alert_firings',
    [
      'rule_id',
      'rule_name',
      'condition',
      'subject',
      'subject_name',
      'webhook_id',
      'since',
      'began_at',
      'relapses',
      'details',
    ],
    troubles.map((trouble) => [
      rule.id,
      rule.name,
      rule.condition,
      trouble.subject,
      trouble.name,
      trouble.webhookId,
      trouble.since,
      now,
      0,
      JSON.stringify(trouble.details),
    ]),
    'on conflict do nothing',
  );
}

/** Sets the time at which the problems of firings ended; null if they have returned. */
export async function setCleared(
  tx: Transaction,
  ids: readonly number[],
  clearedAt: number | null,
): Promise<void> {
  await tx.run(
    `update alert_firings set cleared_at = ?, relapses = relapses + ? where ended_at is null and id in
       ${idList(tx.dialect)}`,
    clearedAt,
    clearedAt === null ? 1 : 0,
    toIdList(ids),
  );
}

/** Ends firings when their problems were over, or else now. */
export async function endFirings(
  tx: Transaction,
  ids: readonly number[],
  reason: StoredEndReason,
  now: number,
): Promise<void> {
  await tx.run(
    `update alert_firings set ended_at = coalesce(cleared_at, ?), end_reason = ?,
       end_batch = case when begin_batch is null then '${NOTHING_TO_SAY}' else null end
     where ended_at is null and id in
       ${idList(tx.dialect)}`,
    now,
    reason,
    toIdList(ids),
  );
}

/** Marks open firings whose instances fell silent. Only checks of instances do, so there are few. */
export async function markSilent(
  tx: Transaction,
  firings: readonly Pick<Firing, 'id' | 'details'>[],
): Promise<void> {
  for (const { id, details } of firings)
    await tx.run(
      'update alert_firings set details = ? where id = ? and ended_at is null',
      JSON.stringify({ ...details, fellSilent: true } satisfies TroubleDetails),
      id,
    );
}

/** Ends all open firings of a rule. Nothing is sent about it. */
export async function endFiringsOfRule(
  tx: Transaction,
  ruleId: number,
  reason: StoredEndReason,
  now: number,
): Promise<void> {
  await tx.run(
    `update alert_firings set ended_at = coalesce(cleared_at, ?), end_reason = ?, end_batch = '${NOTHING_TO_SAY}'
     where rule_id = ? and ended_at is null`,
    now,
    reason,
    ruleId,
  );
}

/** Marks the unreported ends of a rule, so that nothing is sent about them. */
export async function markEndsReported(tx: Transaction, ruleId: number): Promise<void> {
  await tx.run(
    `update alert_firings set end_batch = '${NOTHING_TO_SAY}'
     where rule_id = ? and ended_at is not null and end_batch is null`,
    ruleId,
  );
}

/** Marks firings as reported by the notices of a batch. */
export async function reportFirings(
  tx: Transaction,
  ids: readonly number[],
  column: 'begin_batch' | 'end_batch',
  batch: string,
): Promise<void> {
  await tx.run(
    `update alert_firings set ${column} = ? where id in
       ${idList(tx.dialect)}`,
    batch,
    toIdList(ids),
  );
}

/**
 * Makes the begins of open firings of a rule unreported, if no notice of these batches was sent or waits. Abandoned
 * ones do not count.
 */
export async function unreportBegins(
  tx: Transaction,
  ruleId: number,
  batches: readonly string[],
): Promise<void> {
  await tx.run(
    `update alert_firings set begin_batch = null
     where rule_id = ? and ended_at is null and begin_batch in ${idList(tx.dialect, 'text')}
       and not exists (
         select 1 from alert_notices as notice where notice.batch = alert_firings.begin_batch
           and (notice.sent_at is not null or notice.due_at is not null))`,
    ruleId,
    toIdList(batches),
  );
}

/** Which firings to list. */
export interface FiringFilter {
  state?: 'FIRING' | 'ENDED' | undefined;
  ruleId?: number | undefined;
  webhookId?: number | undefined;
}

/** Newest first; `after` is the id of the last firing of the previous page. */
export async function listFirings(
  reader: Pick<Reader, 'query'>,
  page: PageRequest,
  { state, ruleId, webhookId }: FiringFilter,
): Promise<Firing[]> {
  const rows = await reader.query
    .selectFrom('alert_firings')
    .selectAll()
    .$if(page.after !== null, (query) => query.where('alert_firings.id', '<', page.after))
    .$if(state === 'FIRING', (query) => query.where('alert_firings.ended_at', 'is', null))
    .$if(state === 'ENDED', (query) => query.where('alert_firings.ended_at', 'is not', null))
    .$if(ruleId !== undefined, (query) => query.where('alert_firings.rule_id', '=', ruleId!))
    .$if(webhookId !== undefined, (query) => query.where('alert_firings.webhook_id', '=', webhookId!))
    .orderBy('alert_firings.id', 'desc')
    .limit(page.limit + 1)
    .execute();
  return rows.map(toFiring);
}

/** The number of open firings of each rule that has some. */
export async function countOpenFirings(reader: Pick<Reader, 'all'>): Promise<Map<number, number>> {
  const rows = await reader.all<{ rule_id: number; count: number }>(
    'select rule_id, count(*) as count from alert_firings where ended_at is null group by rule_id',
  );
  return new Map(rows.map(({ rule_id, count }) => [rule_id, Number(count)]));
}

/** Deletes firings that ended before a time, at most `limit`, and returns how many. */
export async function deleteFiringsBefore(tx: Transaction, before: number, limit: number): Promise<number> {
  return await tx.run(
    `delete from alert_firings where id in
       (select id from alert_firings where ended_at is not null and ended_at < ? order by ended_at limit ?)`,
    before,
    limit,
  );
}

function toFiring(row: Selectable<AlertFiringRow>): Firing {
  return {
    id: row.id,
    ruleId: row.rule_id,
    ruleName: row.rule_name,
    condition: row.condition as Condition,
    subject: row.subject,
    name: row.subject_name,
    webhookId: row.webhook_id,
    since: row.since,
    beganAt: row.began_at,
    clearedAt: row.cleared_at,
    endedAt: row.ended_at,
    endReason: row.end_reason as StoredEndReason | null,
    relapses: row.relapses,
    details: JSON.parse(row.details) as TroubleDetails,
    beginBatch: row.begin_batch,
    endBatch: row.end_batch,
  };
}

/** Marks the open firing of a subject as reported. */
export async function reportSubject(
  tx: Transaction,
  ruleId: number,
  subject: string,
  batch: string,
): Promise<void> {
  await tx.run(
    `update alert_firings set begin_batch = ?
     where rule_id = ? and subject = ? and ended_at is null and begin_batch is null`,
    batch,
    ruleId,
    subject,
  );
}

/** The problem of a subject has returned before its firing ended. */
export async function reopenSubject(tx: Transaction, ruleId: number, subject: string): Promise<void> {
  await tx.run(
    `update alert_firings set cleared_at = null, relapses = relapses + 1
     where rule_id = ? and subject = ? and ended_at is null and cleared_at is not null`,
    ruleId,
    subject,
  );
}
