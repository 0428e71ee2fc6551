import { setTimeout as delay } from 'node:timers/promises';
import { BATCH_ENTRIES, MAX_VISIBILITY_SECONDS, type SqsApi } from './sqs-api.ts';
import type { SqsOutage } from './sqs-outage.ts';

const MS_PER_SECOND = 1_000;
/** Calls that wait at most; beyond it the oldest is dropped: its message shows itself again when its time is up. */
const MAX_WAITING = 20_000;
/** Batches under way at once. */
const PARALLEL = 8;
/** How long the last calls may take at a stop. */
const LAST_CALLS_MS = 5_000;

/** What is to be done to a message that was received, once the database has committed it. */
export type SqsCall =
  | { do: 'delete'; receiptHandle: string }
  /** `at`: when it shall show itself again, in epoch milliseconds. */
  | { do: 'hide'; receiptHandle: string; at: number; receivedAt: number };

/**
 * Tells Amazon SQS what the database has settled: in batches, behind the commit, again after failures. None of it is
 * needed for what is right, only for what is quick: a message that is not deleted comes again when its visibility ends,
 * and is known then.
 */
export class SqsSettler implements AsyncDisposable {
  readonly #api: SqsApi;
  readonly #outage: SqsOutage;
  readonly #now: () => number;
  #waiting: SqsCall[] = [];
  #running = 0;
  #pausedUntil: Promise<unknown> | null = null;
  readonly #stop = new AbortController();
  #drained: (() => void) | null = null;

  constructor({ api, outage, now }: { api: SqsApi; outage: SqsOutage; now: () => number }) {
    this.#api = api;
    this.#outage = outage;
    this.#now = now;
  }

  /** Calls that are not answered yet, or batches of them where they are under way. */
  get outstanding(): number {
    return this.#waiting.length + this.#running;
  }

  /** Does it soon. */
  add(calls: readonly SqsCall[]): void {
    if (calls.length === 0) return;
    this.#waiting.push(...calls);
    if (this.#waiting.length > MAX_WAITING) this.#waiting.splice(0, this.#waiting.length - MAX_WAITING);
    this.#work();
  }

  /** Does what still waits, as far as it can be done soon. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#waiting.length > 0 || this.#running > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#drained = resolve;
      const timer = setTimeout(resolve, LAST_CALLS_MS);
      this.#work();
      await promise;
      clearTimeout(timer);
    }
    this.#stop.abort();
    this.#waiting = [];
  }

  #work(): void {
    while (this.#running < PARALLEL && this.#waiting.length > 0 && this.#pausedUntil === null) {
      const [first] = this.#waiting;
      const batch: SqsCall[] = [];
      const rest: SqsCall[] = [];
      for (const call of this.#waiting)
        (call.do === first?.do && batch.length < BATCH_ENTRIES ? batch : rest).push(call);
      this.#waiting = rest;
      this.#running += 1;
      void this.#send(batch).finally(() => {
        this.#running -= 1;
        this.#work();
        if (this.#running === 0 && this.#waiting.length === 0) this.#drained?.();
      });
    }
  }

  async #send(batch: readonly SqsCall[]): Promise<void> {
    try {
      const result = await (batch[0]?.do === 'delete'
        ? this.#api.delete(batch.map((call) => call.receiptHandle))
        : this.#api.hide(batch.map((call) => ({ ...call, seconds: this.#secondsOf(call) }))));
      this.#outage.worked('settle');
      // An entry that is ours to blame names a receipt whose time is up: the message shows itself by itself.
      this.#again(batch.filter((_, index) => result[index]?.isOurs === false));
    } catch (error) {
      const pause = this.#outage.failed('settle', error);
      this.#waiting.unshift(...batch);
      this.#pause(pause);
    }
  }

  #again(calls: readonly SqsCall[]): void {
    if (calls.length === 0) return;
    this.#waiting.push(...calls);
    this.#pause(MS_PER_SECOND);
  }

  #pause(ms: number): void {
    this.#pausedUntil ??= delay(ms, undefined, { signal: this.#stop.signal })
      .catch(() => undefined)
      .then(() => {
        this.#pausedUntil = null;
        if (!this.#stop.signal.aborted) this.#work();
      });
  }

  /** Rounded up: a message that came too early would have to be hidden again. */
  #secondsOf(call: SqsCall): number {
    if (call.do === 'delete') return 0;
    const sinceReceived = (this.#now() - call.receivedAt) / MS_PER_SECOND;
    const longest = Math.floor(MAX_VISIBILITY_SECONDS - sinceReceived - 1);
    const wanted = Math.ceil((call.at - this.#now()) / MS_PER_SECOND);
    return Math.max(0, Math.min(wanted, longest));
  }
}
