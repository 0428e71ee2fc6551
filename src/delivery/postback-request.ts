import type { Dispatcher } from 'undici';
import { KIB } from '../bytes.ts';
import type { BasicCredentials } from '../secrets/credentials-cipher.ts';
import { LOWEST_FAILURE_STATUS } from '../webhooks/history/postback-failure.ts';
import { withoutCredentials } from './basic-credentials.ts';
import {
  codeOf,
  failureReason,
  incompleteReason,
  isOwnFailure,
  statusReason,
  timeoutReason,
} from './failure-reason.ts';
import type { ResponseHeaders } from './kept-headers.ts';
import { redirectReason } from './redirect-reason.ts';
import { ResponseBody } from './response-body.ts';
import { longestRetryAfter } from './retry-after.ts';
import type { TargetConnection, TargetConnections, TargetRequestHandler } from './target-connections.ts';

/** How much of a response's body is read. */
const MAX_RESPONSE_BYTES = 64 * KIB;
/** Maximum number of informational responses (1xx) before the response. */
const MAX_INFORMATIONAL_RESPONSES = 16;

const HTTP_OK = 200;
const HTTP_REQUEST_TIMEOUT = 408;
const HTTP_TOO_MANY_REQUESTS = 429;
const HTTP_SERVICE_UNAVAILABLE = 503;

/**
 * A target may close an idle connection while a request is on its way. Such a close is noticed within two round trips
 * plus this time. A later close is the target's reaction to the request.
 */
const CROSSING_MARGIN_MS = 200;

/** `error.code` of a connection that the other side has closed. */
const CLOSED_BY_TARGET: ReadonlySet<unknown> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);

/** The target announced that it closes an idle connection, which the request may have crossed. */
const CLOSE_ANNOUNCED = new Error('the target closed the idle connection');
const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;

/** The result of a request to a target. */
export interface PostbackResult {
  /** DELIVERED: a complete 2xx response arrived in time, or more of its body than is read. */
  readonly outcome: 'DELIVERED' | 'FAILED';
  /** The status of the response, even if the rest of it did not arrive. */
  readonly status: number | null;
  /** The headers of the request: names and values alternate. */
  readonly requestHeaders: readonly string[];
  /** The headers of the response; null without a response. */
  readonly responseHeaders: ResponseHeaders | null;
  /** The part of the response's body that was read, as text; null without a response. */
  readonly responseBody: string | null;
  /** Why the request failed, in plain words without secrets; null if the message was delivered. */
  readonly reason: string | null;
  /** For how many milliseconds a 429 or 503 asks to send no further requests. */
  readonly retryAfterMs: number | null;
  /** From the call to the result, in milliseconds with fractions. */
  readonly durationMs: number;
  /** When the request ended, in epoch milliseconds. */
  readonly endedAt: number;
  /** Whether this side aborted the request, so that the result says nothing about the target. */
  readonly aborted: boolean;
  /**
   * Whether this machine was unable to connect to any target: no file descriptors are left, or no name server
   * responds. Nothing was sent, and the result says nothing about the target.
   */
  readonly unsent: boolean;
  /** Whether the request was sent a second time, because the target closed a kept connection while it was written. */
  readonly resent: boolean;
}

/** Why a result says nothing about its target. */
type NotAttempted = Partial<Pick<PostbackResult, 'aborted' | 'unsent'>>;

/** The request and its limits. */
export interface PostbackRequestOptions {
  readonly connections: TargetConnections;
  readonly origin: string;
  readonly request: Dispatcher.DispatchOptions & { readonly headers: string[] };
  readonly credentials: BasicCredentials | null;
  /** Removes the URL from a text that the target sent, if the URL is a secret; null if it is not. */
  readonly withoutUrl: ((text: string) => string) | null;
  /** The time limit of all phases after the lookup of the host name: connecting, TLS, sending and the response. */
  readonly deadlineMs: number;
  /** How long the lookup of the host name may take, in milliseconds. */
  readonly lookupLimitMs: number;
  /** Whether the request may be sent a second time if the target's close may have crossed it. */
  readonly mayResend: boolean;
  /** Epoch milliseconds. */
  readonly now: () => number;
  /** Called once, with the result. */
  readonly onSettled: (result: PostbackResult) => void;
}

