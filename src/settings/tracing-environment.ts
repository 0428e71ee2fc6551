import { SECOND_MS } from '../time/units.ts';

/** How spans are sampled: the names of `OTEL_TRACES_SAMPLER` without the prefix `parentbased_`. */
export type RootSampler = 'always_on' | 'always_off' | 'traceidratio';

/** The `OTEL_…` variables about traces, except those that the OTLP exporter reads by itself. */
export interface TracingSettings {
  protocol: 'http/protobuf' | 'http/json';
  sampler: {
    root: RootSampler;
    /** For `traceidratio`: the sampled share, from 0 to 1. */
    ratio: number;
    /** Whether a span that has a parent is sampled if its parent is. */
    followsParent: boolean;
  };
  /** Whether `traceparent` is read from requests and sent to targets. */
  propagates: boolean;
  /** How finished spans are sent. A member that is missing has the default of OpenTelemetry. */
  batch: Partial<
    Record<'scheduledDelayMillis' | 'exportTimeoutMillis' | 'maxQueueSize' | 'maxExportBatchSize', number>
  >;
  /** How long an export may take, which the exporter reads, too. In milliseconds. */
  exportLimitMs: number;
}

/** The settings of traces, or null if there are none, with a sentence for each variable that has no effect. */
export interface TracingEnvironment {
  settings: TracingSettings | null;
  warnings: string[];
}

const BATCH_VARIABLES = {
  scheduledDelayMillis: 'OTEL_BSP_SCHEDULE_DELAY',
  exportTimeoutMillis: 'OTEL_BSP_EXPORT_TIMEOUT',
  maxQueueSize: 'OTEL_BSP_MAX_QUEUE_SIZE',
  maxExportBatchSize: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE',
} as const;
const PARENT_BASED = 'parentbased_';
const DEFAULT_SAMPLER = `${PARENT_BASED}always_on`;
const ROOT_SAMPLERS: ReadonlySet<string> = new Set<RootSampler>(['always_on', 'always_off', 'traceidratio']);
const DEFAULT_PROTOCOL = 'http/protobuf';
const DEFAULT_EXPORT_LIMIT_MS = 10 * SECOND_MS;
/** A longer timer ends at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Reads the variables that OpenTelemetry defines. Traces are on if an exporter is chosen, or none is and there is an
 * endpoint. As OpenTelemetry requires, a wrong value never prevents the start: it is reported and ignored.
 */
export function readTracingEnvironment(env: NodeJS.ProcessEnv): TracingEnvironment {
  const warnings: string[] = [];
  const read = (...names: string[]) => {
    for (const name of names) {
      const value = env[name]?.trim();
      if (value !== undefined && value !== '') return { name, value };
    }
    return null;
  };
  const off = { settings: null, warnings };
  if (read('OTEL_SDK_DISABLED')?.value.toLowerCase() === 'true') return off;

  const exporter = read('OTEL_TRACES_EXPORTER');
  if (exporter === null) {
    if (read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT') === null) return off;
  } else {
    const names = exporter.value.split(',').map((name) => name.trim().toLowerCase());
    const unknown = names.filter((name) => name !== 'otlp' && name !== 'none');
    if (unknown.length > 0) {
      warnings.push(`OTEL_TRACES_EXPORTER: ${unknown.join(', ')} is not supported, only otlp and none are`);
    }
    if (!names.includes('otlp')) return off;
  }

  const protocol = read('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== null && protocol.value !== 'http/json' && protocol.value !== DEFAULT_PROTOCOL) {
    warnings.push(
      `${protocol.name}: ${protocol.value} is not supported, so nothing is traced; use http/protobuf or http/json`,
    );
    return off;
  }
  return {
    settings: {
      protocol: protocol?.value === 'http/json' ? 'http/json' : DEFAULT_PROTOCOL,
      sampler: readSampler(
        read('OTEL_TRACES_SAMPLER')?.value ?? DEFAULT_SAMPLER,
        read('OTEL_TRACES_SAMPLER_ARG')?.value,
        warnings,
      ),
      propagates: readPropagators(read('OTEL_PROPAGATORS')?.value, warnings),
      batch: readBatch((name) => read(name)?.value, warnings),
      exportLimitMs: readExportLimit(
        read('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT')?.value,
        read('OTEL_EXPORTER_OTLP_TIMEOUT')?.value,
      ),
    },
    warnings,
  };
}

function readSampler(
  name: string,
  argument: string | undefined,
  warnings: string[],
): TracingSettings['sampler'] {
  const lower = name.toLowerCase();
  const followsParent = lower.startsWith(PARENT_BASED);
  const root = followsParent ? lower.slice(PARENT_BASED.length) : lower;
  if (!ROOT_SAMPLERS.has(root)) {
    warnings.push(`OTEL_TRACES_SAMPLER: ${name} is not supported; ${DEFAULT_SAMPLER} is used`);
    return { root: 'always_on', ratio: 1, followsParent: true };
  }
  const ratio = root !== 'traceidratio' || argument === undefined ? 1 : Number(argument);
  if (!(ratio >= 0 && ratio <= 1)) {
    warnings.push(`OTEL_TRACES_SAMPLER_ARG: ${argument} is not a number from 0 to 1; 1 is used`);
    return { root: root as RootSampler, ratio: 1, followsParent };
  }
  return { root: root as RootSampler, ratio, followsParent };
}

function readPropagators(value: string | undefined, warnings: string[]): boolean {
  if (value === undefined) return true;
  const names = value.split(',').map((name) => name.trim().toLowerCase());
  const unknown = names.filter((name) => !['tracecontext', 'baggage', 'none'].includes(name));
  if (unknown.length > 0) {
    warnings.push(`OTEL_PROPAGATORS: ${unknown.join(', ')} is not supported, only tracecontext is`);
  }
  return names.includes('tracecontext');
}

/** The first valid one, as far as a timer can wait. The exporter reports those that are not valid. */
function readExportLimit(...values: (string | undefined)[]): number {
  const given = values.map(Number).find((ms) => Number.isFinite(ms) && ms > 0);
  return Math.min(given ?? DEFAULT_EXPORT_LIMIT_MS, LONGEST_TIMER_MS);
}

function readBatch(read: (name: string) => string | undefined, warnings: string[]): TracingSettings['batch'] {
  const batch: TracingSettings['batch'] = {};
  for (const [member, name] of Object.entries(BATCH_VARIABLES)) {
    const value = read(name);
    if (value === undefined) continue;
    const number = Number(value);
    if (Number.isSafeInteger(number) && number > 0) batch[member as keyof typeof BATCH_VARIABLES] = number;
    else warnings.push(`${name}: ${value} is not a positive integer; the default is used`);
  }
  return batch;
}
