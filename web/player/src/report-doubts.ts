import type { Doubt } from './record.ts';
import { partOf } from './report.ts';

/** Why a report failed; null if nobody will know whether it did. */
type Reason = Doubt | null;

interface Failure {
  reason: Reason;
  /** The number of the latest report that failed. */
  latest: number;
  /** The number of the first one about the same. Later ones repeat it. */
  first: number;
}

/**
 * What did not arrive, or perhaps did not, by the subjects of reports. Reports have numbers in the order in which the unit
 * sent them. Their fates become known in any order.
 */
export class ReportDoubts {
  readonly #failures = new Map<string, Failure>();
  /** By subject, the number of the latest report that arrived, while others are being sent. */
  readonly #arrived = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#failures.size === 0;
  }

  get reasons(): ReadonlySet<Reason> {
    return new Set([...this.#failures.values()].map(({ reason }) => reason));
  }

  /** The number of the latest report that failed and is no repetition of one that had failed before; 0 if there is none. */
  get newest(): number {
    const known = [...this.#failures.values()].filter(({ reason }) => reason !== null);
    return Math.max(0, ...known.map(({ first }) => first));
  }

  /** A report arrived. Ends the doubt about earlier ones with the same subject, or with a part of it. */
  arrived(subjects: readonly string[], number: number): void {
    for (const subject of subjects)
      this.#arrived.set(subject, Math.max(number, this.#arrived.get(subject) ?? 0));
    for (const [subject, { latest }] of this.#failures) {
      const isAbout = subjects.some((each) => subject === each || subject.startsWith(partOf(each)));
      if (isAbout && latest <= number) this.#failures.delete(subject);
    }
  }

  /** A report failed. Returns false if a later one has arrived about each of its subjects. */
  failed(subjects: readonly string[], number: number, reason: Doubt): boolean {
    const missing = this.#missing(subjects, number);
    for (const subject of missing) {
      const earlier = this.#failures.get(subject);
      const isRepeated = earlier !== undefined && earlier.reason !== null;
      this.#failures.set(subject, { reason, latest: number, first: isRepeated ? earlier.first : number });
    }
    return missing.length > 0;
  }

  /** Nobody will know whether a report arrived. What it has said itself does not hold, but others may still be lost. */
  unknown(subjects: readonly string[], number: number): void {
    for (const subject of this.#missing(subjects, number)) {
      const earlier = this.#failures.get(subject);
      if (
        earlier === undefined ||
        earlier.latest === number ||
        (earlier.reason === null && earlier.latest < number)
      )
        this.#failures.set(subject, { reason: null, latest: number, first: number });
    }
  }

  /** No report is being sent, so all later ones have higher numbers than those that arrived. */
  forgetArrivals(): void {
    this.#arrived.clear();
  }

  #missing(subjects: readonly string[], number: number): string[] {
    return subjects.filter((subject) => (this.#arrived.get(subject) ?? 0) < number);
  }
}
