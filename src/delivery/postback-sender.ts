import { keepNewest } from '../keep-newest.ts';
import { urlCensor } from '../observability/url-censor.ts';
import type { BasicCredentials } from '../secrets/credentials-cipher.ts';
import { MINUTE_MS, SECOND_MS } from '../time/units.ts';
import type { SigningKeys } from '../webhooks/signing/signing-secret.ts';
import { basicAuthorization } from './basic-credentials.ts';
import { LOOKUP_LIMIT_MS } from './name-resolver.ts';
import { PostbackRequest, type PostbackResult } from './postback-request.ts';
import { TargetConnections } from './target-connections.ts';
import { TargetConnector } from './target-connector.ts';
import type { TargetGuard } from './target-guard.ts';
import { webhookSignature } from './webhook-signature.ts';

export type { PostbackResult };

const DEFAULT_DEADLINE_MS = 30_000;
const DEFAULT_MAX_IDLE_CONNECTIONS = 256;
/** Shorter than the 5 s after which many servers close idle connections. */
const DEFAULT_IDLE_TIMEOUT_MS = 4_000;
const DEFAULT_MAX_CONNECTION_AGE_MS = 5 * MINUTE_MS;

/** Maximum number of parsed URLs in the cache. */
const MAX_REMEMBERED_URLS = 16_384;

/** Configuration of a {@link PostbackSender}. */
export interface PostbackSenderOptions {
  readonly guard: TargetGuard;
  /** The product's version, for `User-Agent`. */
  readonly version: string;
  /** The time limit of a request after the lookup of the host name, in milliseconds. @defaultValue 30,000 */
  readonly deadlineMs?: number;
  /** The time limit of the lookup of a host name, in milliseconds. @defaultValue {@link LOOKUP_LIMIT_MS} */
  readonly lookupLimitMs?: number;
  /** Maximum number of idle connections, over all targets. @defaultValue 256 */
  readonly maxIdleConnections?: number;
  /** How long an idle connection is kept open, in milliseconds. @defaultValue 4,000 */
  readonly idleTimeoutMs?: number;
  /** The age in milliseconds from which a connection is not used again. @defaultValue 300,000 */
  readonly maxConnectionAgeMs?: number;
  /** Certificate authorities in PEM format that are trusted in addition to those of Node.js. */
  readonly ca?: readonly string[];
  /** Epoch milliseconds. @defaultValue `Date.now` */
  readonly now?: () => number;
}

/** A message to a target. */
export interface Postback {
  /** The id of the message, which is the same for all attempts. */
  readonly messageId: string;
  readonly url: string;
  readonly body: string | Uint8Array;
  /** Credentials for HTTP Basic authentication; null for none. */
  readonly credentials: BasicCredentials | null;
  /** Whether the URL is a secret, so that the result shows nothing of it. @defaultValue false */
  readonly isUrlSecret?: boolean;
  /** The keys that sign the postback; null for no signature. @defaultValue null */
  readonly signingKeys?: SigningKeys | null;
  /** Headers in addition to those of every postback. */
  readonly extraHeaders?: Readonly<Record<string, string>>;
  /**
   * Whether the request may be sent a second time if the close of a kept connection may have crossed it.
   * @defaultValue true
   */
  readonly mayResend?: boolean;
}

/** The parts of a target's URL, or why it is invalid. */
interface Target {
  readonly origin: string;
  readonly path: string;
  readonly refusal: string | null;
}

/**
 * Sends messages to targets: one HTTP/1.1 POST each, without following redirects, with a deadline and a limit on
 * what is read. Any number of requests can run at a time. A request that hangs blocks only its own connection.
 */
export class PostbackSender implements AsyncDisposable {
  readonly #guard: TargetGuard;
  readonly #connections: TargetConnections;
  readonly #userAgent: string;
  readonly #deadlineMs: number;
  readonly #lookupLimitMs: number;
  readonly #now: () => number;
  readonly #targets = new Map<string, Target>();
  #stopped = false;

