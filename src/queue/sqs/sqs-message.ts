import { createHash } from 'node:crypto';
import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { QueuedMessage } from '../message-queue.ts';

/** What of a message goes to Amazon SQS. */
export interface SqsMessage {
  body: string;
  groupId: string;
  deduplicationId: string;
  attributes: Record<string, MessageAttributeValue>;
}

/** What the attributes of a received message say of it. */
export interface SentMessage extends QueuedMessage {
  /** Counts how often the line was forwarded anew. */
  generation: number;
  /** It came by way of the dead-letter queue. */
  wasDead: boolean;
  /** False: the body was too long for the queue, and what stands there is a notice. */
  bodySent: boolean;
}

const DEDUPLICATION_ID = /^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/;
/** What every SQS-compatible server takes: printable ASCII, tab and line ends. */
const NOT_ASCII = /[^\t\n\r\u0020-\u007e]/g;
/** Outside of what Amazon SQS takes: XML 1.0 without U+FFFE and U+FFFF; a surrogate by itself is no character. */
const REFUSED = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;
/** Room for the attributes' names, types and values, which count as the body does. */
export const ATTRIBUTES_BYTES = 1_024;

/**
 * A message for the queue. The body stands as it is; characters that the queue refuses are written as JSON escapes, so
 * that it reads the same. With `ascii` that goes for all beyond ASCII: some servers refuse more than Amazon's.
 * The deduplication id holds the position: a message that is queued anew is new, one that is sent twice is not.
 */
export function toSqsMessage(
  message: QueuedMessage,
  {
    generation,
    ascii,
    maxBytes,
    dead,
  }: { generation: number; ascii: boolean; maxBytes: number; dead: boolean },
): SqsMessage {
  const escaped = message.body.replaceAll(ascii ? NOT_ASCII : REFUSED, escapeCharacter);
  const fits = Buffer.byteLength(escaped) + ATTRIBUTES_BYTES <= maxBytes;
  const attributes: Record<string, MessageAttributeValue> = {
    message_id: text(escapeAttribute(message.messageId)),
    position: number(message.position),
    label: text(escapeAttribute(message.label)),
    enqueued_at: number(message.enqueuedAt),
    generation: number(generation),
  };
  if (dead) attributes.dead_lettered = number(1);
  if (!fits) attributes.body_left_out = number(1);
  return {
    body: fits ? escaped : JSON.stringify({ body_left_out: Buffer.byteLength(message.body) }),
    groupId: String(message.lineId),
    deduplicationId: deduplicationId(`${message.messageId}.${message.position}.${generation}`),
    attributes,
  };
}

/** Whether a body fits into a message of at most so many bytes. */
export function fitsInto(body: string, maxBytes: number): boolean {
  return Buffer.byteLength(body.replaceAll(REFUSED, escapeCharacter)) + ATTRIBUTES_BYTES <= maxBytes;
}

/** Reads a message that this service sent; null when another program did. */
export function fromSqsMessage(
  body: string | undefined,
  groupId: string | undefined,
  attributes: Record<string, MessageAttributeValue> | undefined,
): SentMessage | null {
  const lineId = Number(groupId);
  const position = wholeNumber(attributes?.position);
  const enqueuedAt = wholeNumber(attributes?.enqueued_at);
  const generation = wholeNumber(attributes?.generation);
  const messageId = attributes?.message_id?.StringValue;
  const label = attributes?.label?.StringValue;
  if (!Number.isSafeInteger(lineId) || position === null || enqueuedAt === null || generation === null)
    return null;
  if (messageId === undefined || label === undefined || body === undefined) return null;
  return {
    lineId,
    messageId: readAttribute(messageId),
    label: readAttribute(label),
    body,
    enqueuedAt,
    position,
    generation,
    wasDead: attributes?.dead_lettered !== undefined,
    bodySent: attributes?.body_left_out === undefined,
  };
}

function deduplicationId(wanted: string): string {
  return DEDUPLICATION_ID.test(wanted) ? wanted : createHash('sha256').update(wanted).digest('hex');
}

/** Inside a JSON text such characters stand in strings only, where the escape means the same. */
function escapeCharacter(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('');
}

/** Ids and labels are ASCII as a rule and then stand as they are. */
function escapeAttribute(value: string): string {
  return value.replaceAll(/%|[^ -~]+/g, (part) => encodeURIComponent(part.toWellFormed()));
}

function readAttribute(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function text(value: string): MessageAttributeValue {
  return { DataType: 'String', StringValue: value };
}

function number(value: number): MessageAttributeValue {
  return { DataType: 'Number', StringValue: String(value) };
}

function wholeNumber(attribute: MessageAttributeValue | undefined): number | null {
  const value = attribute?.StringValue;
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : null;
}
