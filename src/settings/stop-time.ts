import { SECOND_MS } from '../time/units.ts';

/**
 * How long the steps of a stop after `shutdown_delay` and `shutdown_timeout` may take, one after the other, in
 * milliseconds. Whatever stops the process must wait for all of it.
 */
export const STOP_MS = {
  /** Until the last outcomes of postbacks are stored. */
  outcomes: 3 * SECOND_MS,
  /** Requests to Amazon SQS. Copies that were not sent or deleted then have no effect on postbacks. */
  queue: SECOND_MS,
  /** The last spans: the default of `OTEL_EXPORTER_OTLP_TIMEOUT`. */
  traces: 10 * SECOND_MS,
  /** The last lines of the log, if its reader is slow. */
  log: 2 * SECOND_MS,
} as const;

/** All of {@link STOP_MS}, in seconds. */
export const STOP_SECONDS = Object.values(STOP_MS).reduce((sum, ms) => sum + ms, 0) / SECOND_MS;
