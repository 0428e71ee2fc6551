import { createLogs, type Logs } from '../../src/observability/log.ts';
import type { LogLevel } from '../../src/settings/log-level.ts';

/** A line of the log, parsed. */
export interface LogLine {
  readonly level: string;
  readonly msg: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the fields of the lines that it reads.
  readonly [field: string]: any;
}

/** Logs that write nothing. */
export const SILENT_LOGS: Logs = createLogs({
  level: 'silent',
  customLevels: {},
  destination: { write: () => {} },
});

/** Logs for a test, and the lines that are written to them, in order. */
export function recordedLogs(
  level: LogLevel = 'info',
  customLevels: Record<string, LogLevel> = {},
): { logs: Logs; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { logs: createLogs({ level, customLevels, destination }), lines };
}
