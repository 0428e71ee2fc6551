import type { SavingState } from './saver.ts';

/** What the learner who leaves the course sees of its last save. */
interface LastSaveView {
  /** Shows that the course is being closed. */
  showClosing(): void;
  /** Shows that the connection is lost, and how to leave nevertheless. @param isKept whether the browser keeps the work */
  showUnsaved(isKept: boolean): void;
}

/**
 * The last save of a unit that was closed. The page waits for it, however long the connection is lost. Learners who leave
 * the course see a card meanwhile. The card disappears once everything is saved.
 */
export class LastSave {
  readonly #view: LastSaveView;
  #isWaiting = false;
  /** Whether the learner leaves the course, not only the unit. */
  #isOut = false;
  #state: SavingState = 'saved';
  #shown: 'closing' | 'offline' | 'unkept' | null = null;

  constructor(view: LastSaveView) {
    this.#view = view;
  }

  /** Waits until a unit is saved, or until nothing more can be saved. @param isOut whether the learner leaves the course */
  async wait(saver: { settled(): Promise<void> }, isOut: boolean): Promise<void> {
    this.#isWaiting = true;
    this.#isOut = isOut;
    this.#show();
    await saver.settled();
    if (this.#shown === 'offline' || this.#shown === 'unkept') this.#view.showClosing();
    this.#isWaiting = false;
    this.#shown = null;
  }

  /** The learner leaves the course, perhaps while the page waits for a save. */
  leave(): void {
    this.#isOut = true;
    this.#show();
  }

  /** Notes a state of saving. Returns whether a card shows it. */
  changed(state: SavingState): boolean {
    this.#state = state;
    this.#show();
    return this.#shown !== null;
  }

  #show(): void {
    if (!this.#isWaiting || !this.#isOut) return;
    const state = this.#state;
    // Once a save has failed, the card stays while it is tried again.
    const shown = state === 'offline' || state === 'unkept' ? state : (this.#shown ?? 'closing');
    if (shown === this.#shown) return;
    this.#shown = shown;
    if (shown === 'closing') this.#view.showClosing();
    else this.#view.showUnsaved(shown === 'offline');
  }
}
