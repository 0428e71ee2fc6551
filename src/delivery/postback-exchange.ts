import type { Dispatcher } from 'undici';
import { AnswerBody } from './answer-body.ts';
import { type BasicCredentials, withoutCredentials } from './basic-credentials.ts';
import { failureReason, isOwnFailure, plainText, statusReason, timeoutReason } from './failure-reason.ts';
import { parseRetryAfter } from './retry-after.ts';
import type { TargetConnection, TargetConnections, TargetRequestHandler } from './target-connections.ts';

/** How many informational answers (1xx) may come before the answer. */
const MAX_INFORMATIONAL_ANSWERS = 16;

const HTTP_OK = 200;
const HTTP_REDIRECTION = 300;
const HTTP_TOO_MANY_REQUESTS = 429;
const HTTP_SERVICE_UNAVAILABLE = 503;

/**
 * A target that closes an idle connection may do so while a request is on its way to it. How long the close may take to be
 * noticed beside twice the round trip; an end that comes later is the target's reaction to the request.
 */
const CROSSING_MARGIN_MS = 200;

/** How a connection ends that the other side has closed, as `error.code`. */
const CLOSED_BY_TARGET: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** What became of a request to a target. */
export interface PostbackResult {
  /** DELIVERED: a whole 2xx answer came in time, or more of one than is read. */
  readonly outcome: 'DELIVERED' | 'FAILED';
  /** The answer's status, also when the rest of the answer did not come. */
  readonly status: number | null;
  readonly statusText: string | null;
  /** What was read of the answer's body, as text; null when no answer came. */
  readonly responseBody: string | null;
  /** Whether the body was longer than what is read of it. */
  readonly responseTruncated: boolean;
  /** Why it failed, in plain words without secrets; null when it was delivered. */
  readonly reason: string | null;
  /** For how many milliseconds a 429 or 503 asks not to be sent to again. */
  readonly retryAfterMs: number | null;
  /** From the call to the result, in milliseconds with fractions. */
  readonly durationMs: number;
  /** Whether it was aborted from this side, so that it says nothing about the target. */
  readonly aborted: boolean;
  /**
   * Whether this machine was unable to connect to any target: out of file descriptors, or no name server answers. Nothing
   * was sent, and it says nothing about the target.
   */
  readonly unsent: boolean;
  /** Whether the request was sent a second time, since the target closed a kept connection as it was written. */
  readonly resent: boolean;
}

/** Why a result says nothing about its target. */
type NotAttempted = Partial<Pick<PostbackResult, 'aborted' | 'unsent'>>;

/** What an exchange sends, and within which bounds. */
export interface PostbackExchangeOptions {
  readonly connections: TargetConnections;
  readonly origin: string;
  readonly request: Dispatcher.DispatchOptions;
  readonly credentials: BasicCredentials | null;
  /** Over all phases after the lookup of the host name: connecting, TLS, sending, the answer and its body. */
  readonly deadlineMs: number;
  /** How long the lookup of the host name may take, in milliseconds. */
  readonly lookupLimitMs: number;
  readonly maxAnswerBytes: number;
  /** Whether the request may be sent a second time where the target's close may have crossed it. */
  readonly mayResend: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called once, with the result. */
  readonly onSettled: (result: PostbackResult) => void;
}

/** One request to a target and its answer. It settles exactly once, whatever the target does. */
export class PostbackExchange implements TargetRequestHandler {
  readonly #options: PostbackExchangeOptions;
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout;
  #connection: TargetConnection;
  #settled = false;

  #onReusedConnection = false;
  /** When the request began to be written, in the time of `performance.now()`. */
  #writtenAt = 0;
  #resent = false;
  #informational = 0;
  #status: number | null = null;
  #statusText: string | null = null;
  #retryAfter: string | null = null;
  #body: AnswerBody | null = null;

  constructor(options: PostbackExchangeOptions) {
    this.#options = options;
    this.#connection = options.connections.acquire(options.origin);
    this.#timer = setTimeout(expire, options.deadlineMs, this);
  }

  /** Sends the request. */
  start(): void {
    this.#connection.dispatch(this.#options.request, this);
  }

  /** Ends it: the result says that it was aborted. */
  abort(): void {
    this.#fail('stopped before the target answered', { aborted: true });
  }

  /** Ends it when the lookup takes too long. */
  expireLookup(): void {
    this.#fail('host name lookup timed out', { unsent: true });
  }

  /** Ends it at its deadline. */
  expire(): void {
    this.#fail(this.#failureStatus() ?? timeoutReason(this.#options.deadlineMs));
  }

