import type { Doubt } from './record.ts';
import { endsSession, partOf, type Report, subjectsOf } from './report.ts';
import type { Fate } from './report-fate.ts';

/**
 * Sets the fate of a report; null if it probably arrived, but that will never be known. A later call replaces an
 * earlier one.
 */
export type Settle = (fate: Fate | null) => void;

/** Knows which reports of the open unit have failed, if the unit calls the service itself. */
export class Reports {
  /** Called when a report has failed. */
  onFailed: (why: Doubt) => void = () => {};
  #pending = new Set<Promise<void>>();
  /** The reports that failed, or whose fate nobody will know, by what they were about. */
  #failed: Failed = new Map();
  /** Whether the open unit has reported something. */
  #hasReported = false;
  /** The number of the latest report about something that arrived, while others are being sent. */
  #arrived = new Map<string, number>();
  #count = 0;

  /** A report is being sent. */
  begin(report: Report): Settle {
    const pending = this.#pending;
    const failed = this.#failed;
    const arrived = this.#arrived;
    const by = ++this.#count;
    let done: () => void = () => {};
    const settled = new Promise<void>((resolve) => (done = resolve));
    pending.add(settled);
    this.#hasReported = true;
    let subjects: string[] | null = null;
    return (fate) => {
      pending.delete(settled);
      done();
      const isAlone = pending.size === 0;
      if (!isAlone || failed.size > 0 || fate !== 'arrived') {
        subjects ??= subjectsOf(report);
        const missing = subjects.filter((subject) => (arrived.get(subject) ?? 0) < by);
        if (fate === null) leaveUnknown(failed, missing, by);
        else if (hasArrived(report, subjects, fate)) {
          for (const subject of subjects) arrived.set(subject, Math.max(by, arrived.get(subject) ?? 0));
          makeUpFor(failed, subjects, by);
        } else {
          const doubt = fate === 'lost' ? 'lost' : 'refused';
          for (const subject of missing) {
            const earlier = failed.get(subject);
            const isRepeated = earlier !== undefined && earlier.doubt !== null;
            failed.set(subject, { doubt, by, since: isRepeated ? earlier.since : by });
          }
          if (missing.length > 0) this.onFailed(doubt);
        }
      }
      if (isAlone) arrived.clear();
    };
  }

  /** Whether reports have no response yet. */
  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** Whether anything has not arrived, or nobody knows whether it has. */
  get isUnsure(): boolean {
    return this.isPending || this.#failed.size > 0;
  }

  /** Resolves once the reports that are being sent now have a response, or have got none for too long. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Why it is not certain that everything has arrived; null if it is. */
  get doubt(): Doubt | null {
    const doubts = this.#doubts;
    if (doubts.has('lost')) return 'lost';
    return doubts.has('refused') ? 'refused' : null;
  }

  /**
   * Whether the service has responded to everything that the open unit has reported. A unit that has reported nothing may
   * have done so in a page of another origin.
   */
  get haveResponses(): boolean {
    const doubts = this.#doubts;
    return this.#hasReported && !this.isPending && !doubts.has('lost') && !doubts.has(null);
  }

  /** The number of the latest report that failed and is no repetition of one that had failed before; 0 if there is none. */
  get newest(): number {
    const failed = [...this.#failed.values()].filter(({ doubt }) => doubt !== null);
    return Math.max(0, ...failed.map(({ since }) => since));
  }

  /** A unit opens, which has reported nothing yet. */
  unitOpens(): void {
    this.#hasReported = false;
  }

  /** The unit was left. Returns the doubt about what it has reported. What it reports later does not count. */
  take(): Doubt | null {
    const { doubt } = this;
    this.#pending = new Set();
    this.#failed = new Map();
    this.#arrived = new Map();
    return doubt;
  }

  get #doubts(): ReadonlySet<Doubt | null> {
    return new Set([...this.#failed.values()].map(({ doubt }) => doubt));
  }
}

/** Why a report failed, its number, and the number of the first one about the same. Null if nobody will know its fate. */
type Failed = Map<string, { doubt: Doubt | null; by: number; since: number }>;

/** Nobody will know the fate of a report. What it has said itself does not hold, but others may still be lost. */
function leaveUnknown(failed: Failed, subjects: readonly string[], by: number): void {
  for (const subject of subjects) {
    const earlier = failed.get(subject);
    if (earlier === undefined || earlier.by === by || (earlier.doubt === null && earlier.by < by))
      failed.set(subject, { doubt: null, by, since: by });
  }
}

/** A report ends the doubt about earlier ones with the same subject, or with a part of it. */
function makeUpFor(failed: Failed, subjects: readonly string[], by: number): void {
  for (const [subject, earlier] of failed) {
    const isAbout = subjects.some((each) => subject === each || subject.startsWith(partOf(each)));
    if (isAbout && earlier.by <= by) failed.delete(subject);
  }
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
