import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { type EventData, run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { NODE_OPTIONS, ROOT, TEST_ENVIRONMENT } from './run.ts';

/** A program of tests: a file for `node`, with variables of its environment besides those of this process. */
export interface PooledProgram {
  file: string;
  environment: Readonly<Record<string, string>>;
  report: PoolReport;
}

/** Two more than there are processors: tests of processes and of a database server wait for much of their time. */
const PROGRAMS_AT_ONCE = availableParallelism() + 2;
/** The time after which a running program is ended. The longest takes three minutes, on a busy machine ten. */
const PROGRAM_LIMIT_MS = 20 * 60_000;
/**
 * The time after which a running test fails, and the next one starts. No test takes a third of it, even on a busy
 * machine.
 */
const TEST_LIMIT_MS = 8 * 60_000;
/** The counts of a report, by their names in the events of `node:test` and in the report. */
const COUNTS = {
  tests: 'tests',
  suites: 'suites',
  passed: 'pass',
  failed: 'fail',
  cancelled: 'cancelled',
  skipped: 'skipped',
  todo: 'todo',
};

/** One report of several programs, in the form that `node --test` has for a single run of them. */
export class PoolReport {
  readonly #spec = new spec();
  readonly #counts = new Map<string, number>(Object.keys(COUNTS).map((name) => [name, 0]));
  readonly #startedAt = performance.now();
  #hasFailed = false;
  readonly #failures: string[] = [];

  /** @param write receives the text of the report as it grows. */
  constructor(write: (text: Buffer) => void) {
    this.#spec.on('data', write);
  }

  /** Whether a program failed, or there were no tests. */
  get hasFailed(): boolean {
    return this.#hasFailed || this.#counts.get('tests') === 0;
  }

  /** The place, name and first line of the error of each test that failed. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /** Adds all events of a program. */
  add(events: readonly TestEvent[]): void {
    for (const event of events) {
      if (event.type === 'test:fail') this.#keepFailure(event.data);
      if (!isAboutWholeRun(event)) this.#spec.write(event);
      else if (event.type === 'test:summary') this.#count(event.data);
    }
  }

  #keepFailure({ name, file, line, details: { error } }: EventData.TestFail): void {
    // A suite fails with its tests.
    if (error instanceof Error && 'failureType' in error && error.failureType === 'subtestsFailed') return;
    const place =
      file === undefined ? '' : `${path.relative(ROOT, file)}${line === undefined ? '' : `:${line}`} `;
    const { message } = error.cause instanceof Error ? error.cause : error;
    this.#failures.push(`${place}${name}: ${message.trim().split('\n', 1)[0]}`);
  }

  #count({ counts, success }: EventData.TestSummary): void {
    this.#hasFailed ||= !success;
    for (const [name, count] of Object.entries(counts))
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + count);
  }

  /** Adds a program that did not run to its end, with the reason. */
  fail(reason: string | null = null): void {
    this.#hasFailed = true;
    if (reason !== null) this.#failures.push(reason);
  }

  /** Writes the number of tests, and then the failures once more. */
  async end(): Promise<void> {
    const lines = Object.entries(COUNTS).map(([name, label]) => `${label} ${this.#counts.get(name)}`);
    for (const message of [...lines, `duration_ms ${performance.now() - this.#startedAt}`])
      this.#spec.write({ type: 'test:diagnostic', data: { message, nesting: 0, level: 'info' } });
    this.#spec.end();
    await once(this.#spec, 'end');
  }
}

/** The suite and test that a program was in when it was ended, according to its events. */
function stateOf(events: readonly TestEvent[]): string {
  const keyOf = ({ nesting, name }: { nesting: number; name: string }) => `${nesting} ${name}`;
  const running = new Map<string, string>();
  // The first one is the program as a whole.
  const hasTests = events.filter(({ type }) => type === 'test:dequeue').length > 1;
  for (const { type, data } of events) {
    if (type === 'test:dequeue') running.set(keyOf(data), data.name);
    else if (type === 'test:complete') running.delete(keyOf(data));
  }
  if (!hasTests) return 'before its tests';
  return running.size === 0 ? 'after its tests' : `in ${[...running.values()].join(' › ')}`;
}

/** Whether an event is about the run of one program, which here is one of many. */
function isAboutWholeRun({ type, data }: TestEvent): boolean {
  return (type === 'test:summary' || type === 'test:diagnostic') && data.file === undefined;
}

/**
 * Runs programs in order, a few at a time. Each is added to its report when it has ended.
 * @param options for `node`, such as `--test-name-pattern=lease`
 * @param signal once it is aborted, running programs are ended and no others start
 * @param limits.programMs how long a program may run. One that never exits would keep the command from ending
 * @param limits.testMs how long a test or a suite may run that has no limit of its own
 */
export async function runPool(
  programs: readonly PooledProgram[],
  options: readonly string[],
  signal: AbortSignal,
  { programMs = PROGRAM_LIMIT_MS, testMs = TEST_LIMIT_MS }: { programMs?: number; testMs?: number } = {},
): Promise<void> {
  const waiting = [...programs];
  // Inside a test this variable would have `node` skip every file, and pass.
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  delete process.env.NODE_TEST_CONTEXT;
  const work = async () => {
    for (let program = waiting.shift(); program !== undefined; program = waiting.shift()) {
      const { file, environment, report } = program;
      if (signal.aborted) {
        report.fail();
        continue;
      }
      const events: TestEvent[] = [];
      const limit = AbortSignal.timeout(programMs);
      const tests = run({
        files: [file],
        cwd: ROOT,
        env: { ...inherited, ...TEST_ENVIRONMENT, ...environment },
        execArgv: [...NODE_OPTIONS, `--test-timeout=${testMs}`, ...options],
        signal: AbortSignal.any([signal, limit]),
      });
      for await (const event of tests) events.push(event as TestEvent);
      report.add(events);
      if (signal.aborted) report.fail();
      else if (limit.aborted)
        report.fail(`${file} was ended after ${programMs / 1_000} s, ${stateOf(events)}`);
    }
  };
  await Promise.all(Array.from({ length: PROGRAMS_AT_ONCE }, work));
}
