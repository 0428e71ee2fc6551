import type { OpenUnit } from './open-unit.ts';
import type { Doubt } from './record.ts';
import { Saver, type SavingState } from './saver.ts';
import type { PageAnswer } from './server.ts';

/** Records what the units of a page report, unless nothing is to be recorded. */
export class Recording {
  readonly #page: PageAnswer;
  readonly #sharedState: () => { state?: unknown };
  readonly #onState: (state: SavingState) => void;
  /** The sequence number of the next write, shared by all writes of the page. */
  readonly #counter = { next: 1 };
  #visits = 0;
  #latest: Saver | null = null;
  /** The latest saver of each unit. */
  readonly #savers = new Map<string, Saver>();
  /** The unit that was left last, if the connection was lost then. */
  #lost: OpenUnit | null = null;

  /** @param options.sharedState returns the data that all units share; empty without any */
  constructor(
    page: PageAnswer,
    options: { sharedState: () => { state?: unknown }; onState: (state: SavingState) => void },
  ) {
    this.#page = page;
    this.#sharedState = options.sharedState;
    this.#onState = options.onState;
  }

  /** The saver of a unit of SCORM: of what it reports, or of the opening of an asset. Null if nothing is recorded. */
  saverOf({ unit, start, runtime }: OpenUnit): Saver | null {
    const { registration, attempt, page, mode, course } = this.#page;
    if (start.isReview || mode !== 'normal' || registration === null) return null;
    // Units of other standards call the service themselves.
    if (runtime === null && !course.standard.startsWith('SCORM')) return null;
    this.#latest = new Saver({
      owner: { registration, attempt },
      path: runtime === null ? 'asset' : 'commit',
      unit: unit.id,
      page,
      visit: ++this.#visits,
      counter: this.#counter,
      read: () => ({ ...runtime?.session.snapshot(), ...this.#sharedState() }),
      isRunning: () => runtime?.session.isRunning === true,
      onState: this.#onState,
    });
    this.#savers.set(unit.id, this.#latest);
    return this.#latest;
  }

  /** Notes whether the service answered when the learner left a unit, or closed its window. */
  left(open: OpenUnit, isAnswered: boolean): void {
    // A saver waits until everything is saved.
    const isRecorded = open.saver === null && this.#page.mode === 'normal' && !open.start.isReview;
    if (isRecorded && !isAnswered) this.#lost = open;
    else if (open !== this.#lost) this.#lost = null;
  }

  /** Why the page cannot say that everything is saved; null if it can. */
  get doubt(): Doubt | null {
    if ([...this.#savers.values()].some(({ isRefused }) => isRefused)) return 'refused';
    return this.#lost === null ? null : 'lost';
  }

  /** Whether the connection is lost, and the browser keeps what the latest unit reported. */
  get isKeptOffline(): boolean {
    return this.#latest?.isKeptOffline === true;
  }
}
