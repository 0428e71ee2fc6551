import { ProblemError } from '../problems/problem.ts';

const RETRY_AFTER_SECONDS = '5';

/** Limits the concurrent operations of each caller, because each of them may occupy a connection until its deadline. */
export class ConcurrencyLimit {
  readonly #max: number;
  readonly #refusal: string;
  readonly #running = new Map<string, number>();

  /** @param refusal the problem that a caller with the maximum number receives */
  constructor(max: number, refusal: string) {
    this.#max = max;
    this.#refusal = refusal;
  }

  /** @throws {ProblemError} `too-many-requests`, and what `work` throws */
  async run<T>(callerId: string, work: () => Promise<T>): Promise<T> {
    const current = this.#running.get(callerId) ?? 0;
    if (current >= this.#max) {
      throw new ProblemError('too-many-requests', this.#refusal, {
        headers: { 'Retry-After': RETRY_AFTER_SECONDS },
      });
    }
    this.#running.set(callerId, current + 1);
    try {
      return await work();
    } finally {
      const left = this.#running.get(callerId)! - 1;
      if (left === 0) this.#running.delete(callerId);
      else this.#running.set(callerId, left);
    }
  }
}
