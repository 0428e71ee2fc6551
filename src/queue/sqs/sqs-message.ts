import type { Message, SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import type { QueueMessage } from '../message-queue.ts';
import type { DeadLetter, UnplacedDeadLetter } from './sqs-statements.ts';

/** Amazon's limit on the entries of a batch. */
export const BATCH_ENTRIES = 10;

/** A copy of a message in the format of Amazon SQS. */
export type SqsMessage = Omit<SendMessageBatchRequestEntry, 'Id'> & { MessageBody: string };

/** Amazon's limit on a deduplication id. */
const MAX_ID_LENGTH = 128;
/** The characters that every SQS-compatible server accepts: printable ASCII, tab and line ends. */
const NOT_ASCII = /[^\t\n\r\u0020-\u007e]/g;
/** Room for the names, types and values of the attributes, which count like the body. */
const ATTRIBUTES_BYTES = 1_024;

/** Options of a copy. */
export interface CopyOptions {
  installation: string;
  maxBytes: number;
}

/** A message to copy: a dead letter, or one that waits in its line. */
export type CopiedMessage = QueueMessage & Partial<Pick<UnplacedDeadLetter, 'deadAt' | 'placeAt'>>;

/**
 * The copy of a message. Its body is the body of the message in ASCII, with JSON escapes for other characters, because
 * servers accept different characters. A body that is too long for the queue, or that cannot be read (and is empty), is
 * omitted, and the copy says so. A message that is dead-lettered twice has two copies, whose deduplication ids differ,
 * because Amazon SQS ignores a repeated id for five minutes.
 */
export function toSqsMessage(message: CopiedMessage, { installation, maxBytes }: CopyOptions): SqsMessage {
  const messageId = encodeURIComponent(message.messageId.toWellFormed());
  const { deadAt, placeAt } = message;
  const occasion = placeAt === undefined ? '' : `.${placeAt}`;
  const maxLength = maxBytes - ATTRIBUTES_BYTES;
  // Escapes make a body longer, so a body that is too long needs none.
  const body = message.body.length <= maxLength ? toAscii(message.body) : message.body;
  const fits = body !== '' && body.length <= maxLength;
  return {
    MessageBody: fits ? body : JSON.stringify({ body_left_out: Buffer.byteLength(message.body) }),
    MessageGroupId: String(message.lineId),
    MessageDeduplicationId: messageId.slice(0, MAX_ID_LENGTH - occasion.length) + occasion,
    MessageAttributes: {
      installation: { DataType: 'String', StringValue: installation },
      message_id: { DataType: 'String', StringValue: messageId },
      label: { DataType: 'String', StringValue: encodeURIComponent(message.label.toWellFormed()) },
      enqueued_at: { DataType: 'Number', StringValue: String(message.occurredAt) },
      ...(deadAt === undefined ? {} : { dead_lettered: { DataType: 'Number', StringValue: String(deadAt) } }),
      ...(fits ? {} : { body_left_out: { DataType: 'Number', StringValue: '1' } }),
    },
  };
}

function toAscii(json: string): string {
  return json.replaceAll(
    NOT_ASCII,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The id of the line of a received copy; 0 if the group is not a line. */
export function lineIdOf({ Attributes }: Message): number {
  const lineId = Number(Attributes?.MessageGroupId);
  return Number.isSafeInteger(lineId) ? lineId : 0;
}

/**
 * Whether a received copy is one of this dead letter, and not of an earlier time at which its message was
 * dead-lettered. Copies that an earlier release sent have a 1 instead of the time.
 */
export function isCopyOf(copy: Message, { messageId, deadAt }: DeadLetter): boolean {
  const copyDeadAt = Number(readAttribute(copy, 'dead_lettered'));
  return readAttribute(copy, 'message_id') === messageId && (copyDeadAt === 1 || copyDeadAt === deadAt);
}

/** The text of an attribute of a received copy, decoded; null if the copy does not have it. */
export function readAttribute({ MessageAttributes = {} }: Message, name: string): string | null {
  const text = MessageAttributes[name]?.StringValue ?? null;
  try {
    return text === null ? null : decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Packs messages into batches that can be sent concurrently. All messages of a group are in one batch, in their
 * order. Groups with too many or too long messages for one batch are truncated.
 */
export function toBatches<M extends SqsMessage>(messages: readonly M[], maxBytes: number): M[][] {
  const fits = (batch: readonly M[]) =>
    batch.length <= BATCH_ENTRIES &&
    batch.reduce((bytes, { MessageBody }) => bytes + MessageBody.length + ATTRIBUTES_BYTES, 0) <= maxBytes;
  const batches: M[][] = [];
  for (const group of Map.groupBy(messages, (message) => message.MessageGroupId).values()) {
    const first = group.slice(0, BATCH_ENTRIES);
    while (first.length > 1 && !fits(first)) first.pop();
    const last = batches.at(-1);
    if (last !== undefined && fits([...last, ...first])) last.push(...first);
    else batches.push(first);
  }
  return batches;
}
