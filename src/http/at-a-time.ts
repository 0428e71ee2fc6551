import { ProblemError } from '../problems/problem.ts';

const RETRY_AFTER_SECONDS = '5';

/** Bounds how much of something each caller may have under way, because each may hold a connection until its deadline. */
export class AtATime {
  readonly #most: number;
  readonly #refusal: string;
  readonly #underWay = new Map<string, number>();

  /** @param refusal the problem that a caller with the maximum number receives */
  constructor(most: number, refusal: string) {
    this.#most = most;
    this.#refusal = refusal;
  }

  /** @throws {ProblemError} `too-many-requests`, and what `work` throws */
  async run<T>(callerId: string, work: () => Promise<T>): Promise<T> {
    const current = this.#underWay.get(callerId) ?? 0;
    if (current >= this.#most) {
      throw new ProblemError('too-many-requests', this.#refusal, {
        headers: { 'Retry-After': RETRY_AFTER_SECONDS },
      });
    }
    this.#underWay.set(callerId, current + 1);
    try {
      return await work();
    } finally {
      const left = this.#underWay.get(callerId)! - 1;
      if (left === 0) this.#underWay.delete(callerId);
      else this.#underWay.set(callerId, left);
    }
  }
}
