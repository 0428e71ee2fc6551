import type { Selectable } from 'kysely';
import type { Reader, Transaction } from '../../database/database.ts';
import type { AlertNoticeRow } from '../../database/schema.ts';
import type { Channel } from '../rules/alert-rule.ts';
import type { Notice, NoticeContent, NoticeKind } from './notice.ts';

/** SQL for notices, one operation per function. */

/** Inserts notices. Some may already have been sent during an outage of the database. */
export async function insertNotices(
  tx: Transaction,
  notices: readonly Omit<Notice, 'id' | 'kind' | 'failedAt'>[],
): Promise<void> {
  await tx.insertMany(
    'alert_notices',
    [
      'rule_id',
      'batch',
      'kind',
      'channel',
      'content',
      'created_at',
      'due_at',
      'attempts',
      'sent_at',
      'error',
    ],
    notices.map((notice) => [
      notice.ruleId,
      notice.batch,
      notice.content.kind,
      notice.channel,
      JSON.stringify(notice.content),
      notice.createdAt,
      notice.dueAt,
      notice.attempts,
      notice.sentAt,
      notice.error,
    ]),
  );
}

/** When the latest notice of a kind was created for a rule; null if there is none. */
export async function readLatestNoticeAt(
  reader: Pick<Reader, 'all'>,
  ruleId: number,
  kind: NoticeKind,
): Promise<number | null> {
  const [row] = await reader.all<{ created_at: number }>(
    'select created_at from alert_notices where rule_id = ? and kind = ? order by id desc limit 1',
    ruleId,
    kind,
  );
  return row?.created_at ?? null;
}

/**
 * A waiting notice without an earlier one of the same rule and channel. So the notice of an end is never sent before
 * that of the beginning. One that was sent to some addresses, and has others left, does not delay anybody else.
 */
const IS_NEXT = `notice.due_at is not null and not exists (
  select 1 from alert_notices as earlier
  where earlier.rule_id = notice.rule_id and earlier.channel = notice.channel and earlier.id < notice.id
    and earlier.due_at is not null and earlier.sent_at is null)`;

/** The current time, and the latest at which a notice can be due. Later ones are due: the clock was set back. */
export interface DueTimes {
  now: number;
  latest: number;
}

/** Whether a notice of a channel is due. */
export async function hasDueNotice(
  reader: Pick<Reader, 'all'>,
  channel: Channel,
  { now, latest }: DueTimes,
): Promise<boolean> {
  const rows = await reader.all(
    `select notice.id from alert_notices as notice
     where notice.channel = ? and (notice.due_at <= ? or notice.due_at > ?) and ${IS_NEXT} limit 1`,
    channel,
    now,
    latest,
  );
  return rows.length > 0;
}

/**
 * The notices of a channel that are due, oldest first, at most one of each rule that was sent to nobody yet. On
 * PostgreSQL, those that another instance locks are omitted.
 */
export async function lockDueNotices(
  tx: Transaction,
  channel: Channel,
  { now, latest }: DueTimes,
  limit: number,
): Promise<Notice[]> {
  const lock = tx.dialect === 'postgres' ? 'for update of notice skip locked' : '';
  const rows = await tx.all<Selectable<AlertNoticeRow>>(
    `select id, rule_id, batch, kind, channel, content, created_at, due_at, attempts, sent_at, failed_at, error
     from alert_notices as notice where channel = ? and (due_at <= ? or due_at > ?) and ${IS_NEXT}
     order by due_at, id limit ? ${lock}`,
    channel,
    now,
    latest,
    limit,
  );
  return rows.map(toNotice);
}

/** Counts an attempt. If its sender dies, the notice is due again at `dueAt`. */
export async function startAttempt(tx: Transaction, id: number, dueAt: number): Promise<void> {
  await tx.run('update alert_notices set attempts = attempts + 1, due_at = ? where id = ?', dueAt, id);
}

/** Makes a notice due later, without an attempt. */
export async function postponeNotice(tx: Transaction, id: number, dueAt: number): Promise<void> {
  await tx.run('update alert_notices set due_at = ? where id = ?', dueAt, id);
}

/**
 * Records the result of an attempt; `dueAt` is that of the next one, or null for none. The first `sentAt` is kept.
 * Returns false if the notice is no longer due, so that nothing was recorded.
 */
