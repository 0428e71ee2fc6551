import type { SavingState } from './saver.ts';

/** A learner who waits for a save learns after this time without a response that the work is not saved yet. */
const OVERDUE_MS = 5_000;

/**
 * Why work is not saved yet. `offline`: the connection is lost, and the browser keeps the work. `unkept`: the browser cannot
 * keep it. `unsure`: a unit that calls the service itself gets no response.
 */
export type Unsaved = 'offline' | 'unkept' | 'unsure';

/** What the learner sees while a unit is closed and saved. */
interface LastSaveView {
  /** Whether the page shows that something is being loaded, so that no course is in it. */
  readonly isLoading: boolean;
  /** Shows that the unit is being closed. @param isOut whether the learner leaves the course, not only the unit */
  showClosing(isOut: boolean): void;
  /** Shows that the work is not saved yet, and what the learner can do. @param retry null if another try has no use */
  showUnsaved(why: Unsaved, options: { isOut: boolean; retry: (() => void) | null }): void;
}

/** The parts of a saver that the last save of its unit uses. */
interface LastSaver {
  retry(): void;
  /** The learner waits for a response that does not come. */
  overdue(): void;
}

/** A unit that is being closed. */
interface ClosingUnit {
  /** Null if the unit calls the service itself, or records nothing. */
  saver: LastSaver | null;
  /** Whether something that the unit has reported itself may not be recorded. */
  isUnsure(): boolean;
  /** Whether the learner leaves the course, not only the unit. */
  isOut: boolean;
}

/**
 * The last save of a unit that was closed. The page waits for it, however long the connection is lost. Learners see a card
 * meanwhile. It says that the work is not saved yet if a try fails or takes too long, and disappears once everything is saved.
 */
export class LastSave {
  readonly #view: LastSaveView;
  /** Null while the page waits for no save. */
  #unit: ClosingUnit | null = null;
  #state: SavingState | 'unsure' = 'saved';
  #shown: 'closing' | Unsaved | null = null;

  constructor(view: LastSaveView) {
    this.#view = view;
  }

  /** Waits until a closed unit is saved, or until nothing more can be saved. @param saved resolves then */
  async wait(unit: ClosingUnit, saved: () => Promise<void>): Promise<void> {
    this.#unit = { ...unit };
    this.#show();
    await orOverdue(saved(), () => {
      if (unit.isUnsure()) this.changed('unsure');
      else unit.saver?.overdue();
    });
    if (this.#state === 'unsure') this.changed('saved');
    this.#unit = null;
    this.#shown = null;
  }

  /** The learner leaves the course, perhaps while the page waits for a save, or while a unit is being opened. */
  leave(): void {
    if (this.#unit === null && this.#view.isLoading) this.#view.showClosing(true);
    if (this.#unit === null || this.#unit.isOut) return;
    this.#unit.isOut = true;
    this.#shown = null;
    this.#show();
  }

  /** Notes a state of saving. Returns whether a card says what the learner has to know about it. */
  changed(state: SavingState | 'unsure'): boolean {
    this.#state = state;
    this.#show();
    return this.#unit?.isOut === true || (this.#shown !== null && this.#shown !== 'closing');
  }

  #show(): void {
    if (this.#unit === null) return;
    const { saver, isOut } = this.#unit;
    const state = this.#state;
    const isUnsaved = state === 'offline' || state === 'unkept' || state === 'unsure';
    // Once a save has failed, the card stays while it is tried again.
    const shown = isUnsaved ? state : state === 'saving' ? (this.#shown ?? 'closing') : 'closing';
    if (shown === this.#shown) return;
    this.#shown = shown;
    if (shown === 'closing') this.#view.showClosing(isOut);
    else this.#view.showUnsaved(shown, { isOut, retry: saver === null ? null : () => saver.retry() });
  }
}

/** Waits for something, but not longer than a learner waits without knowing more. */
export async function untilOverdue(done: Promise<unknown>): Promise<void> {
  await new Promise<void>(
    (resolve) =>
      void orOverdue(
        done.then(() => resolve()),
        resolve,
      ),
  );
}

/** Waits for something. @param onOverdue called if it takes so long that the learner must know more */
export async function orOverdue(done: Promise<void>, onOverdue: () => void): Promise<void> {
  const timer = setTimeout(onOverdue, OVERDUE_MS);
  try {
    await done;
  } finally {
    clearTimeout(timer);
  }
}
