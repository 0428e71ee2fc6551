import type { TracingSettings } from '../../settings/tracing-environment.ts';
import type { Logger } from '../log.ts';
import type { Tracing } from './tracing.ts';

/** Loads OpenTelemetry, which costs a start 40 ms and is not wanted by most, and begins to send spans. */
export async function openTracing(
  settings: TracingSettings,
  dependencies: { version: string; log: Logger },
): Promise<Tracing> {
  const { OpenTelemetryTracing } = await import('./open-telemetry.ts');
  return await OpenTelemetryTracing.open(settings, dependencies);
}