  /** The deadline starts after the lookup, which has a limit of its own: until then nothing can be sent. */
  onLookupStart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(expireLookup, this.#options.lookupLimitMs, this);
  }

  onLookupEnd(): void {
    clearTimeout(this.#timer);
    if (!this.#settled) this.#timer = setTimeout(expire, this.#options.deadlineMs, this);
  }

  onRequestStart(): void {
    this.#onReusedConnection = this.#connection.answers > 0;
    this.#connection.beforeRequest();
    this.#writtenAt = performance.now();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText?: string,
  ): void {
    if (this.#settled) return;
    this.#connection.answeredWithin(performance.now() - this.#writtenAt);
    if (status < HTTP_OK) {
      this.#informational += 1;
      if (this.#informational + this.#connection.continues > MAX_INFORMATIONAL_ANSWERS)
        this.#fail('too many informational answers');
      return;
    }
    this.#connection.beforeBody();
    this.#status = status;
    this.#statusText =
      statusText === undefined || statusText === '' ? null : this.#censored(plainText(statusText));
    if (status === HTTP_TOO_MANY_REQUESTS || status === HTTP_SERVICE_UNAVAILABLE) {
      const retryAfter = headers['retry-after'];
      if (typeof retryAfter === 'string') this.#retryAfter = retryAfter;
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#body ??= new AnswerBody(this.#options.maxAnswerBytes);
    this.#body.append(chunk);
    if (!this.#body.truncated) return;
    this.#finish();
    this.#options.connections.discard(this.#connection);
  }

  onResponseEnd(): void {
    if (this.#settled) return;
    this.#finish();
    this.#options.connections.release(this.#connection);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#settled) return;
    if (this.#mayHaveCrossed(error)) {
      this.#sendAgain();
      return;
    }
    if (this.#status !== null && 'code' in error && error.code === 'ANSWER_TOO_LONG') {
      // Like a body beyond the limit: the status decides.
      this.#finish();
      this.#options.connections.discard(this.#connection);
      return;
    }
    const unsent = this.#writtenAt === 0 && isOwnFailure(error);
    this.#fail(this.#failureStatus() ?? this.#censored(failureReason(error)), { unsent });
  }

  /**
   * Whether the target may have closed the idle connection before the request arrived, which says nothing about the target.
   * It may have read the request anyway; receivers recognise a repeated message by its id.
   */
  #mayHaveCrossed(error: Error): boolean {
    return (
      this.#options.mayResend &&
      !this.#resent &&
      this.#onReusedConnection &&
      performance.now() - this.#writtenAt <= 2 * this.#connection.roundTripMs + CROSSING_MARGIN_MS &&
      !this.#connection.answerBegan &&
      'code' in error &&
      CLOSED_BY_TARGET.has(error.code)
    );
  }

  #sendAgain(): void {
    const { connections, origin } = this.#options;
    this.#resent = true;
    connections.discard(this.#connection);
    this.#connection = connections.open(origin);
    this.start();
  }

  /** The reason that lies in the status, when there is one that is a failure. */
  #failureStatus(): string | null {
    if (this.#status === null || this.#status < HTTP_REDIRECTION) return null;
    return statusReason(this.#status, this.#statusText);
  }

  #finish(): void {
    this.#settle(this.#failureStatus(), {});
  }

  #fail(reason: string, notAttempted: NotAttempted = {}): void {
    if (this.#settled) return;
    this.#settle(reason, notAttempted);
    this.#options.connections.discard(this.#connection);
  }

  #settle(reason: string | null, { aborted = false, unsent = false }: NotAttempted): void {
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#options.onSettled({
      outcome: reason === null ? 'DELIVERED' : 'FAILED',
      status: this.#status,
      statusText: this.#statusText,
      responseBody: this.#responseBody(),
      responseTruncated: this.#body?.truncated ?? false,
      reason,
      retryAfterMs: this.#retryAfter === null ? null : parseRetryAfter(this.#retryAfter, this.#options.now()),
      durationMs: performance.now() - this.#startedAt,
      aborted,
      unsent,
      resent: this.#resent,
    });
  }

  #responseBody(): string | null {
    if (this.#status === null) return null;
    return this.#body === null ? '' : this.#censored(this.#body.text());
  }

  #censored(text: string): string {
    const { credentials } = this.#options;
    return credentials === null || text === '' ? text : withoutCredentials(text, credentials);
  }
}

function expire(exchange: PostbackExchange): void {
  exchange.expire();
}

function expireLookup(exchange: PostbackExchange): void {
  exchange.expireLookup();
}
