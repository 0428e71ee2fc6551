import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startCollector } from '../support/collector.ts';
import { until } from '../support/service.ts';
import { startTarget } from '../support/target.ts';
import { addWebhook, CALLER, SOON, start, TRACE_ID, traceOf } from './trace-helpers.ts';

// Runs on SQLite alone: the export of traces does not depend on the database.

/**
 * Writes the addresses of all OpenTelemetry modules that the program loads to standard error. It leaves out the API
 * module, which prom-client loads and which does nothing by itself. In the bundle, the module that uses them has its
 * own file.
 */
const REPORT_LOADED = `
  import { registerHooks } from 'node:module';
  registerHooks({ load(url, context, next) {
    if (/\\/@opentelemetry\\/(?!api\\/)|\\/open-telemetry[-.]/.test(url)) process.stderr.write('loaded ' + url + '\\n');
    return next(url, context);
  } });`;

describe('the export of traces', () => {
  it('begins new ones if a caller sends none or a malformed one, and sends protobuf by default', async () => {
    await using collector = await startCollector();
    await using target = await startTarget();
    await using service = await start({ ...SOON, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await addWebhook(service.api, target);
    const malformed = { traceparent: `00-${TRACE_ID}-nothing-01` };
    for (const headers of [{}, malformed])
      assert.equal((await service.api.post('/accounts', { name: 'a' }, headers)).status, 201);
    await target.waitFor(2);
    const [one, other] = target.requests.map((postback) => traceOf(postback)[0]) as [string, string];
    assert.notEqual(one, TRACE_ID);
    assert.notEqual(other, one);
    for (const id of [one, other])
      await until(
        () => collector.requests.some(({ body }) => body.includes(Buffer.from(id, 'hex'))),
        `spans of the trace ${id}`,
      );
    assert.equal(collector.requests[0]!.headers['content-type'], 'application/x-protobuf');
  });

  it('drops them while the collector is down: one log line says so, another that it is back', async () => {
    const first = await startCollector();
    const { port } = first;
    await first[Symbol.asyncDispose]();
    await using target = await startTarget();
    await using service = await start({
      ...SOON,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TIMEOUT: '1500',
      OTEL_BSP_MAX_QUEUE_SIZE: '8',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4',
    });
    const { api, program } = service;
    await addWebhook(api, target);
    const report = () => program.logLines.filter((line) => line.class === 'Tracing');
    const cause = async () => {
      const before = target.requests.length;
      assert.equal((await api.post('/accounts', { name: 'a' })).status, 201);
      await target.waitFor(before + 1);
    };
    await until(async () => {
      await cause();
      return report().length > 0;
    }, 'a line about the collector');
    for (let n = 0; n < 200; n++) await cause();
    const began = 'traces cannot be sent: they are dropped until the collector accepts them';
    assert.deepEqual(report().map(({ level, msg }) => [level, msg])[0], ['error', began]);
    assert.equal(report().filter(({ msg }) => msg === began).length, 1);
    // Those that do not fit into the queue are dropped without a line of their own.
    assert.deepEqual(
      report().filter(({ level }) => level !== 'error'),
      [],
    );

    await using collector = await startCollector(port);
    await until(async () => {
      await api.post('/accounts', { name: 'b' });
      return report().some(({ msg }) => msg === 'traces are sent again');
    }, 'a line that traces are sent again');
    assert.ok(collector.spans.length > 0);
    assert.deepEqual(await program.end('SIGTERM'), { code: 0, signal: null });
  });

  it('includes work in progress before the service stops', async () => {
    await using collector = await startCollector();
    await using service = await start({
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    });
    await service.api.post('/accounts', { name: 'a' }, CALLER);
    assert.deepEqual(await service.program.end('SIGTERM'), { code: 0, signal: null });
    assert.ok(collector.spans.some(({ traceId, name }) => traceId === TRACE_ID && name === 'POST /accounts'));
  });

  it('does not keep a stop waiting for a collector whose response does not end', async () => {
    await using collector = await startCollector();
    collector.responses = 'endless';
    await using service = await start({
      // All spans of the test are in one export.
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
      OTEL_BSP_SCHEDULE_DELAY: '1000',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_TIMEOUT: '1000',
    });
    await service.api.post('/accounts', { name: 'a' }, CALLER);
    await until(() => collector.requests.length > 0, 'an export');
    const ends: unknown[] = [];
    void service.program.end('SIGTERM').then((end) => ends.push(end));
    await until(() => ends.length > 0, 'the end of the program');
    assert.deepEqual(ends, [{ code: 0, signal: null }]);
  });

  it('is disabled without the variables: OpenTelemetry is not loaded, and no header is sent', async () => {
    await using target = await startTarget();
    for (const env of [
      {},
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_TRACES_EXPORTER: 'none' },
    ] as Record<string, string>[]) {
      await using service = await start(env, { preload: REPORT_LOADED });
      const before = target.requests.length;
      await addWebhook(service.api, target);
      await service.api.post('/accounts', { name: 'a' }, CALLER);
      await target.waitFor(before + 1);
      assert.equal(target.requests.at(-1)!.headers.traceparent, undefined);
      assert.deepEqual(await service.program.end('SIGTERM'), { code: 0, signal: null });
      assert.doesNotMatch(await service.program.errorText, /loaded/, JSON.stringify(env));
      assert.ok(!service.program.logLines.some((line) => 'trace_id' in line));
    }
    // The same report does show it when it is loaded.
    await using service = await start({ OTEL_TRACES_EXPORTER: 'otlp' }, { preload: REPORT_LOADED });
    await service.program.end('SIGKILL');
    assert.match(await service.program.errorText, /loaded .*\/open-telemetry[-.]/);
  });
});
