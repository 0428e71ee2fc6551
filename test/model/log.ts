import type { WebhookConfiguration } from './webhook-model.ts';

/** What was seen from outside, on one scale of ticks, so that "before" and "after" are certain. */

let ticks = 0;

/** The next moment; each comes after all earlier ones. */
export function tick(): number {
  ticks += 1;
  return ticks;
}

/** From before something was asked for to after its answer: it happened somewhere within. */
export interface Span {
  start: number;
  end: number;
}

/** A request that a target got. */
export interface Arrival {
  at: number;
  path: string;
  authorization: string | undefined;
  messageId: string;
  text: string;
  status: number;
  /** When it was answered; null while it is not, or when its connection went first. */
  answeredAt: number | null;
}

/** A configuration, and when it may have been in force: from its request to the answer to the next one's. */
export interface ConfigurationSpan extends Span {
  /** When it was certainly in force. */
  since: number;
  configuration: WebhookConfiguration;
  deleted: boolean;
}

/** A message that has to come. */
export interface ExpectedMessage {
  /** What caused it, for people. */
  cause: string;
  /** Tells apart events, of which all messages have one timestamp. */
  event: object;
  text: (timestamp: string) => string;
  asked: Span;
  /** Epoch milliseconds around it. */
  wall: Span;
  /** Sent again by hand: its id is known, and its timestamp is an old one. */
  again: { messageId: string; text: string } | null;
}

/** Messages of operations that ran at once: those of an operation follow each other, the operations come in any order. */
export type ExpectedGroup = ExpectedMessage[][];

/** A webhook's line as it was seen and as it has to be. */
export interface LineLog {
  webhookId: number;
  configurations: ConfigurationSpan[];
  expected: ExpectedGroup[];
  arrivals: Arrival[];
  /** Messages that were moved to the dead-letter queue by hand. */
  skips: (Span & { messageId: string })[];
  /** Resets of the statistics. */
  resets: Span[];
  /** Ticks at which nothing waited or was under way. */
  emptyAt: number[];
}

/** What all lines share. */
export interface ServiceLog {
  /** From before the processes were killed until others were ready. */
  kills: Span[];
  /** Times in which nothing may be delivered. */
  silences: Span[];
  /** The queue's maximum-receives count. */
  maxReceives: number;
  /** The timestamp of each event, as its first message showed it. */
  timestamps: Map<object, string>;
}
