import type { Topic } from '../../events/catalogue.ts';
import { isAtLeastAsVerboseAs, type LogLevel } from '../../settings/log-level.ts';

/** How detailed a webhook's deliveries are logged, as spelled in the configuration. */
export const LOGGING_MODES = ['NONE', 'SUMMARY', 'FULL', 'FULLONERROR'] as const;
export type LoggingMode = (typeof LOGGING_MODES)[number];

/** A logging mode as spelled in messages. */
export type MessageLoggingMode = 'NONE' | 'SUMMARY' | 'FULL' | 'FULL_ON_ERROR';

/** How detailed one delivery is logged. */
export type LogExtent = 'nothing' | 'summary' | 'full';

/** The class that triggers a topic's events, whose custom log level counts. */
export const TRIGGERING_CLASSES = {
  ACCOUNT: 'AccountService',
  ACCOUNT_CONTENT: 'AccountContentService',
  COURSE: 'CourseService',
  REGISTRATION: 'RegistrationService',
} as const satisfies Record<Topic, string>;

/** The log levels that affect a logging mode. */
export interface RelevantLevels {
  readonly generalLevel: LogLevel;
  /** The level of the class that triggers the event: its custom level, otherwise the general one. */
  readonly classLevel: LogLevel;
}

/**
 * The effective logging mode: FULL if the service or the triggering class logs at debug or more verbosely, otherwise
 * the webhook's own mode. A less verbose level does not lower it.
 */
export function effectiveLoggingMode(mode: LoggingMode, levels: RelevantLevels): LoggingMode {
  return isAtLeastAsVerboseAs(levels.generalLevel, 'debug') ||
    isAtLeastAsVerboseAs(levels.classLevel, 'debug')
    ? 'FULL'
    : mode;
}

/** How detailed a success or a failure is logged in an effective logging mode. */
export function logExtentOf(mode: LoggingMode, succeeded: boolean): LogExtent {
  switch (mode) {
    case 'NONE':
      return 'nothing';
    case 'SUMMARY':
      return 'summary';
    case 'FULL':
      return 'full';
    case 'FULLONERROR':
      return succeeded ? 'summary' : 'full';
  }
}

/** A logging mode as spelled in messages. */
export function messageLoggingMode(mode: LoggingMode): MessageLoggingMode {
  return mode === 'FULLONERROR' ? 'FULL_ON_ERROR' : mode;
}