/** One request to a target, and its response. The request settles exactly once, whatever the target does. */
export class PostbackRequest implements TargetRequestHandler {
  readonly #options: PostbackRequestOptions;
  readonly #startedAt = performance.now();
  /** When all time limits have ended, in the time of `performance.now()`. The lease of the message may expire later. */
  readonly #endsAt: number;
  #timer: NodeJS.Timeout;
  #connection: TargetConnection;
  #settled = false;

  #onReusedConnection = false;
  /** When writing the request began, in the time of `performance.now()`. */
  #writtenAt = 0;
  #resent = false;
  #informational = 0;
  #status: number | null = null;
  #responseHeaders: ResponseHeaders | null = null;
  #statusText: string | null = null;
  /** The values of each `Retry-After`, of which both an application and its proxy may set one. */
  #retryAfter: readonly string[] = [];
  #body: ResponseBody | null = null;

  constructor(options: PostbackRequestOptions) {
    this.#options = options;
    this.#endsAt = this.#startedAt + options.lookupLimitMs + options.deadlineMs;
    this.#connection = options.connections.acquire(options.origin);
    this.#timer = setTimeout(expire, options.deadlineMs, this);
  }

  /** Sends the request. */
  start(): void {
    this.#connection.dispatch(this.#options.request, this);
  }

  /** Ends the request as aborted. */
  abort(): void {
    this.#fail('stopped before the target responded', { aborted: true });
  }

  /** Ends the request because the lookup took too long. */
  expireLookup(): void {
    this.#fail('host name lookup timed out', { unsent: true });
  }

  /** Ends the request at its deadline. */
  expire(): void {
    this.#fail(this.#reasonWithStatus(timeoutReason(this.#options.deadlineMs)));
  }

  /** The deadline starts after the lookup, which has its own limit. Nothing can be sent before. */
  onLookupStart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(expireLookup, this.#options.lookupLimitMs, this);
  }

