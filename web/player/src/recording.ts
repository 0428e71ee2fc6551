import type { Doubt } from './record.ts';
import { Saver, type SavingState } from './saver.ts';
import type { ScormSession } from './scorm-session.ts';
import type { PageResponse } from './server.ts';

/** The parts of an open unit that recording needs. */
export interface RecordedUnit {
  unit: { id: string };
  start: { isReview: boolean };
  /** Null for a unit that calls the service itself, or reports nothing. */
  runtime: { session: Pick<ScormSession, 'isRunning' | 'snapshot'> } | null;
  saver: Saver | null;
}

/** Records what the units of a page report, unless nothing is to be recorded. */
export class Recording {
  readonly #page: PageResponse;
  readonly #sharedState: () => { state?: unknown };
  readonly #onState: (state: SavingState) => void;
  /** The sequence number of the next write, shared by all writes of the page. */
  readonly #counter = { next: 1 };
  #visits = 0;
  #latest: Saver | null = null;
  /** The latest saver of each unit. */
  readonly #savers = new Map<string, Saver>();
  /** The units that call the service themselves and whose work may not be saved, by their ids. */
  readonly #doubts = new Map<string, { open: RecordedUnit; doubt: Doubt }>();

  /** @param options.sharedState returns the data that all units share; empty without any */
  constructor(
    page: PageResponse,
    options: { sharedState: () => { state?: unknown }; onState: (state: SavingState) => void },
  ) {
    this.#page = page;
    this.#sharedState = options.sharedState;
    this.#onState = options.onState;
  }

  /** The saver of a unit of SCORM: of what it reports, or of the opening of an asset. Null if nothing is recorded. */
  saverOf({ unit, start, runtime }: RecordedUnit): Saver | null {
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

  /** Whether a unit calls the service itself, and what it reports is recorded. A saver waits until everything is saved. */
  isReporting(open: RecordedUnit | null): boolean {
    return open?.saver === null && this.#page.mode === 'normal' && !open.start.isReview;
  }

  /** Notes whether everything was saved when the learner left a unit, or closed its window. */
  left(open: RecordedUnit, doubt: Doubt | null): void {
    const { id } = open.unit;
    if (doubt !== null && this.isReporting(open)) this.#doubts.set(id, { open, doubt });
    // The learner has opened the unit again to check the work, as the page asks for.
    else if (this.#doubts.get(id)?.open !== open) this.#doubts.delete(id);
  }

  /** Why the page cannot say that everything is saved; null if it can. */
  get doubt(): Doubt | null {
    const doubts = [...this.#doubts.values()].map(({ doubt }) => doubt);
    if (doubts.includes('lost')) return 'lost';
    const isRefused = doubts.length > 0 || [...this.#savers.values()].some((saver) => saver.isRefused);
    return isRefused ? 'refused' : null;
  }

  /** Whether the connection was lost, and this page has saved nothing of what a unit reported since then. */
  get hasFailed(): boolean {
    return [...this.#savers.values()].some(({ hasFailed }) => hasFailed);
  }

  /** Whether a save of the latest unit has failed, and the browser does not keep its data for a later launch. */
  get isUnkept(): boolean {
    return this.#latest?.isUnkept === true;
  }
}
