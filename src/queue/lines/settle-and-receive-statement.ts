import type { Database } from '../../database/database.ts';
import { namedRowsToJson } from '../../database/postgres/postgres-json.ts';
import { type RecordsetType, recordset } from '../../database/recordset.ts';
import { oncePer } from '../../once-per.ts';
import type { DeliveredBatch, ReceivedMessage, RecordingSteps } from '../message-queue.ts';
import { withSharedParts } from '../shared-bodies.ts';
import { inLineSql, lineOrderSql } from './in-line.ts';
import type { NextLease } from './lease-statements.ts';
import { type MessageRow, toQueued } from './message-statements.ts';

/**
 * Settling delivered messages, recording them, and leasing the next ones in one statement. Only on PostgreSQL, where
 * the round trips cost more than the work (docs/decisions/0035-one-statement-deliveries.md).
 *
 * All parts of a statement see the data as of its start. A part that waits for a lock sees later changes only in the
 * rows that it locks. So:
 *
 * - The lines of the messages are locked first, in ascending order, as everyone locks lines. All other parts need their
 *   rows, or skip rows that others have locked.
 * - The statement does not see messages that were queued while it waited. Their line becomes due instead. The first
 *   message that it sees is the head, because positions follow the order of commits.
 * - The statement still sees messages that were removed while it waited. Locking a head omits it if it was removed.
 */

/** The input of the statement: delivered messages of different lines, and what to lease. */
export interface AtOnceRequest extends DeliveredBatch {
  now: number;
  lease: NextLease;
  /** Maximum number of messages to lease: at least the number of delivered ones, whose lines continue first. */
  capacity: number;
}

/** The result of the statement. */
export interface AtOnceResult {
  /** The lines of the messages that were settled. */
  settled: ReadonlySet<number>;
  received: ReceivedMessage[];
  /** When the next line that this statement did not change is due; null if there is none. */
  nextAt: number | null;
  /** The number of settled lines that are due now. */
  leftDue: number;
  /** The number of due lines without a message. These lines were not leased. */
  withoutHead: number;
}

/** Columns that the queue gives for each message. */
const OWN_COLUMNS = { line_id: 'bigint', token: 'text', position: 'bigint' } as const satisfies Record<
  string,
  RecordsetType
>;

/** The row that the statement returns. */
interface ResultRow {
  settled: number[] | null;
  heads: (MessageRow & { receive_count: number })[] | null;
  shared: { id: number; text: string }[] | null;
  next_at: number | null;
  left_due: number;
  without_head: number;
}

const HEAD_COLUMNS = `head.id, head.message_id, head.label, head.stored_body as body, head.shared_body_id,
      head.enqueued_at, head.trace_context, head.queued_at`;

/** A setting that keeps the commit from waiting for the disk. It ends with the transaction, which is this statement. */
const DEFERRED = `set_config('synchronous_commit', 'off', true) as durability`;

/** Settles and records the messages, and leases their followers and other heads that are due. */
export async function settleAndReceiveInOneStatement(
  database: Pick<Database, 'runAlone'>,
  { messages, steps, rows, now, lease, capacity }: AtOnceRequest,
): Promise<AtOnceResult> {
  const { columns, sql } = statementFor(steps);
  const given = messages.map(({ lineId, leaseToken, position }, index) => ({
    ...rows[index],
    line_id: lineId,
    token: leaseToken,
    position,
  }));
  const { leaseToken, leasedUntil } = lease;
  const [row] = await database.runAlone<ResultRow>(
    sql,
    namedRowsToJson(columns, given),
    now,
    capacity,
    leaseToken,
    leasedUntil,
    now,
    leasedUntil,
    leaseToken,
  );
  const { settled, heads, shared, next_at, left_due, without_head } = row!;
  return {
    settled: new Set(settled),
    received: toReceived(heads ?? [], shared ?? [], leaseToken),
    nextAt: next_at,
    leftDue: left_due,
    withoutHead: without_head,
  };
}

