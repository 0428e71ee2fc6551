import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readTracingEnvironment } from './tracing-environment.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const DEFAULTS = {
  protocol: 'http/protobuf',
  sampler: { root: 'always_on', ratio: 1, followsParent: true },
  propagates: true,
  batch: {},
  exportLimitMs: 10_000,
};

describe('the variables of OpenTelemetry', () => {
  test('turn traces on by an endpoint or an exporter', () => {
    for (const env of [
      ENDPOINT,
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' },
      { OTEL_TRACES_EXPORTER: 'otlp' },
      { OTEL_TRACES_EXPORTER: ' OTLP ', OTEL_SDK_DISABLED: 'false' },
    ])
      assert.deepEqual(
        readTracingEnvironment(env),
        { settings: DEFAULTS, warnings: [] },
        JSON.stringify(env),
      );
  });

  test('leave them off otherwise', () => {
    for (const env of [
      {},
      { OTEL_SERVICE_NAME: 'a' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
      { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' },
      { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
    ])
      assert.deepEqual(readTracingEnvironment(env), { settings: null, warnings: [] }, JSON.stringify(env));
  });

  test('choose protocol, sampler, propagation and batches', () => {
    const { settings, warnings } = readTracingEnvironment({
      ...ENDPOINT,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      OTEL_PROPAGATORS: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BSP_MAX_QUEUE_SIZE: '4096',
      OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '-1',
    });
    assert.deepEqual(warnings, []);
    assert.deepEqual(settings, {
      protocol: 'http/json',
      sampler: { root: 'traceidratio', ratio: 0.25, followsParent: true },
      propagates: false,
      batch: { scheduledDelayMillis: 100, maxQueueSize: 4096 },
      exportLimitMs: 2_500,
    });
    const always = readTracingEnvironment({ ...ENDPOINT, OTEL_TRACES_SAMPLER: 'always_off' }).settings;
    assert.deepEqual(always?.sampler, { root: 'always_off', ratio: 1, followsParent: false });
  });

  test('that have wrong values are named, and the default is used', () => {
    for (const [name, value] of [
      ['OTEL_TRACES_SAMPLER', 'jaeger_remote'],
      ['OTEL_PROPAGATORS', 'tracecontext,b3'],
      ['OTEL_BSP_MAX_QUEUE_SIZE', '-1'],
      ['OTEL_BSP_SCHEDULE_DELAY', 'soon'],
      ['OTEL_TRACES_EXPORTER', 'otlp,zipkin'],
    ] as const) {
      const { settings, warnings } = readTracingEnvironment({ ...ENDPOINT, [name]: value });
      assert.deepEqual(settings, DEFAULTS, name);
      assert.equal(warnings.length, 1, name);
      assert.ok(warnings[0]?.startsWith(`${name}: `), warnings[0]);
    }
    const ratio = readTracingEnvironment({
      ...ENDPOINT,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '2',
    });
    assert.deepEqual(ratio.settings?.sampler, { root: 'traceidratio', ratio: 1, followsParent: false });
    assert.match(ratio.warnings.join(), /^OTEL_TRACES_SAMPLER_ARG: 2 /);
  });

  test('that name an exporter or a protocol that does not exist turn traces off, with a warning', () => {
    for (const [name, value] of [
      ['OTEL_TRACES_EXPORTER', 'zipkin'],
      ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ] as const) {
      const { settings, warnings } = readTracingEnvironment({ ...ENDPOINT, [name]: value });
      assert.equal(settings, null);
      assert.equal(warnings.length, 1);
      assert.ok(warnings[0]?.includes(value), warnings[0]);
    }
  });
});
