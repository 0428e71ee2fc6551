/** The log levels by their configuration spelling, the most verbose first. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** A log level. `silent` writes nothing. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Whether a logger at `level` writes everything that one at `than` writes. */
export function isAtLeastAsVerboseAs(level: LogLevel, than: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(than);
}
