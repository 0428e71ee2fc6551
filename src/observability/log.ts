import { type Logger as Pino, pino } from 'pino';
import { isAtLeastAsVerboseAs, type LogLevel } from '../settings/log-level.ts';
import { censor, censorText } from './censor.ts';
import { StandardOutput } from './standard-output.ts';

/**
 * Members of a line in addition to its text. A credential is never written, and an `Error` as its type and message. Its
 * stack is added at debug level, at level `fatal`, and if {@link LineOptions} ask for it.
 */
export type LogFields = Readonly<Record<string, unknown>> & {
  readonly time?: never;
  readonly level?: never;
  readonly class?: never;
  readonly msg?: never;
};

/** How a line is written. */
export interface LineOptions {
  /** With the stacks of errors, because the failure is a bug: it may never happen again at debug level. */
  readonly stack?: boolean;
}

/** Writes the lines of one class. `msg` is a sentence for a person, `fields` are for machines. */
export interface Logger {
  trace(msg: string, fields?: LogFields): void;
  debug(msg: string, fields?: LogFields): void;
  info(msg: string, fields?: LogFields): void;
  warn(msg: string, fields?: LogFields): void;
  error(msg: string, fields?: LogFields, options?: LineOptions): void;
  fatal(msg: string, fields?: LogFields): void;
  /** Whether a line of this level is written. Check it before collecting expensive fields. */
  isEnabled(level: Exclude<LogLevel, 'silent'>): boolean;
}

/** The loggers of a service. */
export interface Logs {
  /** The general level, which applies to classes without a custom level. */
  readonly level: LogLevel;
  /** The logger of a class, at its custom level or the general one. */
  for(className: string): Logger;
  /** The level at which {@link Logs.for} writes for this class. */
  levelOf(className: string): LogLevel;
  /** A logger of a class that ignores levels, for lines that something else decides about. */
  always(className: string): Logger;
  /** Writes waiting lines now, if their destination accepts them: what is written elsewhere afterwards is below them. */
  flush(): void;
}

/** Where lines go: called once for each line, which ends in a line feed. */
export interface LogDestination {
  /** `isFatal` is whether its level is `fatal`. */
  write(line: string, isFatal: boolean): void;
  /** Writes lines that wait. Only for a destination where lines wait. */
  flush?(): void;
}

/** Options of {@link createLogs}. */
export interface LogOptions {
  readonly level: LogLevel;
  /** Class name → its custom level, more or less verbose than the general one. */
  readonly customLevels: Readonly<Record<string, LogLevel>>;
  /** Default: standard output. */
  readonly destination?: LogDestination;
  /** Epoch milliseconds. Default: the system's clock. */
  readonly now?: () => number;
  /** Further members of each line that is written, such as the ids of the trace that it belongs to. */
  readonly traceFields?: () => LogFields | undefined;
}

/**
 * Creates the loggers of a service: JSON lines with `level` (a word), `time` (ISO 8601 UTC), `class` and `msg`. Lines
 * are written within milliseconds, and at exit: only a killed process loses the last ones. If nobody reads them, the
 * service continues: see {@link StandardOutput}.
 */
export function createLogs(options: LogOptions): Logs {
  const { level, customLevels, now = Date.now, traceFields = null } = options;
  const destination = options.destination ?? standardOutput((lines) => reportDropped(lines));
  const root = pino(
    {
      level,
      base: null,
      timestamp: timestamper(now),
      formatters: { level: (label) => ({ level: label }) },
      // The default one would turn a field called `err` into an error with its stack.
      serializers: { err: (value: unknown) => value },
    },
    escapingDestination(destination),
  );

  const levelOf = (className: string): LogLevel =>
    (Object.hasOwn(customLevels, className) ? customLevels[className] : undefined) ?? level;
  const make = (className: string, lineLevel: LogLevel): Logger =>
    new ClassLogger(root.child({ class: className }, { level: lineLevel }), {
      stack: isAtLeastAsVerboseAs(levelOf(className), 'debug'),
      traceFields,
    });
  const reportDropped = (lines: number) =>
    make('Service', levelOf('Service')).error(
      'standard output did not accept lines of the log: they are lost',
      { lines },
    );
  return {
    level,
    levelOf,
    for: (className) => make(className, levelOf(className)),
    always: (className) => make(className, 'trace'),
    flush: () => destination.flush?.(),
  };
}

/**
 * Characters that JSON does not escape, but that control terminals (DEL, C1 controls) or reorder or hide text (bidi
 * controls, line separators, byte order marks).
 */
const DECEPTIVE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

const FATAL = pino.levels.values.fatal!;

/** Escapes deceptive characters. In a line of JSON, they occur only within texts. */
function escapingDestination(destination: LogDestination) {
  return {
    // With this, pino sets the level of each line before it is written.
    [pino.symbols.needsMetadataGsym]: true as const,
    lastLevel: pino.levels.values.info!,
    write(line: string): void {
      destination.write(
        line.replace(DECEPTIVE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`),
        this.lastLevel >= FATAL,
      );
    },
  };
}

/** Standard output, which is left alone until there is a line: commands without a log write to it in their own way. */
function standardOutput(reportDropped: (lines: number) => void): LogDestination {
  let output: StandardOutput | null = null;
  return {
    write(line, isFatal) {
      output ??= new StandardOutput(reportDropped);
      output.write(line, isFatal);
    },
    flush: () => output?.flush(),
  };
}

/** Lines of the same millisecond share its text, which takes 1 µs to format. */
function timestamper(now: () => number): () => string {
  let at = Number.NaN;
  let text = '';
  return () => {
    const time = now();
    if (time !== at) {
      at = time;
      text = `,"time":"${new Date(time).toISOString()}"`;
    }
    return text;
  };
}

class ClassLogger implements Logger {
  readonly #pino: Pino;
  readonly #stack: boolean;
  readonly #traceFields: LogOptions['traceFields'] | null;

  constructor(
    target: Pino,
    { stack, traceFields }: { stack: boolean; traceFields: LogOptions['traceFields'] | null },
  ) {
    this.#pino = target;
    this.#stack = stack;
    this.#traceFields = traceFields;
  }

  trace(msg: string, fields?: LogFields): void {
    this.#write('trace', msg, fields);
  }

  debug(msg: string, fields?: LogFields): void {
    this.#write('debug', msg, fields);
  }

  info(msg: string, fields?: LogFields): void {
    this.#write('info', msg, fields);
  }

  warn(msg: string, fields?: LogFields): void {
    this.#write('warn', msg, fields);
  }

  error(msg: string, fields?: LogFields, options?: LineOptions): void {
    this.#write('error', msg, fields, options);
  }

  fatal(msg: string, fields?: LogFields): void {
    this.#write('fatal', msg, fields, { stack: true });
  }

  isEnabled(level: Exclude<LogLevel, 'silent'>): boolean {
    return this.#pino.isLevelEnabled(level);
  }

  #write(
    level: Exclude<LogLevel, 'silent'>,
    msg: string,
    fields: LogFields | undefined,
    { stack = this.#stack }: LineOptions = {},
  ): void {
    if (!this.#pino.isLevelEnabled(level)) return;
    const traced = this.#traceFields?.();
    const members = traced === undefined ? fields : { ...fields, ...traced };
    this.#pino[level](censor(members ?? {}, { stack }), censorText(msg));
  }
}
