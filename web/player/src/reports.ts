import type { Doubt } from './record.ts';
import { endsSession, type Report, subjectsOf } from './report.ts';
import { ReportDoubts } from './report-doubts.ts';
import type { Fate } from './report-fate.ts';

/**
 * Sets the fate of a report; null if it probably arrived, but that will never be known. A later call replaces an
 * earlier one.
 */
export type Settle = (fate: Fate | null) => void;

/** The reports of a unit, from its opening until the learner leaves it. */
interface UnitReports {
  readonly pending: Set<Promise<void>>;
  readonly doubts: ReportDoubts;
}

/** Knows which reports of the open unit have failed, if the unit calls the service itself. */
export class Reports {
  /** Called when a report has failed. */
  onFailed: (why: Doubt) => void = () => {};
  #ofUnit: UnitReports = noReports();
  /** Whether the open unit has reported something. */
  #hasReported = false;
  #count = 0;

  /** A report is being sent. */
  begin(report: Report): Settle {
    // Those of a unit that the learner has left since do not count.
    const { pending, doubts } = this.#ofUnit;
    const number = ++this.#count;
    let done: () => void = () => {};
    const settled = new Promise<void>((resolve) => (done = resolve));
    pending.add(settled);
    this.#hasReported = true;
    let subjects: string[] | null = null;
    return (fate) => {
      pending.delete(settled);
      done();
      const isAlone = pending.size === 0;
      // Usually, nothing else is in doubt. The subjects, for which the body is parsed, do not matter then.
      if (!isAlone || !doubts.isEmpty || fate !== 'arrived') {
        // Once: a body that cannot be read is a new subject each time.
        subjects ??= subjectsOf(report);
        if (fate === null) doubts.unknown(subjects, number);
        else if (hasArrived(report, subjects, fate)) doubts.arrived(subjects, number);
        else {
          const doubt = fate === 'lost' ? 'lost' : 'refused';
          if (doubts.failed(subjects, number, doubt)) this.onFailed(doubt);
        }
      }
      if (isAlone) doubts.forgetArrivals();
    };
  }

  /** Whether reports have no response yet. */
  get isPending(): boolean {
    return this.#ofUnit.pending.size > 0;
  }

  /** Whether anything has not arrived, or nobody knows whether it has. */
  get isUnsure(): boolean {
    return this.isPending || !this.#ofUnit.doubts.isEmpty;
  }

  /** Resolves once the reports that are being sent now have a response, or have got none for too long. */
  async settled(): Promise<void> {
    await Promise.all(this.#ofUnit.pending);
  }

  /** Why it is not certain that everything has arrived; null if it is. */
  get doubt(): Doubt | null {
    const { reasons } = this.#ofUnit.doubts;
    if (reasons.has('lost')) return 'lost';
    return reasons.has('refused') ? 'refused' : null;
  }

  /**
   * Whether the service has responded to everything that the open unit has reported. A unit that has reported nothing may
   * have done so in a page of another origin.
   */
  get haveResponses(): boolean {
    const { reasons } = this.#ofUnit.doubts;
    return this.#hasReported && !this.isPending && !reasons.has('lost') && !reasons.has(null);
  }

  /** The number of the latest report that failed and is no repetition of one that had failed before; 0 if there is none. */
  get newest(): number {
    return this.#ofUnit.doubts.newest;
  }

  /** A unit opens, which has reported nothing yet. */
  unitOpens(): void {
    this.#hasReported = false;
  }

  /** The unit was left. Returns the doubt about what it has reported. What it reports later does not count. */
  take(): Doubt | null {
    const { doubt } = this;
    this.#ofUnit = noReports();
    return doubt;
  }
}

function noReports(): UnitReports {
  return { pending: new Set(), doubts: new ReportDoubts() };
}

function hasArrived(report: Report, subjects: readonly string[], fate: Fate): boolean {
  return (
    fate === 'arrived' ||
    // The service stores either all statements of a request or none.
    (fate === 'repeated' && subjects.length === 1) ||
    // Many units end their session once more while they unload.
    (fate === 'ended' && endsSession(report))
  );
}
