import type { TracingSettings } from '../../settings/tracing-environment.ts';
import type { Logger } from '../log.ts';
import type { Tracing } from './tracing.ts';

/**
 * Loads OpenTelemetry and starts to send spans. It is loaded on demand, because it takes 40 ms and few installations
 * use it.
 */
export async function openTracing(
  settings: TracingSettings,
  dependencies: { version: string; log: Logger },
): Promise<Tracing> {
  const { OpenTelemetryTracing } = await import('./open-telemetry.ts');
  return await OpenTelemetryTracing.open(settings, dependencies);
}