  constructor(options: PostbackSenderOptions) {
    this.#guard = options.guard;
    this.#userAgent = `Coursewire/${options.version}`;
    this.#deadlineMs = options.deadlineMs ?? DEFAULT_DEADLINE_MS;
    this.#lookupLimitMs = options.lookupLimitMs ?? LOOKUP_LIMIT_MS;
    this.#now = options.now ?? Date.now;
    this.#connections = new TargetConnections({
      connector: new TargetConnector({
        guard: options.guard,
        deadlineMs: this.#deadlineMs,
        ...(options.ca !== undefined && { ca: options.ca }),
      }),
      maxIdle: options.maxIdleConnections ?? DEFAULT_MAX_IDLE_CONNECTIONS,
      idleTimeoutMs: options.idleTimeoutMs ?? DEFAULT_IDLE_TIMEOUT_MS,
      maxAgeMs: options.maxConnectionAgeMs ?? DEFAULT_MAX_CONNECTION_AGE_MS,
    });
  }

  /** The number of postbacks in flight. */
  get inFlight(): number {
    return this.#connections.inFlight;
  }

  /** The number of connections to targets, including idle ones and those that are being opened. */
  get connections(): number {
    return this.#connections.size;
  }

  /**
   * Sends a message and resolves with the result; it never rejects. If the target closed a kept connection before
   * the request was written, another connection is used. If the close may have crossed the request, it is sent
   * again.
   */
  send(postback: Postback): Promise<PostbackResult> {
    const target = this.#target(postback.url);
    if (target.refusal !== null) return Promise.resolve(notSent(target.refusal, this.#now()));
    if (this.#stopped)
      return Promise.resolve(notSent('stopped before it was sent', this.#now(), { aborted: true }));

    return new Promise((resolve) => {
      const request = new PostbackRequest({
        connections: this.#connections,
        origin: target.origin,
        request: { method: 'POST', path: target.path, headers: this.#headers(postback), body: postback.body },
        credentials: postback.credentials,
        withoutUrl: postback.isUrlSecret === true ? urlCensor(postback.url) : null,
        deadlineMs: this.#deadlineMs,
        lookupLimitMs: this.#lookupLimitMs,
        mayResend: postback.mayResend ?? true,
        now: this.#now,
        onSettled: resolve,
      });
      request.start();
    });
  }

  /** The origin of a target's URL; empty if the URL is refused. */
  originOf(url: string): string {
    return this.#target(url).origin;
  }

  /** Aborts all postbacks in flight and all that are sent from now on. */
  abort(): void {
    this.#stopped = true;
    this.#connections.abortRequests();
  }

  /** Aborts everything and closes all connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.abort();
    await this.#connections[Symbol.asyncDispose]();
  }

  /** Names and values alternate, which is the cheapest form for undici. */
  #headers({ messageId, body, credentials, signingKeys, extraHeaders }: Postback): string[] {
    const now = this.#now();
    const timestamp = Math.floor(now / SECOND_MS);
    const headers = [
      'Content-Type',
      'application/json',
      'User-Agent',
      this.#userAgent,
      'webhook-id',
      messageId,
      'webhook-timestamp',
      String(timestamp),
    ];
    if (signingKeys != null)
      headers.push('webhook-signature', webhookSignature(signingKeys, { messageId, timestamp, body }, now));
    if (credentials !== null) headers.push('Authorization', basicAuthorization(credentials));
    if (extraHeaders !== undefined)
      for (const [name, value] of Object.entries(extraHeaders)) headers.push(name, value);
    return headers;
  }

  #target(url: string): Target {
    const remembered = this.#targets.get(url);
    if (remembered !== undefined) return remembered;
    const refusal = this.#guard.checkUrl(url);
    if (refusal !== null) return { origin: '', path: '', refusal };

    const { origin, pathname, search } = new URL(url);
    const target = { origin, path: pathname + search, refusal };
    this.#targets.set(url, target);
    keepNewest(this.#targets, MAX_REMEMBERED_URLS);
    return target;
  }
}

/** The result of a postback that was never sent, which ended at `endedAt` (epoch milliseconds). */
export function notSent(reason: string, endedAt: number, { aborted = false } = {}): PostbackResult {
  return {
    outcome: 'FAILED',
    status: null,
    requestHeaders: [],
    responseHeaders: null,
    responseBody: null,
    reason,
    retryAfterMs: null,
    durationMs: 0,
    endedAt,
    aborted,
    unsent: false,
    resent: false,
  };
}
