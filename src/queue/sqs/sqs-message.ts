import { createHash } from 'node:crypto';
import type { Message } from '@aws-sdk/client-sqs';
import type { QueueMessage } from '../message-queue.ts';
import { BATCH_ENTRIES, type SqsMessage } from './sqs-api.ts';

/** What a received copy says about itself. */
export interface Copy {
  receiptHandle: string;
  /** Null when it has no installation's id: sent by a release before ids were sent, or by another program. */
  installation: string | null;
  messageId: string | null;
  /** It was in the dead-letter queue, and somebody moved it to the message queue. */
  wasDead: boolean;
  /** Its position in the line, as releases before sent it; else null. */
  position: number | null;
  /** False when the body was too long for the queue. */
  hasBody: boolean;
  /** The message, as far as the copy has it. */
  message: QueueMessage;
}

const DEDUPLICATION_ID = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;
/** What every SQS-compatible server takes: printable ASCII, tab and line ends. */
const NOT_ASCII = /[^\t\n\r\u0020-\u007e]/g;
/** Room for the attributes' names, types and values, which count as the body does. */
const ATTRIBUTES_BYTES = 1_024;

/**
 * The copy of a message. Its body is the body of the message in ASCII, with JSON escapes for other characters,
 * because servers accept different characters. A body that is too long for the queue is omitted, and an attribute
 * says so.
 */
export function toSqsMessage(
  message: QueueMessage,
  { installation, maxBytes, isDead }: { installation: string; maxBytes: number; isDead: boolean },
): SqsMessage {
  const body = message.body.replaceAll(NOT_ASCII, escapeCharacter);
  const fits = body.length + ATTRIBUTES_BYTES <= maxBytes;
  return {
    MessageBody: fits ? body : JSON.stringify({ body_left_out: Buffer.byteLength(message.body) }),
    MessageGroupId: String(message.lineId),
    MessageDeduplicationId: DEDUPLICATION_ID.test(message.messageId)
      ? message.messageId
      : createHash('sha256').update(message.messageId).digest('hex'),
    MessageAttributes: {
      installation: { DataType: 'String', StringValue: installation },
      message_id: { DataType: 'String', StringValue: encodeURIComponent(message.messageId.toWellFormed()) },
      label: { DataType: 'String', StringValue: encodeURIComponent(message.label.toWellFormed()) },
      enqueued_at: { DataType: 'Number', StringValue: String(message.enqueuedAt) },
      ...(isDead ? { dead_lettered: { DataType: 'Number', StringValue: '1' } } : {}),
      ...(fits ? {} : { body_left_out: { DataType: 'Number', StringValue: '1' } }),
    },
  };
}

/** Reads a received copy. */
export function toCopy({ MessageAttributes = {}, Attributes, Body = '', ReceiptHandle = '' }: Message): Copy {
  const textOf = (name: string) => MessageAttributes[name]?.StringValue ?? null;
  const lineId = Number(Attributes?.MessageGroupId);
  const messageId = decode(textOf('message_id'));
  const position = textOf('position');
  return {
    receiptHandle: ReceiptHandle,
    installation: textOf('installation'),
    messageId,
    wasDead: textOf('dead_lettered') !== null,
    position: position !== null && /^\d{1,15}$/.test(position) ? Number(position) : null,
    hasBody: textOf('body_left_out') === null,
    message: {
      lineId: Number.isSafeInteger(lineId) ? lineId : 0,
      messageId: messageId ?? '',
      label: decode(textOf('label')) ?? '',
      body: Body,
      enqueuedAt: Number(textOf('enqueued_at') ?? 0),
    },
  };
}

/**
 * Packs messages into batches that can be sent concurrently. All messages of a group are in one batch, in their
 * order. Groups with too many or too long messages for one batch are omitted.
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

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function decode(value: string | null): string | null {
  try {
    return value === null ? null : decodeURIComponent(value);
  } catch {
    return value;
  }
}
