import type { TraceHeaders, TraceSpan, Tracing } from '../observability/tracing/tracing.ts';
import type { ReceivedMessage } from '../queue/message-queue.ts';
import { waitingSince } from '../queue/waiting-since.ts';
import type { DeliveryTarget } from '../webhooks/delivery-targets.ts';
import { LOWEST_FAILURE_STATUS } from '../webhooks/history/postback-failure.ts';
import type { AttemptSettlement } from '../webhooks/history/record-outcomes.ts';
import { messageAttributes, traceHeadersOf } from '../webhooks/messages/message-traces.ts';
import type { SendPostback } from '../webhooks/test-messages/test-message.ts';
import { statusReason } from './failure-reason.ts';
import type { PostbackResult } from './postback-request.ts';

/** The result of an attempt, by the action of its settlement. */
const OUTCOMES = {
  delete: 'delivered',
  retry: 'retry',
  'dead-letter': 'dead_letter',
} as const satisfies Record<AttemptSettlement['action'], string>;
const SCHEME_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/** Records attempts as spans, below the spans of their messages. */
export class AttemptTraces {
  readonly #tracing: Tracing;
  readonly #now: () => number;

  /** @param now the clock of the queue, in epoch milliseconds */
  constructor(tracing: Tracing, now: () => number) {
    this.#tracing = tracing;
    this.#now = now;
  }

  /**
   * Starts the span of an attempt. The first attempt also ends the wait in the line, which becomes a span of its own.
   */
  start(message: ReceivedMessage, target: DeliveryTarget): AttemptTrace {
    const parent = traceHeadersOf(message);
    const attributes = messageAttributes(message);
    const waitedMs = Math.max(0, this.#now() - waitingSince(message));
    const span = this.#tracing.startSpan(`deliver ${message.label}`, {
      kind: 'client',
      parent,
      attributes: {
        ...attributes,
        'coursewire.attempt': message.receiveCount,
        'coursewire.queue.wait_ms': waitedMs,
        'http.request.method': 'POST',
        ...serverAttributes(target.targetUrl),
      },
    });
    if (message.receiveCount === 1) {
      // Without a stored context the attempt is the root of the trace.
      this.#tracing
        .startSpan(`wait ${message.label}`, {
          parent: parent ?? span.headers,
          attributes,
          startedAt: waitingSince(message),
        })
        .end();
    }
    return new AttemptTrace(span);
  }
}

/** The span of an attempt. */
export class AttemptTrace {
  readonly #span: TraceSpan;

  constructor(span: TraceSpan) {
    this.#span = span;
  }

  /** The headers with which the target can continue the trace. */
  get headers(): TraceHeaders {
    return this.#span.headers;
  }

  run<T>(work: () => T): T {
    return this.#span.run(work);
  }

  /**
   * Ends the span of an attempt that counts: the message was delivered, waits for the next attempt, or is a dead
   * letter.
   */
  settled(result: PostbackResult, settlement: AttemptSettlement): void {
    const { action } = settlement;
    this.#span.set({
      'coursewire.outcome': OUTCOMES[action],
      ...(result.status === null ? {} : { 'http.response.status_code': result.status }),
      ...(action === 'retry'
        ? { 'coursewire.retry_at': new Date(settlement.availableAt).toISOString() }
        : {}),
    });
    if (action !== 'delete') this.#span.fail(ownReason(result) ?? 'unknown');
    this.#span.end();
  }

  /** Ends the span of an attempt that does not count: nothing was sent, or the request was aborted. */
  putBack(result: PostbackResult): void {
    this.#span.set({ 'coursewire.outcome': 'put_back' });
    this.#span.fail(ownReason(result) ?? 'stopped');
    this.#span.end();
  }
}

/** Records test messages as spans, below the spans of the requests for them. */
export function traceTestMessages(tracing: Tracing, send: SendPostback): SendPostback {
  return async (postback) => {
    const span = tracing.startSpan('deliver test message', {
      kind: 'client',
      attributes: {
        'messaging.message.id': postback.messageId,
        'http.request.method': 'POST',
        ...serverAttributes(postback.url),
      },
    });
    const extraHeaders = { ...postback.extraHeaders, ...span.headers };
    const result = await span.run(() => send({ ...postback, extraHeaders }));
    if (result.status !== null) span.set({ 'http.response.status_code': result.status });
    if (result.outcome === 'FAILED') span.fail(ownReason(result) ?? 'unknown');
    span.end();
    return result;
  };
}

/**
 * Why an attempt failed, without the words of the target. These may repeat its URL, or have another one, and URLs may
 * contain secrets.
 */
function ownReason({ status, reason }: Pick<PostbackResult, 'status' | 'reason'>): string | null {
  return status !== null && status >= LOWEST_FAILURE_STATUS ? statusReason(status, null) : reason;
}

/** The host and port of a target, without path and query, which may contain secrets. */
function serverAttributes(targetUrl: string): Record<string, string | number> {
  if (!URL.canParse(targetUrl)) return {};
  const { protocol, hostname, port } = new URL(targetUrl);
  return {
    'server.address': hostname,
    'server.port': port === '' ? (SCHEME_PORTS[protocol] ?? 0) : Number(port),
  };
}
