import type { Doubt } from './record.ts';
import { endsSession, type Report, subjectsOf } from './report.ts';
import type { Fate } from './report-fate.ts';

/**
 * Says what has become of a report; null if it probably arrived, but nobody will know. What is said later replaces what was
 * said before.
 */
export type Settle = (fate: Fate | null) => void;

/** Knows which reports of the open unit have failed, if the unit calls the service itself. */
export class Reports {
  /** Called when a report has failed. */
  onFailed: (why: Doubt) => void = () => {};
  #pending = new Set<Promise<void>>();
  /** What the failed reports were about, and why they failed. */
  #failed = new Map<string, Doubt>();

  /** A report is being sent. */
  begin(report: Report): Settle {
    const pending = this.#pending;
    const failed = this.#failed;
    let done: () => void = () => {};
    const settled = new Promise<void>((resolve) => (done = resolve));
    pending.add(settled);
    let subjects: string[] | null = null;
    return (fate) => {
      pending.delete(settled);
      done();
      if (failed.size === 0 && (fate === null || fate === 'arrived')) return;
      subjects ??= subjectsOf(report);
      const hasArrived =
        fate === null ||
        fate === 'arrived' ||
        // The service stores either all statements of a request or none.
        (fate === 'repeated' && subjects.length === 1) ||
        // Many units end their session once more while they unload.
        (fate === 'ended' && endsSession(report));
      const doubt = fate === 'lost' ? 'lost' : 'refused';
      for (const subject of subjects) {
        if (hasArrived) failed.delete(subject);
        else failed.set(subject, doubt);
      }
      if (!hasArrived && subjects.length > 0) this.onFailed(doubt);
    };
  }

  /** Whether reports have no response yet. */
  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Resolves once the reports that are being sent now have a response, or have got none for too long. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Why it is not certain that everything has arrived; null if it is. */
  get doubt(): Doubt | null {
    const doubts = new Set(this.#failed.values());
    if (doubts.has('lost')) return 'lost';
    return doubts.has('refused') ? 'refused' : null;
  }

  /** Begins with the next unit. Returns the doubt about the one before. */
  take(): Doubt | null {
    const { doubt } = this;
    this.#pending = new Set();
    this.#failed = new Map();
    return doubt;
  }
}
