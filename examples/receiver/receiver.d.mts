import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Throw it to respond with this status. Any other error results in 500. */
export class Refusal extends Error {
  constructor(status: number, reason: string, headers?: Record<string, string>);
  readonly status: number;
  readonly headers: Record<string, string>;
}

/** The request that carried a message. */
export interface Postback {
  /** `webhook-id`: the same for every attempt. */
  readonly id: string;
  readonly headers: IncomingHttpHeaders;
}

/** Options of a receiver. */
export interface ReceiverOptions {
  /** @defaultValue 127.0.0.1 */
  readonly host?: string | undefined;
  /** @defaultValue 0 (any free port) */
  readonly port?: number | undefined;
  /** With `secret`: only requests with these Basic credentials are accepted. Required unless `acceptAnyone` is true. */
  readonly key?: string | undefined;
  readonly secret?: string | undefined;
  /**
   * Accepts requests from anyone, without credentials. The receiver does not start if the credentials are missing and this is
   * not true, or if only one of them is set.
   * @defaultValue false
   */
  readonly acceptAnyone?: boolean | undefined;
  /** Called with each new message. If it throws, the message is sent again. */
  readonly onMessage: (message: unknown, postback: Postback) => void | Promise<void>;
  /** Called with test messages, whose data is made up. Without it, they get a 2xx response and have no effect. */
  readonly onTest?: ((message: unknown, postback: Postback) => void | Promise<void>) | undefined;
  /** Called for every request that does not get a 2xx response. */
  readonly onRefusal?: (error: Error, request: IncomingMessage) => void;
}

/** A running receiver. */
export interface Receiver {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a receiver.
 * @throws {Error} if `key` or `secret` is missing, unless both are and `acceptAnyone` is true
 */
export function startReceiver(options: ReceiverOptions): Promise<Receiver>;
