/**
 * The place of a span in its trace, as header fields of W3C Trace Context: `traceparent`, and `tracestate` if the
 * caller of the service sent one.
 */
export type TraceHeaders = Readonly<Record<string, string>>;

/** Values of a span, by name. Neither credentials nor personal data belong in one: collectors are other systems. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** How a span begins. */
export interface SpanOptions {
  /** Default: `internal`, work of the service itself. */
  kind?: 'internal' | 'server' | 'client' | 'producer';
  /** The parent. Undefined: the active span, if there is one. Null: none, a new trace. */
  parent?: TraceHeaders | null | undefined;
  attributes?: SpanAttributes;
  /** Epoch milliseconds. Default: now. */
  startedAt?: number;
}

/** A piece of work that is being traced. */
export interface TraceSpan {
  /** What others need to continue the trace below this span. Empty if nothing is propagated. */
  readonly headers: TraceHeaders;
  /** Runs work with this span as the active one, even after each `await`. */
  run<T>(work: () => T): T;
  set(attributes: SpanAttributes): void;
  /** Marks the work as failed. */
  fail(reason: string): void;
  /** Ends the span, once. Later calls have no effect. A span that never ends is never sent. */
  end(): void;
}

/** The ids of the active span, as members of a log line. */
export type TraceFields = Readonly<{ trace_id: string; span_id: string }>;

/** Traces the work of the service. It exists only if the `OTEL_…` variables ask for traces. */
export interface Tracing extends AsyncDisposable {
  startSpan(name: string, options?: SpanOptions): TraceSpan;
  /** Whether work is running that belongs to a span. */
  isActive(): boolean;
  /** Undefined outside of any span. */
  logFields(): TraceFields | undefined;
}
