import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TraceHeaders, TraceSpan, Tracing } from '../observability/tracing/tracing.ts';

const SERVER_ERRORS_FROM = 500;

/** Which requests of a server are traced, and how. */
export interface RequestTraces {
  /** Whether a request is worth a span. */
  isTraced(request: FastifyRequest): boolean;
  /**
   * Whether the caller decides about the trace. If learners did, any of them could hide their events from all traces,
   * have all of their requests sampled, and send header fields to targets.
   */
  continuesTrace(request: FastifyRequest): boolean;
}

/**
 * Makes each request a span, perhaps below that of the caller who sent `traceparent`. Only the pattern of the path is
 * recorded, since paths and queries may contain tokens.
 */
export function traceRequests(
  server: FastifyInstance,
  tracing: Tracing,
  { isTraced, continuesTrace }: RequestTraces,
): void {
  const spans = new WeakMap<FastifyRequest, TraceSpan>();
  server.addHook('onRequest', (request, reply, done) => {
    if (!isTraced(request)) return done();
    const { method } = request;
    const { url: route } = request.routeOptions;
    const span = tracing.startSpan(route === undefined ? method : `${method} ${route}`, {
      kind: 'server',
      parent: continuesTrace(request) ? traceHeadersOf(request) : null,
      attributes: { 'http.request.method': method, ...(route === undefined ? {} : { 'http.route': route }) },
    });
    spans.set(request, span);
    reply.raw.once('close', () => {
      const { statusCode, writableFinished } = reply.raw;
      span.set({ 'http.response.status_code': statusCode });
      if (!writableFinished) span.fail('the connection was closed before the response was sent');
      else if (statusCode >= SERVER_ERRORS_FROM) span.fail(`status ${statusCode}`);
      span.end();
    });
    span.run(done);
  });
  // A body arrives in events of the connection, which know nothing of the span.
  server.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.run(done);
  });
}

function traceHeadersOf({ headers }: FastifyRequest): TraceHeaders {
  const { traceparent, tracestate } = headers;
  if (typeof traceparent !== 'string') return {};
  return { traceparent, ...(typeof tracestate === 'string' ? { tracestate } : {}) };
}
