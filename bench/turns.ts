import { setTimeout as delay } from 'node:timers/promises';
import { sharedNow } from './clock.ts';
import { type Comparison, type ComparisonPlan, SIDES, type Side } from './sink-protocol.ts';

/** The start of a turn that is not looked at: what was held goes out, and the other side falls idle. */
const SETTLE_MS = 25;
const LOOK_EVERY_MS = 5;

/**
 * Lets the posts of one side through at a time and holds the answers to the other's, which thereby stands still: its
 * connections are all busy. Without a comparison under way everything goes through.
 */
export class Turns {
  readonly #answered: Record<Side, number> = { raw: 0, service: 0 };
  readonly #held: Record<Side, (() => void)[]> = { raw: [], service: [] };
  #turn: Side | 'both' = 'both';

  /** Calls `answer` now or when it is the side's turn. */
  admit(side: Side, answer: () => void): void {
    if (this.#turn !== 'both' && this.#turn !== side) {
      this.#held[side].push(answer);
      return;
    }
    this.#answered[side] += 1;
    answer();
  }

  /** Runs a comparison. It never ends when a side posts nothing: the caller has the deadline. */
  async compare({ warmUp, turns, turnMs, servicePosts }: ComparisonPlan): Promise<Comparison> {
    const comparison: Comparison = { raw: [], service: [] };
    this.#answered.service = 0;
    this.#answered.raw = 0;
    for (const side of ['service', 'raw'] as const) {
      this.#give(side);
      while (this.#answered[side] < warmUp[side]) await delay(LOOK_EVERY_MS);
    }
    for (let turn = 0; turn < turns && this.#answered.service < servicePosts; turn++) {
      for (const side of SIDES) {
        this.#give(side);
        await delay(SETTLE_MS);
        const posts = this.#answered[side];
        const beganAt = sharedNow();
        await delay(turnMs - SETTLE_MS);
        comparison[side].push({ posts: this.#answered[side] - posts, ms: sharedNow() - beganAt });
      }
    }
    this.#give('both');
    return comparison;
  }

  #give(turn: Side | 'both'): void {
    this.#turn = turn;
    for (const side of SIDES) {
      if (turn !== 'both' && turn !== side) continue;
      const held = this.#held[side];
      this.#held[side] = [];
      for (const answer of held) this.admit(side, answer);
    }
  }
}