export async function finishAttempt(
  tx: Transaction,
  id: number,
  result: { dueAt: number | null; sentAt: number | null; failedAt: number | null; error: string | null },
): Promise<boolean> {
  const changed = await tx.run(
    `update alert_notices set due_at = ?, sent_at = coalesce(sent_at, ?), failed_at = ?, error = ?
     where id = ? and due_at is not null`,
    result.dueAt,
    result.sentAt,
    result.failedAt,
    result.error,
    id,
  );
  return changed > 0;
}

/**
 * Stops notices of beginnings that reached only some addresses and precede an end, if all their alerts have ended: the
 * remaining addresses get the end instead. A notice with an alert that is still firing is sent to them nevertheless.
 */
export async function endOutdatedBegins(
  tx: Transaction,
  { id, ruleId, channel }: Pick<Notice, 'id' | 'ruleId' | 'channel'>,
): Promise<void> {
  await tx.run(
    `update alert_notices set due_at = null where rule_id = ? and channel = ? and id < ? and kind = 'BEGAN'
       and due_at is not null and sent_at is not null and not exists (
         select 1 from alert_firings as firing where firing.rule_id = alert_notices.rule_id
           and firing.begin_batch = alert_notices.batch and firing.ended_at is null)`,
    ruleId,
    channel,
    id,
  );
}

/** Replaces what a notice says and to whom. */
export async function setContent(tx: Transaction, id: number, content: NoticeContent): Promise<void> {
  await tx.run('update alert_notices set content = ? where id = ?', JSON.stringify(content), id);
}

/** Deletes the notices of a rule over a channel that were sent to nobody, except those that were abandoned. */
export async function deleteWaitingNotices(tx: Transaction, ruleId: number, channel: Channel): Promise<void> {
  await tx.run(
    'delete from alert_notices where rule_id = ? and channel = ? and due_at is not null and sent_at is null',
    ruleId,
    channel,
  );
}

/** The batches of the notices of a rule over a channel that were sent to nobody: those that wait, or were abandoned. */
export async function readUnsentBatches(
  reader: Pick<Reader, 'all'>,
  ruleId: number,
  channel: Channel,
): Promise<string[]> {
  const rows = await reader.all<{ batch: string }>(
    'select batch from alert_notices where rule_id = ? and channel = ? and sent_at is null',
    ruleId,
    channel,
  );
  return rows.map(({ batch }) => batch);
}

/** Ends the attempts of all notices of a rule over a channel. */
export async function endAttempts(tx: Transaction, ruleId: number, channel: Channel): Promise<void> {
  await tx.run(
    'update alert_notices set due_at = null where rule_id = ? and channel = ? and due_at is not null',
    ruleId,
    channel,
  );
}

/** The notices of batches, in the order of their ids. */
export async function readNotices(
  reader: Pick<Reader, 'query'>,
  batches: readonly string[],
): Promise<Notice[]> {
  if (batches.length === 0) return [];
  const rows = await reader.query
    .selectFrom('alert_notices')
    .selectAll()
    .where('alert_notices.batch', 'in', [...batches])
    .orderBy('alert_notices.id')
    .execute();
  return rows.map(toNotice);
}

/** The latest notice of each channel of each of these rules. */
export async function readLatestNotices(
  reader: Pick<Reader, 'query'>,
  ruleIds: readonly number[],
): Promise<Notice[]> {
  if (ruleIds.length === 0) return [];
  const rows = await reader.query
    .selectFrom('alert_notices')
    .selectAll()
    .where('alert_notices.id', 'in', (eb) =>
      eb
        .selectFrom('alert_notices as latest')
        .select((max) => max.fn.max('latest.id').as('id'))
        .where('latest.rule_id', 'in', [...ruleIds])
        .groupBy(['latest.rule_id', 'latest.channel']),
    )
    .orderBy('alert_notices.rule_id')
    .orderBy('alert_notices.channel')
    .execute();
  return rows.map(toNotice);
}

/** Deletes notices from before a time, at most `limit`, and returns how many. */
export async function deleteNoticesBefore(tx: Transaction, before: number, limit: number): Promise<number> {
  return await tx.run(
    `delete from alert_notices where id in
       (select id from alert_notices where created_at < ? order by created_at limit ?)`,
    before,
    limit,
  );
}

function toNotice(row: Selectable<AlertNoticeRow>): Notice {
  return {
    id: row.id,
    ruleId: row.rule_id,
    batch: row.batch,
    kind: row.kind as NoticeKind,
    channel: row.channel as Channel,
    content: JSON.parse(row.content) as NoticeContent,
    createdAt: row.created_at,
    dueAt: row.due_at,
    attempts: row.attempts,
    sentAt: row.sent_at,
    failedAt: row.failed_at,
    error: row.error,
  };
}
