import assert from 'node:assert/strict';
import { Api, createClient, requestToken, temporaryFolder } from '../support/service.ts';
import { startProcess } from '../support/service-process.ts';
import type { Target } from '../support/target.ts';
import { webhookInput } from '../webhooks/webhook-expectations.ts';

export const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
export const CALLER_SPAN = 'b7ad6b7169203331';
export const CALLER = { traceparent: `00-${TRACE_ID}-${CALLER_SPAN}-01`, tracestate: 'vendor=opaque' };
/** Spans are sent soon after they end. */
export const SOON = { OTEL_BSP_SCHEDULE_DELAY: '20' };
/** A program with traces as `env` says, and an API client that may do everything. */
export async function start(env: Readonly<Record<string, string>>, options: { preload?: string } = {}) {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const program = stack.use(
    await startProcess({ data_dir: folder.path, log_level: 'debug', port: 0 }, { ...options, env }),
  );
  const { clientId, clientSecret } = await createClient(folder.path);
  const api = new Api(program.url, await requestToken(program.url, clientId, clientSecret));
  const started = stack.move();
  return { program, api, [Symbol.asyncDispose]: () => started.disposeAsync() };
}

export const addWebhook = async (api: Api, target: Target) =>
  (await api.create('/webhooks', webhookInput({ target_url: `${target.url}/secret-path?key=hidden` })))
    .id as number;

/** The trace that a target was asked to continue: the ids of the trace and of the span. */
export function traceOf({ headers }: { headers: Readonly<Record<string, unknown>> }): [string, string] {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(String(headers.traceparent)) ?? [];
  assert.ok(traceId !== undefined && spanId !== undefined, `traceparent: ${headers.traceparent}`);
  return [traceId, spanId];
}
