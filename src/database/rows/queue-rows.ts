import type { Generated } from 'kysely';

/** Rows of the queue. */

/** A line of messages that keep their order: a message group in FIFO queues' terms, here a webhook. */
export interface QueueLineRow {
  line_id: number;
  pending: number;
  /** When the head may be taken up: now, at its retry, or when its lease ends. Null while nothing waits. */
  available_at: number | null;
  /** Who has the head out; null when nobody has. */
  lease_token: string | null;
  /** How often the head was taken up. */
  receive_count: number;
  /** Messages with numbers up to this one are done with, whether or not they are deleted yet. */
  done_to: number;
  /** The latest moment of any message that was ever queued to the line; 0 before the first one. */
  last_enqueued_at: number;
}

export interface QueueMessageRow {
  /** The order within a line: commit order. */
  id: Generated<number>;
  line_id: number;
  message_id: string;
  label: string;
  /** The body without its shared part, a line feed in that part's place; the whole body when there is none. */
  stored_body: string;
  shared_body_id: number | null;
  enqueued_at: number;
}

/** What the messages of an event have in common, stored once. */
export interface SharedBodyRow {
  id: Generated<number>;
  text: string;
}

export interface QueueDeadLetterRow {
  id: Generated<number>;
  line_id: number;
  message_id: string;
  label: string;
  /** As a message's `stored_body`. */
  body: string;
  shared_body_id: number | null;
  enqueued_at: number;
  dead_lettered_at: number;
  /** When it is to be copied to the dead-letter queue on Amazon SQS; null: it has been, or never is. */
  copy_at: number | null;
}
