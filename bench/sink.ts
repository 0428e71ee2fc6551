import type { ChildProcess } from 'node:child_process';
import { SECOND_MS } from '../src/time/units.ts';
import {
  type Comparison,
  type ComparisonPlan,
  SIDE_PATHS,
  type Side,
  type SinkCommand,
  type SinkReport,
  TIMED_PATH,
} from './sink-protocol.ts';
import type { Workplace } from './workplace.ts';

/** How long the sink may be silent before the benchmark fails. */
const REPORT_DEADLINE_MS = 90_000;

/** The benchmark's handle on its sink. The benchmark itself is idle during a comparison. */
export class Sink {
  readonly #child: ChildProcess;
  readonly #origin: string;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#origin = `http://127.0.0.1:${port}`;
  }

  static async start(workplace: Workplace): Promise<Sink> {
    const child = workplace.fork('sink-process.ts', []);
    const { port } = await nextReport(child, 'listening');
    return new Sink(child, port);
  }

  /** The target of the service. */
  get url(): string {
    return this.urlOf('service');
  }

  /** The target of timed posts. */
  get timedUrl(): string {
    return this.#origin + TIMED_PATH;
  }

  /** The target of a side of a comparison. */
  urlOf(side: Side): string {
    return this.#origin + SIDE_PATHS[side];
  }

  /**
   * Compares the posts of sides, which start after this call. At the end, the sides wait for their responses until
   * {@link letPass}, so that a caller can read what each has used.
   * @param onWarm called when the warm-up has ended
   */
  async compare(plan: ComparisonPlan, onWarm: () => void): Promise<Comparison> {
    const reports = Promise.all([
      nextReport(this.#child, 'warm').then(onWarm),
      nextReport(this.#child, 'comparison'),
    ]);
    this.#command({ kind: 'compare', plan });
    const [, { comparison }] = await reports;
    return comparison;
  }

  /** Lets all posts pass, or makes them wait for their responses. */
  letPass(passing: boolean): void {
    this.#command({ kind: 'let-pass', passing });
  }

  /** When timed posts arrived, by the account in them. Each arrival is reported once. */
  async takeArrivals(): Promise<[accountId: number, at: number][]> {
    const report = nextReport(this.#child, 'arrivals');
    this.#command({ kind: 'give-arrivals' });
    return (await report).arrivals;
  }

  #command(command: SinkCommand): void {
    this.#child.send(command);
  }
}

/** The next report of a kind. @throws {Error} if it does not come in time, or the sink ends */
function nextReport<K extends SinkReport['kind']>(
  child: ChildProcess,
  kind: K,
): Promise<Extract<SinkReport, { kind: K }>> {
  return new Promise((resolve, reject) => {
    const finish = () => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
    };
    const onMessage = (report: unknown) => {
      if ((report as SinkReport).kind !== kind) return;
      finish();
      resolve(report as Extract<SinkReport, { kind: K }>);
    };
    const onExit = () => {
      finish();
      reject(new Error('the sink ended'));
    };
    const timer = setTimeout(() => {
      finish();
      reject(new Error(`the sink reported no ${kind} within ${REPORT_DEADLINE_MS / SECOND_MS} s`));
    }, REPORT_DEADLINE_MS);
    child.on('message', onMessage).on('exit', onExit);
  });
}