function toReceived(
  heads: NonNullable<ResultRow['heads']>,
  shared: NonNullable<ResultRow['shared']>,
  leaseToken: string,
): ReceivedMessage[] {
  const bodies = withSharedParts(heads, new Map(shared.map(({ id, text }) => [id, text])));
  return toQueued(heads, bodies).map((message, index) => ({
    ...message,
    leaseToken,
    receiveCount: heads[index]!.receive_count,
  }));
}

/** Built once for each kind of recording. */
const statementFor = oncePer((steps: RecordingSteps): { columns: string[]; sql: string } => {
  const columns = { ...steps.columns, ...OWN_COLUMNS };
  return { columns: Object.keys(columns), sql: statementSql(columns, steps.changes) };
});

/** The first message of a line behind a position, locked. A message that was removed in the meantime is omitted. */
function headBehindSql(lineId: string, position: string): string {
  return `lateral (select message.* from queue_messages as message
    where ${inLineSql('postgres', { message: 'message', line: lineId, after: position })}
    order by ${lineOrderSql('postgres', 'message')} limit 1 for update) as head`;
}

/**
 * Every `with` is materialized, because a plan that ran one twice would lock, and then skip, other rows. The limit of
 * `taken` needs `following`, which needs `settled`. So the locks for which the statement waits come first.
 */
function statementSql(
  columns: Record<string, RecordsetType>,
  changes: Readonly<Record<string, string>>,
): string {
  return `with given as materialized (select given.* from ${recordset('postgres', 'given', columns)}),
  settled as materialized (
    select given.*, message.message_id, message.label, message.stored_body, message.shared_body_id,
      message.enqueued_at, line.pending
    from given cross join queue_lines as line cross join queue_messages as message
    where line.line_id = given.line_id and line.lease_token = given.token and message.id = given.position
    order by line.line_id for update of line),
  following as materialized (
    select settled.line_id, ${HEAD_COLUMNS}
    from settled cross join ${headBehindSql('settled.line_id', 'settled.position')}
    where settled.pending > 1),
  taken as materialized (
    select due.line_id from queue_lines as due
    where due.available_at <= ? and due.line_id not in (select given.line_id from given)
    order by due.available_at limit greatest(0, ? - (select count(*) from following)) for update skip locked),
  fresh as materialized (
    select taken.line_id, ${HEAD_COLUMNS} from taken cross join ${headBehindSql('taken.line_id', '0')}),
  advanced as (
    update queue_lines set pending = queue_lines.pending - 1,
      receive_count = case when following.id is null then 0 else 1 end,
      lease_token = case when following.id is null then null else ? end,
      available_at = case when following.id is not null then ? when queue_lines.pending > 1 then ? else null end
    from settled left join following on following.line_id = settled.line_id
    where queue_lines.line_id = settled.line_id),
  leased as (
    update queue_lines set available_at = ?, lease_token = ?, receive_count = queue_lines.receive_count + 1
    where queue_lines.line_id = any(array(select fresh.line_id from fresh))
    returning queue_lines.line_id, queue_lines.receive_count),
  gone as (delete from queue_messages using settled where queue_messages.id = settled.position),
  ${Object.entries(changes)
    .map(([name, change]) => `${name} as (${change}),`)
    .join('\n  ')}
  heads as materialized (
    select following.*, 1 as receive_count from following
    union all
    select fresh.*, leased.receive_count from fresh cross join leased where leased.line_id = fresh.line_id)
select (select json_agg(settled.line_id) from settled) as settled,
  (select json_agg(heads) from heads) as heads,
  (select json_agg(shared) from shared_bodies as shared
   where shared.id = any(array(select heads.shared_body_id from heads))) as shared,
  (select count(*) from settled where settled.pending > 1
     and settled.line_id not in (select following.line_id from following)) as left_due,
  (select count(*) from taken where taken.line_id not in (select fresh.line_id from fresh)) as without_head,
  (select min(line.available_at) from queue_lines as line where line.available_at is not null
     and line.line_id not in (select settled.line_id from settled)
     and line.line_id not in (select taken.line_id from taken)) as next_at,
  ${DEFERRED}`;
}