  onLookupEnd(): void {
    clearTimeout(this.#timer);
    if (this.#settled) return;
    // If the request is sent again, or this process was frozen, part of the time has passed.
    const leftMs = Math.max(0, Math.min(this.#options.deadlineMs, this.#endsAt - performance.now()));
    this.#timer = setTimeout(expire, leftMs, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // A process that was frozen may notice the connection before its timers. The lease of the message may have expired.
    if (performance.now() > this.#endsAt) {
      const reason = 'the time limit ended before the request was written';
      this.#fail(reason, { aborted: true });
      controller.abort(new Error(reason));
      return;
    }
    this.#onReusedConnection = this.#connection.responses > 0;
    this.#connection.beforeRequest();
    this.#writtenAt = performance.now();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    statusText?: string,
  ): void {
    if (this.#settled) return;
    if (announcesClose(status, headers) && this.#isSoonEnoughToCross()) {
      // Calls `onResponseError`, so that nothing else of this response arrives.
      controller.abort(CLOSE_ANNOUNCED);
      return;
    }
    this.#connection.respondedWithin(performance.now() - this.#writtenAt);
    if (status < HTTP_OK) {
      this.#informational += 1;
      if (this.#informational + this.#connection.continues > MAX_INFORMATIONAL_RESPONSES)
        this.#fail('too many informational responses');
      return;
    }
    this.#connection.beforeBody();
    this.#status = status;
    this.#responseHeaders = headers;
    // Censored before it is shortened, which would leave the beginning of credentials.
    this.#statusText = statusText === undefined || statusText === '' ? null : this.#censored(statusText);
    if (status === HTTP_TOO_MANY_REQUESTS || status === HTTP_SERVICE_UNAVAILABLE) {
      this.#retryAfter = [headers['retry-after'] ?? []].flat();
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#body ??= new ResponseBody(MAX_RESPONSE_BYTES);
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
    if (this.#status !== null && 'code' in error && error.code === 'RESPONSE_TOO_LONG') {
      // The status decides, as with a body beyond the limit.
      this.#finish();
      this.#options.connections.discard(this.#connection);
      return;
    }
    const unsent = this.#writtenAt === 0 && isOwnFailure(error);
    const cause = isClose(error) ? (this.#connection.tlsError ?? error) : error;
    this.#fail(this.#reasonWithStatus(this.#censored(failureReason(cause))), { unsent });
  }

  /**
   * Whether the target may have closed the idle connection before the request arrived, which says nothing about the
   * target. The target may still have read the request. Receivers recognise a repeated message by its id.
   */
  #mayHaveCrossed(error: Error): boolean {
    if (error === CLOSE_ANNOUNCED) return true;
    return isClose(error) && !this.#connection.responseBegan && this.#isSoonEnoughToCross();
  }

  /** Whether a close that is noticed now may have crossed the request, and the request may be sent again. */
  #isSoonEnoughToCross(): boolean {
    return (
      this.#options.mayResend &&
      !this.#resent &&
      this.#onReusedConnection &&
      performance.now() - this.#writtenAt <= 2 * this.#connection.roundTripMs + CROSSING_MARGIN_MS
    );
  }

  #sendAgain(): void {
    const { connections, origin } = this.#options;
    this.#resent = true;
    connections.discard(this.#connection);
    this.#connection = connections.open(origin);
    this.start();
  }

  /** The reason for a status that is a failure; null for others. */
  #failureStatus(): string | null {
    const status = this.#status;
    if (status === null || status < LOWEST_FAILURE_STATUS) return null;
    const [location] = [this.#responseHeaders?.location ?? []].flat();
    return redirectReason(statusReason(status, this.#statusText), {
      status,
      location: location === undefined ? undefined : this.#withoutCredentials(location),
      url: this.#options.origin + this.#options.request.path,
      censored: (text) => this.#censored(text),
    });
  }

  /** Why the request failed, if its response was cut off: the status decides, unless it is that of a success. */
  #reasonWithStatus(cause: string): string {
    if (this.#status === null) return cause;
    return this.#failureStatus() ?? incompleteReason(this.#status, cause);
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
    // Both at the same moment, since their difference is when the attempt began.
    const endedAt = this.#options.now();
    const durationMs = performance.now() - this.#startedAt;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.#options.onSettled({
      outcome: reason === null ? 'DELIVERED' : 'FAILED',
      status: this.#status,
      requestHeaders: this.#options.request.headers,
      responseHeaders: this.#responseHeaders,
      responseBody: this.#responseBody(),
      reason,
      retryAfterMs: longestRetryAfter(this.#retryAfter, endedAt),
      durationMs,
      endedAt,
      aborted,
      unsent,
      resent: this.#resent,
    });
  }

  #responseBody(): string | null {
    if (this.#status === null) return null;
    if (this.#body === null) return '';
    const [contentType] = [this.#responseHeaders?.['content-type'] ?? []].flat();
    return this.#censored(this.#body.text(contentType), { isCut: this.#body.truncated });
  }

  #censored(text: string, options?: { isCut: boolean }): string {
    const { withoutUrl } = this.#options;
    const censored = this.#withoutCredentials(text, options);
    return withoutUrl === null ? censored : withoutUrl(censored);
  }

  #withoutCredentials(text: string, { isCut = false } = {}): string {
    const { credentials } = this.#options;
    return credentials === null ? text : withoutCredentials(text, credentials, { isCut });
  }
}

/** Whether an error says that the other side has closed the connection. */
function isClose(error: Error): boolean {
  return CLOSED_BY_TARGET.has(codeOf(error));
}

/**
 * Whether a response says that the target closes an idle connection. Such a response need not be to the request: the
 * target sends it before it closes the connection (RFC 9110 §15.5.9).
 */
function announcesClose(status: number, headers: ResponseHeaders): boolean {
  return (
    status === HTTP_REQUEST_TIMEOUT && [headers.connection ?? []].flat().some((value) => CLOSE.test(value))
  );
}

function expire(request: PostbackRequest): void {
  request.expire();
}

function expireLookup(request: PostbackRequest): void {
  request.expireLookup();
}
