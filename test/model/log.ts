import type { WebhookConfiguration } from './webhook-model.ts';

/** Observations from outside, on one scale of ticks, so that "before" and "after" are certain. */

let ticks = 0;

/** The next tick; each is after all earlier ones. */
export function tick(): number {
  ticks += 1;
  return ticks;
}

/** From before a request to after its response: the change happened in between. */
export interface Span {
  start: number;
  end: number;
}

/** A request that a target received. */
export interface Arrival {
  at: number;
  path: string;
  authorization: string | undefined;
  messageId: string;
  text: string;
  status: number;
  /** When it was answered; null before that, or if its connection closed first. */
  answeredAt: number | null;
}

/** A configuration, and when it may have been in force: from its request to the response to the next one's. */
export interface ConfigurationSpan extends Span {
  /** When it was certainly in force. */
  since: number;
  configuration: WebhookConfiguration;
  deleted: boolean;
}

/** An expected message. */
export interface ExpectedMessage {
  /** The cause, for error messages. */
  cause: string;
  /** Identifies the event; all messages of an event have one timestamp. */
  event: object;
  text: (timestamp: string) => string;
  asked: Span;
  /** Epoch milliseconds around it. */
  wall: Span;
  /** A redelivery: its id is known, and its timestamp is an old one. */
  again: { messageId: string; text: string } | null;
}

/** Messages of simultaneous operations: those of one operation are consecutive, the operations are in any order. */
export type ExpectedGroup = ExpectedMessage[][];

/** A webhook's line as observed and as expected. */
export interface LineLog {
  webhookId: number;
  configurations: ConfigurationSpan[];
  expected: ExpectedGroup[];
  arrivals: Arrival[];
  /** Messages that were moved to the dead-letter queue manually. */
  skips: (Span & { messageId: string })[];
  /** Purges of the line: what waited was discarded, except a message in flight. */
  purges: Span[];
  /** Resets of the statistics. */
  resets: Span[];
  /** Ticks at which nothing waited or was in flight. */
  emptyAt: number[];
}

/** The state that all lines share. */
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
