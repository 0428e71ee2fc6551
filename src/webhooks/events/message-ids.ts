/** The event and the webhook that identify a message. */
export interface MessageReference {
  eventId: number;
  /** When the event occurred, in epoch milliseconds. */
  occurredAt: number;
  webhookId: number;
}

/** 42 bits have room for ten thousand events a second for fourteen years, 32 bits for four billion webhooks. */
const LOW_EVENT_BITS = 2 ** 30;
const MAX_EVENT_ID = 2 ** 42;
const MAX_WEBHOOK_ID = 2 ** 32;
const VARIANT = 0x8000_0000;
/** RFC 9562 allows capitals when it is read. */
const FORM = /^([\da-f]{8})-([\da-f]{4})-7([\da-f]{3})-([89ab][\da-f]{3})-([\da-f]{4})([\da-f]{8})$/i;

/**
 * The id of the message of an event for a webhook: always the same, so that a message is never queued twice. It is a
 * UUID of version 7 (RFC 9562): the time of the event, then the ids of the event and the webhook instead of random
 * bits.
 * @throws {RangeError} if an id is too large
 */
export function messageIdOf({ eventId, occurredAt, webhookId }: MessageReference): string {
  if (eventId >= MAX_EVENT_ID || webhookId >= MAX_WEBHOOK_ID) {
    throw new RangeError(`no message id has room for event ${eventId} and webhook ${webhookId}`);
  }
  const time = toHex(occurredAt, 12);
  const high = toHex(Math.floor(eventId / LOW_EVENT_BITS), 3);
  const low = toHex(VARIANT + (eventId % LOW_EVENT_BITS), 8);
  const webhook = toHex(webhookId, 8);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${low.slice(0, 4)}-${low.slice(4)}${webhook}`;
}

/** The lowest and the highest id that a message of an event can have. Ids of other messages are not between them. */
export function messageIdsOf(event: Omit<MessageReference, 'webhookId'>): { first: string; last: string } {
  return {
    first: messageIdOf({ ...event, webhookId: 0 }),
    last: messageIdOf({ ...event, webhookId: MAX_WEBHOOK_ID - 1 }),
  };
}

/**
 * What a message id names; null if the text has another form. The ids of earlier releases had random bits: check that the
 * event exists and occurred at this time.
 */
export function parseMessageId(text: string): MessageReference | null {
  const match = FORM.exec(text);
  if (match === null) return null;
  const [, first = '', second = '', high = '', third = '', fourth = '', webhook = ''] = match;
  const low = Number.parseInt(third + fourth, 16) - VARIANT;
  return {
    occurredAt: Number.parseInt(first + second, 16),
    eventId: Number.parseInt(high, 16) * LOW_EVENT_BITS + low,
    webhookId: Number.parseInt(webhook, 16),
  };
}

function toHex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
