import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { until } from './until.ts';

/** The numbers of span kinds in OTLP. */
export const SPAN_KINDS = { internal: 1, server: 2, client: 3, producer: 4 } as const;
/** The time between two bytes of an endless response: shorter than any time limit for silence. */
const DRIP_MS = 100;
/** The number of the error status in OTLP. */
export const ERROR_STATUS = 2;

/** A span as a collector received it in JSON. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | null;
  traceState: string | null;
  name: string;
  kind: number;
  /** Epoch milliseconds. */
  startedAt: number;
  endedAt: number;
  attributes: Record<string, unknown>;
  status: { code: number; message?: string };
  resource: Record<string, unknown>;
}

/** A request as a collector received it, decompressed. */
export interface CollectedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** An OpenTelemetry collector: a real HTTP server that accepts OTLP and decodes JSON. */
export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly CollectedRequest[];
  /** Whether responses end, or only their bytes arrive one by one. */
  responses: 'complete' | 'endless';
  /** Every span that was sent in JSON so far. */
  readonly spans: readonly CollectedSpan[];
  /** Waits for spans that meet a condition. */
  waitFor(isWanted: (span: CollectedSpan) => boolean, count?: number): Promise<CollectedSpan[]>;
}

/** Starts a collector on a port of 127.0.0.1. @param port 0 for a free one */
export async function startCollector(port = 0): Promise<Collector> {
  const requests: CollectedRequest[] = [];
  const spans: CollectedSpan[] = [];
  const server = createServer(async (request, response) => {
    const received = await buffer(request);
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(received) : received;
    requests.push({ path: request.url ?? '', headers: request.headers, body });
    const type = request.headers['content-type'] ?? '';
    if (type.startsWith('application/json')) spans.push(...spansOf(JSON.parse(body.toString())));
    response.writeHead(200, { 'content-type': type });
    if (collector.responses === 'endless') {
      const drip = setInterval(() => response.write(' '), DRIP_MS);
      response.once('close', () => clearInterval(drip));
      return;
    }
    response.end(type.startsWith('application/json') ? '{}' : '');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: listening } = server.address() as AddressInfo;
  const collector: Collector = {
    url: `http://127.0.0.1:${listening}`,
    port: listening,
    requests,
    responses: 'complete',
    spans,
    waitFor: (isWanted, count = 1) =>
      until(
        () => {
          const found = spans.filter(isWanted);
          return found.length >= count && found;
        },
        `${count} such spans; there are ${JSON.stringify(spans.map(({ name }) => name))}`,
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return collector;
}

interface OtlpAttribute {
  key: string;
  value: Record<string, unknown>;
}

// biome-ignore lint/suspicious/noExplicitAny: OTLP in JSON.
function spansOf(body: any): CollectedSpan[] {
  const found: CollectedSpan[] = [];
  for (const { resource, scopeSpans } of body.resourceSpans)
    for (const { spans } of scopeSpans)
      for (const span of spans)
        found.push({
          traceId: span.traceId,
          spanId: span.spanId,
          parentSpanId: span.parentSpanId ?? null,
          traceState: span.traceState ?? null,
          name: span.name,
          kind: span.kind,
          startedAt: Number(span.startTimeUnixNano) / 1e6,
          endedAt: Number(span.endTimeUnixNano) / 1e6,
          attributes: valuesOf(span.attributes),
          status: span.status,
          resource: valuesOf(resource.attributes),
        });
  return found;
}

function valuesOf(attributes: readonly OtlpAttribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? doubleValue ?? boolValue ?? (intValue === undefined ? undefined : Number(intValue)),
    ]),
  );
}
