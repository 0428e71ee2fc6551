import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import {
  type Context,
  type DiagLogger,
  DiagLogLevel,
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TracingSettings } from '../../settings/tracing-environment.ts';
import { MINUTE_MS } from '../../time/units.ts';
import { within } from '../../time/within.ts';
import type { Logger } from '../log.ts';
import { ReportedExporter } from './reported-exporter.ts';
import type {
  SpanAttributes,
  SpanOptions,
  TraceFields,
  TraceHeaders,
  TraceSpan,
  Tracing,
} from './tracing.ts';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
} as const;
const NOTHING: TraceHeaders = {};
/** The SDK's warning. */
const DROPPED_SPANS = /^Dropped (\d+) spans\b/;
const DROPS_LOG_INTERVAL_MS = MINUTE_MS;

/** Traces with the SDK of OpenTelemetry. Nothing is registered globally except the handlers of its own errors. */
export class OpenTelemetryTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #active = new AsyncLocalStorage<Context>();
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #propagates: boolean;
  readonly #exportLimitMs: number;

  /** Use {@link OpenTelemetryTracing.open}. */
  private constructor(
    provider: TracerProvider,
    {
      version,
      propagates,
      exportLimitMs,
    }: { version: string } & Pick<TracingSettings, 'propagates' | 'exportLimitMs'>,
  ) {
    this.#provider = provider;
    this.#tracer = provider.getTracer('coursewire', version);
    this.#propagates = propagates;
    this.#exportLimitMs = exportLimitMs;
  }

  /** Begins to send spans to the collector that the environment names. */
  static async open(
    settings: TracingSettings,
    { version, log }: { version: string; log: Logger },
  ): Promise<OpenTelemetryTracing> {
    let exporter: ReportedExporter | null = null;
    const isOutage = () => exporter?.isOutage ?? false;
    diag.setLogger(warningsTo(log, isOutage), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    // Failed exports are reported below.
    setGlobalErrorHandler(() => {});
    exporter = new ReportedExporter(await createExporter(settings.protocol), log);
    const resource = defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': 'coursewire',
          'service.version': version,
          'service.instance.id': randomUUID(),
        }),
      )
      .merge(detectResources({ detectors: [envDetector] }));
    const provider = new TracerProvider({
      resource,
      sampler: samplerOf(settings.sampler),
      spanProcessors: [new BatchSpanProcessor({ ...settings.batch, exporter })],
    });
    return new OpenTelemetryTracing(provider, { ...settings, version });
  }

  startSpan(name: string, { kind = 'internal', parent, attributes, startedAt }: SpanOptions = {}): TraceSpan {
    const parentContext = this.#contextOf(parent);
    const span = this.#tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        ...(attributes === undefined ? {} : { attributes: { ...attributes } }),
        ...(startedAt === undefined ? {} : { startTime: startedAt }),
      },
      parentContext,
    );
    return new OpenTelemetrySpan(span, trace.setSpan(parentContext, span), this.#active, (context) =>
      this.#headersOf(context),
    );
  }

  isActive(): boolean {
    return this.#active.getStore() !== undefined;
  }

  logFields(): TraceFields | undefined {
    const context = this.#active.getStore();
    const span = context === undefined ? undefined : trace.getSpanContext(context);
    if (span === undefined || !isSpanContextValid(span)) return undefined;
    return { trace_id: span.traceId, span_id: span.spanId };
  }

  /**
   * Sends the remaining spans, for at most the time limit of an export. The SDK would wait for a response that does not end,
   * because it limits only the time in which nothing arrives.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    // A failure was reported by the exporter, and must not fail the stop.
    const sent = this.#provider.shutdown().catch(() => {});
    await within(this.#exportLimitMs, sent, () => {});
  }

  #contextOf(parent: TraceHeaders | null | undefined): Context {
    if (parent === undefined) return this.#active.getStore() ?? ROOT_CONTEXT;
    if (parent === null) return ROOT_CONTEXT;
    return this.#propagator.extract(ROOT_CONTEXT, parent, defaultTextMapGetter);
  }

  #headersOf(context: Context): TraceHeaders {
    if (!this.#propagates) return NOTHING;
    const headers: Record<string, string> = {};
    this.#propagator.inject(context, headers, defaultTextMapSetter);
    return headers;
  }
}

class OpenTelemetrySpan implements TraceSpan {
  readonly #span: Span;
  readonly #context: Context;
  readonly #active: AsyncLocalStorage<Context>;
  readonly #headersOf: (context: Context) => TraceHeaders;
  #ended = false;

  constructor(
    span: Span,
    context: Context,
    active: AsyncLocalStorage<Context>,
    headersOf: (context: Context) => TraceHeaders,
  ) {
    this.#span = span;
    this.#context = context;
    this.#active = active;
    this.#headersOf = headersOf;
  }

  get headers(): TraceHeaders {
    return this.#headersOf(this.#context);
  }

  run<T>(work: () => T): T {
    return this.#active.run(this.#context, work);
  }

  set(attributes: SpanAttributes): void {
    this.#span.setAttributes({ ...attributes });
  }

  fail(reason: string): void {
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message: reason });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#span.end();
  }
}

async function createExporter(protocol: TracingSettings['protocol']): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter();
}

function samplerOf({ root, ratio, followsParent }: TracingSettings['sampler']): Sampler {
  const sampler =
    root === 'always_on'
      ? new AlwaysOnSampler()
      : root === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return followsParent ? new ParentBasedSampler({ root: sampler }) : sampler;
}

/**
 * Logs the warnings of the SDK, such as an endpoint that is not a URL, without their arguments. The SDK reports dropped
 * spans every few seconds. They get one line a minute, and none during an outage, which is reported anyway.
 */
function warningsTo(log: Logger, isOutage: () => boolean): DiagLogger {
  let dropped = 0;
  let loggedAt = Number.NEGATIVE_INFINITY;
  const drops = (spans: number) => {
    dropped += spans;
    const now = performance.now();
    if (isOutage() || now - loggedAt < DROPS_LOG_INTERVAL_MS) return;
    loggedAt = now;
    log.warn('spans were dropped: more of them finish than the collector accepts', { spans: dropped });
    dropped = 0;
  };
  // Values of variables are in quotes, and may contain credentials.
  const warn = (text: string) => {
    const [, spans] = DROPPED_SPANS.exec(text) ?? [];
    if (spans === undefined) log.warn(`OpenTelemetry: ${text.replaceAll(/'[^']*'/g, "'…'")}`);
    else drops(Number(spans));
  };
  const drop = () => {};
  return { error: warn, warn, info: drop, debug: drop, verbose: drop };
}
