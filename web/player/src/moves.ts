/**
 * Makes one move at a time: from one unit to another, or out of the course. A unit that closes is no longer open, and
 * the next one is not open yet. A second move would leave a unit that nobody has seen.
 */
export class Moves {
  readonly #onChange: () => void;
  #isMoving = false;
  #leave: (() => Promise<void>) | null = null;
  /** Ends the waits of {@link unlessLeaving}. */
  #onLeave: () => void = () => {};

  /** @param onChange called when a move begins and when it is done */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get isMoving(): boolean {
    return this.#isMoving;
  }

  /** Whether the learner leaves the course once the current move is done. */
  get isLeaving(): boolean {
    return this.#leave !== null;
  }

  /** Makes a move, unless another one is being made: a learner who clicks twice wants one move. */
  async make(move: () => Promise<void>): Promise<void> {
    if (this.#isMoving) return;
    this.#isMoving = true;
    this.#onChange();
    try {
      await move();
      const leave = this.#leave;
      this.#leave = null;
      await leave?.();
    } finally {
      this.#isMoving = false;
      this.#leave = null;
      this.#onChange();
    }
  }

  /** Leaves the course, immediately or once the current move is done. */
  async leave(move: () => Promise<void>): Promise<void> {
    if (!this.#isMoving) return await this.make(move);
    this.#leave = move;
    this.#onLeave();
  }

  /** Waits for something that a move needs. Returns null if the learner leaves the course meanwhile. */
  async unlessLeaving<T>(needed: Promise<T>): Promise<T | null> {
    if (this.isLeaving) return null;
    const left = new Promise<null>((resolve) => {
      this.#onLeave = () => resolve(null);
    });
    return await Promise.race([needed, left]);
  }
}
