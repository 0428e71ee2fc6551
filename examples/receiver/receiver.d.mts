import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Thrown while a request is handled: answers with this status. Anything else that is thrown answers 500. */
export class Refusal extends Error {
  constructor(status: number, reason: string, headers?: Record<string, string>);
  readonly status: number;
  readonly headers: Record<string, string>;
}

/** What came with a message. */
export interface Postback {
  /** `webhook-id`: the same at every attempt. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
}

/** How a receiver listens, and what it calls. */
export interface ReceiverOptions {
  /** @defaultValue 127.0.0.1 */
  readonly host?: string | undefined;
  /** @defaultValue 0, any free port */
  readonly port?: number | undefined;
  /** With a secret: only requests with these Basic credentials are taken. */
  readonly key?: string | undefined;
  readonly secret?: string | undefined;
  /** Takes a new message; throwing has it sent again. */
  readonly onMessage: (message: unknown, postback: Postback) => void | Promise<void>;
  /** Told of every request that is not answered with 2xx. */
  readonly onRefusal?: (error: Error, request: IncomingMessage) => void;
}

/** A receiver that listens. */
export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

export function startReceiver(options: ReceiverOptions): Promise<Receiver>;
