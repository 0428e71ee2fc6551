import { setTimeout as delay } from 'node:timers/promises';
import { sharedNow } from './clock.ts';
import { type Comparison, type ComparisonPlan, SIDES, type Side } from './sink-protocol.ts';

/** The start of each turn is not measured: in it, held responses are sent, and the other sides become idle. */
const SETTLE_MS = 25;
const LOOK_EVERY_MS = 5;

/**
 * Lets the posts of one side pass at a time and holds the responses to the others. These stop, because all of their
 * connections are busy. Without a comparison, everything passes.
 */
export class Turns {
  readonly #answered: Record<Side, number> = { raw: 0, service: 0, base: 0 };
  readonly #held: Record<Side, (() => void)[]> = { raw: [], service: [], base: [] };
  #turn: Side | 'all' | 'none' = 'all';

  /** Calls `answer` immediately, or when it is the side's turn. */
  admit(side: Side, answer: () => void): void {
    if (this.#turn !== 'all' && this.#turn !== side) {
      this.#held[side].push(answer);
      return;
    }
    this.#answered[side] += 1;
    answer();
  }

  /** Lets all posts pass, or holds the responses to all. */
  letPass(passing: boolean): void {
    this.#give(passing ? 'all' : 'none');
  }

  /**
   * Runs a comparison, and holds the responses to all posts at its end. It never ends if a side posts nothing, so the
   * caller needs a deadline.
   * @param onWarm called when the warm-up has ended
   */
  async compare(
    { warmUp, turns, turnMs, servicePosts }: ComparisonPlan,
    onWarm: () => void,
  ): Promise<Comparison> {
    const comparison: Comparison['turns'] = { raw: [], service: [], base: [] };
    const sides = SIDES.filter((side) => warmUp[side] !== undefined);
    for (const side of sides) this.#answered[side] = 0;
    for (const side of sides.toReversed()) {
      this.#give(side);
      while (this.#answered[side] < warmUp[side]!) await delay(LOOK_EVERY_MS);
    }
    const warm = { ...this.#answered };
    onWarm();
    for (let turn = 0; turn < turns && this.#answered.service < servicePosts; turn++) {
      for (const side of sides) {
        this.#give(side);
        await delay(SETTLE_MS);
        const posts = this.#answered[side];
        const beganAt = sharedNow();
        await delay(turnMs - SETTLE_MS);
        // On a busy machine, a process may get no time at all in its turn.
        while (this.#answered[side] === posts) await delay(LOOK_EVERY_MS);
        comparison[side].push({ posts: this.#answered[side] - posts, ms: sharedNow() - beganAt });
      }
    }
    this.#give('none');
    const posts = (side: Side) => (sides.includes(side) ? this.#answered[side] - warm[side] : 0);
    return {
      turns: comparison,
      posts: { raw: posts('raw'), service: posts('service'), base: posts('base') },
    };
  }

  #give(turn: Side | 'all' | 'none'): void {
    this.#turn = turn;
    for (const side of SIDES) {
      if (turn !== 'all' && turn !== side) continue;
      const held = this.#held[side];
      this.#held[side] = [];
      for (const answer of held) this.admit(side, answer);
    }
  }
}
