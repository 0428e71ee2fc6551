import type { Dialect } from '../database.ts';
import type { ColumnTypes, Migration } from './migration.ts';

/**
 * Amazon SQS carries copies; each message stays in the database until it is settled. The counts of lines get
 * constraints and are recalculated, because earlier releases could get them wrong.
 */
export const sqsCopies: Migration = {
  number: 15,
  name: 'sqs-copies',
  // An earlier instance would treat the copies as messages of another program, and delete messages that are not
  // settled.
  breaking: true,
  statements: (types, dialect) => [
    ...earlierLines(types),
    ...lines(types, dialect),
    `alter table queue_dead_letters add column copy_at ${types.int}`,
    `update queue_dead_letters set copy_at = 0 where message_id in
      (select waiting.message_id from sqs_dead_letters as waiting where waiting.send_at is not null)`,
    'create index queue_dead_letters_to_copy on queue_dead_letters (copy_at, id) where copy_at is not null',
    'drop table sqs_dead_letters',
  ],
};

/** Drops the state of lines on Amazon SQS, except which messages only Amazon SQS holds. */
function earlierLines({ int }: ColumnTypes): string[] {
  return [
    `create table sqs_earlier_lines (
      line_id ${int} primary key, settled_to ${int} not null, forwarded_to ${int} not null,
      receipt_handle text, is_awaited ${int} not null)`,
    `insert into sqs_earlier_lines (line_id, settled_to, forwarded_to, receipt_handle, is_awaited)
      select line_id, settled_to, forwarded_to, receipt_handle, 1 from sqs_lines where forwarded_to > settled_to`,
    // `claimed_until` is no longer used. Dropping it would be a breaking step for an empty column.
    `create table sqs_placed (line_id ${int} primary key, placed_to ${int} not null, claimed_until ${int})`,
    'insert into sqs_placed (line_id, placed_to) select line_id, forwarded_to from sqs_lines',
    'drop table sqs_lines',
  ];
}

function lines({ int }: ColumnTypes, dialect: Dialect): string[] {
  const stored = `(select count(*) from queue_messages as message
    where message.line_id = queue_lines.line_id and message.id > queue_lines.done_to)`;
  const rules = ['pending >= 0', '(pending = 0) = (available_at is null)'];
  const counted = [
    `insert into queue_lines (line_id, pending, available_at, receive_count)
      select distinct message.line_id, 0, ${dialect === 'postgres' ? 'null::bigint' : 'null'}, 0
      from queue_messages as message
      where not exists (select 1 from queue_lines as line where line.line_id = message.line_id)`,
    `update queue_lines set pending = ${stored}`,
    'update queue_lines set available_at = 0 where pending > 0 and available_at is null',
    'update queue_lines set available_at = null, lease_token = null, receive_count = 0 where pending = 0',
  ];
  if (dialect === 'postgres') {
    return [
      ...counted,
      `alter table queue_lines add constraint queue_lines_pending check (${rules[0]}),
        add constraint queue_lines_available check (${rules[1]})`,
    ];
  }
  return [
    ...counted,
    'alter table queue_lines rename to queue_lines_before',
    `create table queue_lines (
      line_id ${int} primary key, pending ${int} not null check (${rules[0]}), available_at ${int},
      lease_token text, receive_count ${int} not null, done_to ${int} not null default 0,
      last_enqueued_at ${int} not null default 0, check (${rules[1]}))`,
    `insert into queue_lines (line_id, pending, available_at, lease_token, receive_count, done_to, last_enqueued_at)
      select line_id, pending, available_at, lease_token, receive_count, done_to, last_enqueued_at from queue_lines_before`,
    'drop table queue_lines_before',
    'create index queue_lines_available on queue_lines (available_at) where available_at is not null',
  ];
}
