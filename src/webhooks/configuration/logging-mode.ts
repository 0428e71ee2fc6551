import type { Topic } from '../../events/catalogue.ts';
import { isAtLeastAsVerboseAs, type LogLevel } from '../../observability/log-level.ts';

/** How much is logged of a webhook's deliveries, in the configuration's spelling (section 6.3). */
export const LOGGING_MODES = ['NONE', 'SUMMARY', 'FULL', 'FULLONERROR'] as const;
export type LoggingMode = (typeof LOGGING_MODES)[number];

/** The same in the spelling of postback messages (section 6.2). */
export type MessageLoggingMode = 'NONE' | 'SUMMARY' | 'FULL' | 'FULL_ON_ERROR';

/** How much of one delivery is logged. */
export type LogExtent = 'nothing' | 'summary' | 'full';

/** The class that triggers a topic's events: its custom log level is one that section 6.3 looks at. */
export const TRIGGERING_CLASSES = {
  ACCOUNT: 'AccountService',
  ACCOUNT_CONTENT: 'AccountContentService',
  COURSE: 'CourseService',
  REGISTRATION: 'RegistrationService',
} as const satisfies Record<Topic, string>;

/** The log levels that bear on a logging mode. */
export interface RelevantLevels {
  readonly generalLevel: LogLevel;
  /** The level of the class that triggers the event; the general one when it has none of its own. */
  readonly classLevel: LogLevel;
}

/**
 * The logging mode that counts (section 6.3): FULL when the service or the triggering class is at debug or more
 * verbose, else the webhook's own, which no less verbose level lowers.
 */
export function effectiveLoggingMode(mode: LoggingMode, levels: RelevantLevels): LoggingMode {
  return isAtLeastAsVerboseAs(levels.generalLevel, 'debug') ||
    isAtLeastAsVerboseAs(levels.classLevel, 'debug')
    ? 'FULL'
    : mode;
}

/** What an effective logging mode asks to be logged of a delivery that went well or not. */
export function whatToLog(mode: LoggingMode, succeeded: boolean): LogExtent {
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

/** A logging mode as postback messages spell it. */
export function messageLoggingMode(mode: LoggingMode): MessageLoggingMode {
  return mode === 'FULLONERROR' ? 'FULL_ON_ERROR' : mode;
}
