import type { Generated } from 'kysely';

/** Rows of the queue. */

/** A line: messages that keep their order. It is a message group of a FIFO queue, here one webhook. */
export interface QueueLineRow {
  line_id: number;
  pending: number;
  /** When the head can be leased: now, at its retry, or when its lease ends. Null if nothing waits. */
  available_at: number | null;
  /** The token of the head's lease; null if it is not in flight. */
  lease_token: string | null;
  /** How often the head was received. */
  receive_count: number;
  /** Messages up to this id are done, whether or not they are deleted yet. */
  done_to: number;
  /** The latest time of all messages that were ever queued to the line; 0 before the first one. */
  last_enqueued_at: number;
}

/** A message of a line. On SQLite, settled ones stay for a while. */
export interface QueueMessageRow {
  /** The order within a line, which is the order of commits. */
  id: Generated<number>;
  line_id: number;
  message_id: string;
  label: string;
  /** The body without its shared part, with a line feed in its place; the whole body if it has no shared part. */
  stored_body: string;
  shared_body_id: number | null;
  /** When its event occurred, in epoch milliseconds. The name of the column is older than redelivery. */
  enqueued_at: number;
  /** JSON of W3C header fields: where the message belongs in a trace; null if it is not traced. */
  trace_context: string | null;
  /** When it was redelivered or replayed; null if it has waited since its event. */
  queued_at: number | null;
}

/** The common part of an event's messages, stored once. */
export interface SharedBodyRow {
  id: Generated<number>;
  text: string;
}

/** A message in the dead-letter queue. */
export interface QueueDeadLetterRow {
  id: Generated<number>;
  line_id: number;
  message_id: string;
  label: string;
  /** Like `stored_body` of a message. */
  body: string;
  shared_body_id: number | null;
  /** When its event occurred, in epoch milliseconds. The name of the column is older than redelivery. */
  enqueued_at: number;
  dead_lettered_at: number;
  /** When it will be copied to the dead-letter queue on Amazon SQS; null if it was copied or never will be. */
  copy_at: number | null;
}
