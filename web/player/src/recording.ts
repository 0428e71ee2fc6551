import type { OpenUnit } from './open-unit.ts';
import { Saver, type SavingState } from './saver.ts';
import { type PageAnswer, post, Refusal } from './server.ts';

const SUPERSEDED = 409;

/** Records what the units of a page report, unless nothing is to be recorded. */
export class Recording {
  readonly #page: PageAnswer;
  readonly #sharedState: () => { state?: unknown };
  readonly #onState: (state: SavingState) => void;
  /** The sequence number of the next write, shared by all writes of the page. */
  readonly #counter = { next: 1 };
  #visits = 0;

  /** @param options.sharedState returns the data that all units share; empty without any */
  constructor(
    page: PageAnswer,
    options: { sharedState: () => { state?: unknown }; onState: (state: SavingState) => void },
  ) {
    this.#page = page;
    this.#sharedState = options.sharedState;
    this.#onState = options.onState;
  }

  /** The saver of a unit with a runtime; null if nothing is recorded. */
  saverOf({ unit, start, runtime }: OpenUnit): Saver | null {
    const { registration, attempt, page, mode } = this.#page;
    if (runtime === null || start.isReview || mode !== 'normal' || registration === null) return null;
    return new Saver({
      owner: { registration, attempt },
      unit: unit.id,
      page,
      visit: ++this.#visits,
      counter: this.#counter,
      read: () => ({ ...runtime.session.snapshot(), ...this.#sharedState() }),
      onState: this.#onState,
    });
  }

  /** Records that the learner has opened an asset, which reports nothing itself. Returns whether it was recorded. */
  async noteAsset({ unit, start }: OpenUnit): Promise<boolean> {
    const { page, mode, course } = this.#page;
    if (start.isReview || mode !== 'normal' || !course.standard.startsWith('SCORM')) return false;
    try {
      await post('asset', {
        unit: unit.id,
        page,
        visit: ++this.#visits,
        sequence: this.#counter.next++,
        ...this.#sharedState(),
      });
      return true;
    } catch (error) {
      const isSuperseded = error instanceof Refusal && error.status === SUPERSEDED;
      this.#onState(isSuperseded ? 'superseded' : 'offline');
      return false;
    }
  }
}
