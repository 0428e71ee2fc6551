import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../log.ts';
import { OutageLog } from '../outage-log.ts';

/**
 * Exports spans, and logs when the collector stops and starts to accept them. Spans that it does not accept are
 * dropped.
 */
export class ReportedExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #outage: OutageLog;

  constructor(exporter: SpanExporter, log: Logger) {
    this.#exporter = exporter;
    this.#outage = new OutageLog(log);
  }

  /** Whether the collector accepted nothing the last time. */
  get isOutage(): boolean {
    return this.#outage.durationMs !== null;
  }

  export(spans: ReadableSpan[], onResult: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#outage.ended('traces are sent again');
      else {
        this.#outage.failed(
          {
            begins: 'traces cannot be sent: they are dropped until the collector accepts them',
            continues: 'traces still cannot be sent',
          },
          { error: result.error },
        );
      }
      onResult(result);
    });
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.();
  }

  async shutdown(): Promise<void> {
    await this.#exporter.shutdown();
  }
}
