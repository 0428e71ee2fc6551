/**
 * Several clients that keep calling during a test. The test shows the first failure: that of a caller
 * fails the current step, and that of a step stops the callers before their service is stopped.
 */
export class Callers implements AsyncDisposable {
  readonly #calls: Promise<unknown>;
  readonly #failure: Promise<never>;
  #isOver = false;

  /** @param call makes one call for the caller of this number. */
  constructor(count: number, call: (caller: number) => Promise<void>) {
    const callOnAndOn = async (caller: number) => {
      while (!this.#isOver) await call(caller);
    };
    this.#calls = Promise.all(Array.from({ length: count }, (_, caller) => callOnAndOn(caller)));
    const { promise, reject } = Promise.withResolvers<never>();
    this.#failure = promise;
    this.#failure.catch(() => {
      this.#isOver = true;
    });
    this.#calls.catch(reject);
  }

  /** Waits for a step of the test. @throws the failure of a caller as soon as there is one. */
  async during<T>(step: Promise<T>): Promise<T> {
    return await Promise.race([step, this.#failure]);
  }

  /** Waits until the current calls have ended; nobody calls after that. @throws the failure of a caller. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#calls;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop().catch(() => {});
  }
}
