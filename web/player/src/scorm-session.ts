import { MAX_VISIT_MS, visitMs } from '../../../src/player/scorm/visit-time.ts';

/** The data of a unit to save. */
export interface Snapshot {
  cmi: Record<string, unknown>;
  terminated: boolean;
  /** Milliseconds since the session began. */
  elapsedMs: number;
  /** Milliseconds of the sessions that the unit has ended in this page. Missing if there are none. */
  earlierSessionsMs?: number;
  /** Whether the sequencing has begun another attempt on the unit. */
  isNewAttempt?: boolean;
  /** The data that all units share. */
  state?: unknown;
}

/** The data model engine of one edition. It implements the standard's elements, types and error codes. */
export interface Engine {
  initialize(parameter: string): string;
  terminate(parameter: string): string;
  getValue(element: string): string;
  setValue(element: string, value: string): string;
  commit(parameter: string): string;
  lastError(): string;
  errorString(code: string): string;
  diagnostic(code: string): string;
  /** The members of the data model, as JSON values. */
  read(): Record<string, unknown>;
}

/**
 * Creates an engine.
 * @param left the members that the session before has left; null to begin with those from the server
 * @param earlierMs the time of the sessions before, in milliseconds
 */
type MakeEngine = (left: Record<string, unknown> | null, earlierMs: number) => Engine;

/** Called when a session begins, and on each change of its data. */
export type OnChange = (how: 'initialize' | 'value' | 'commit' | 'terminate') => void;

/**
 * A unit's session with the runtime, as courses call it. It never throws into a course and accepts values of every
 * type. It restarts if a course initializes after it has finished: the standards forbid that, but many courses do it.
 */
export class ScormSession {
  readonly #makeEngine: MakeEngine;
  readonly #timeIn: (cmi: Record<string, unknown>) => number | null;
  readonly #onChange: OnChange;
  readonly #isNewAttempt: boolean;
  #startedAt = performance.now();
  /** The time of the sessions that have ended, once another one has begun. */
  #earlierMs = 0;
  #engine: Engine;
  #isRunning = false;
  #hasBegun = false;
  #isTerminated = false;
  #left: Record<string, unknown> | null = null;

  /**
   * @param options.timeIn returns the time that a session has reported, in milliseconds; null if it reported none
   * @param options.isNewAttempt whether the sequencing has begun another attempt on the unit
   */
  constructor({
    makeEngine,
    timeIn,
    onChange,
    isNewAttempt = false,
  }: {
    makeEngine: MakeEngine;
    timeIn: (cmi: Record<string, unknown>) => number | null;
    onChange: OnChange;
    isNewAttempt?: boolean;
  }) {
    this.#makeEngine = makeEngine;
    this.#timeIn = timeIn;
    this.#onChange = onChange;
    this.#isNewAttempt = isNewAttempt;
    this.#engine = makeEngine(null, 0);
  }

  /** The data to save now. */
  snapshot(): Snapshot {
    return {
      // Finishing changes the engine's model, but only what the course reported counts.
      cmi: this.#left ?? this.#engine.read(),
      terminated: this.#isTerminated,
      // Instances of earlier releases reject more.
      elapsedMs: Math.min(Math.round(this.elapsedMs), MAX_VISIT_MS),
      ...(this.#earlierMs > 0 ? { earlierSessionsMs: Math.round(this.#earlierMs) } : {}),
      ...(this.#isNewAttempt ? { isNewAttempt: true } : {}),
    };
  }

  /** Milliseconds since the session began. The first one begins with the page of the unit. */
  get elapsedMs(): number {
    return performance.now() - this.#startedAt;
  }

  /** Whether the course has initialized and not terminated. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Whether the course has ever initialized. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  readonly initialize = (parameter?: unknown): string =>
    this.#guarded(() => {
      if (this.#isTerminated && this.#left !== null) {
        const times = { earlierSessionsMs: this.#earlierMs, elapsedMs: this.elapsedMs };
        this.#earlierMs = visitMs(times, this.#timeIn(this.#left));
        this.#startedAt = performance.now();
        this.#engine = this.#makeEngine(this.#left, this.#earlierMs);
        this.#isTerminated = false;
        this.#left = null;
      }
      const result = this.#engine.initialize(text(parameter));
      if (result === 'true') {
        this.#isRunning = true;
        this.#hasBegun = true;
        this.#onChange('initialize');
      }
      return result;
    });

  readonly terminate = (parameter?: unknown): string =>
    this.#guarded(() => {
      const left = this.#isRunning ? this.#engine.read() : null;
      const result = this.#engine.terminate(text(parameter));
      if (left !== null && result === 'true') {
        this.#left = left;
        this.#isRunning = false;
        this.#isTerminated = true;
        this.#onChange('terminate');
      }
      return result;
    });

  readonly getValue = (element: unknown): string =>
    this.#guarded(() => this.#engine.getValue(text(element)), '');

  readonly setValue = (element: unknown, value: unknown): string =>
    this.#guarded(() => {
      const result = this.#engine.setValue(text(element), text(value));
      if (result === 'true' && this.#isRunning) this.#onChange('value');
      return result;
    });

  readonly commit = (parameter?: unknown): string =>
    this.#guarded(() => {
      const result = this.#engine.commit(text(parameter));
      if (this.#isRunning) this.#onChange('commit');
      return result;
    });

  readonly lastError = (): string => this.#guarded(() => this.#engine.lastError(), '0');
  readonly errorString = (code: unknown): string =>
    this.#guarded(() => this.#engine.errorString(text(code)), '');
  readonly diagnostic = (code: unknown): string =>
    this.#guarded(() => this.#engine.diagnostic(text(code)), '');

  #guarded(work: () => unknown, otherwise = 'false'): string {
    try {
      return text(work());
    } catch {
      return otherwise;
    }
  }
}

/** Courses pass numbers, booleans and null, or omit the argument. */
function text(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}
