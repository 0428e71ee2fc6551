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
  /** By receipt: of several for one message the latest counts, and a deletion is final. */
  readonly #waiting = new Map<string, SqsCall>();
  /** Receipts of requests under way: what comes next for their messages must not overtake them. */
  readonly #busy = new Set<string>();
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
    return this.#waiting.size + this.#running;
  }

  /** Does it soon. */
  add(calls: readonly SqsCall[]): void {
    if (calls.length === 0) return;
    for (const call of calls) {
      const waiting = this.#waiting.get(call.receiptHandle);
      if (waiting?.do !== 'delete') this.#waiting.set(call.receiptHandle, call);
    }
    for (const oldest of this.#waiting.keys()) {
      if (this.#waiting.size <= MAX_WAITING) break;
      this.#waiting.delete(oldest);
    }
    this.#work();
  }

  /** Does what still waits, as far as it can be done soon. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.outstanding > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#drained = resolve;
      const timer = setTimeout(resolve, LAST_CALLS_MS);
      this.#work();
      await promise;
      clearTimeout(timer);
    }
    this.#stop.abort();
    this.#waiting.clear();
  }

  #work(): void {
    while (this.#running < PARALLEL && this.#pausedUntil === null) {
      const batch = this.#takeBatch();
      if (batch.length === 0) return;
      this.#running += 1;
      void this.#send(batch).finally(() => {
        this.#running -= 1;
        this.#work();
        if (this.outstanding === 0) this.#drained?.();
      });
    }
  }

  /** The longest waiting calls of one kind. */
  #takeBatch(): SqsCall[] {
    const batch: SqsCall[] = [];
    for (const call of this.#waiting.values()) {
      if (this.#busy.has(call.receiptHandle) || (batch[0] ?? call).do !== call.do) continue;
      batch.push(call);
      if (batch.length === BATCH_ENTRIES) break;
    }
    for (const { receiptHandle } of batch) {
      this.#waiting.delete(receiptHandle);
      this.#busy.add(receiptHandle);
    }
    return batch;
  }

  async #send(batch: readonly SqsCall[]): Promise<void> {
    try {
      const result = await (batch[0]?.do === 'delete'
        ? this.#api.delete(batch.map((call) => call.receiptHandle))
        : this.#api.hide(batch.map((call) => ({ ...call, seconds: this.#secondsOf(call) }))));
      this.#outage.worked('settle');
      // An entry that is ours to blame names a receipt whose time is up: the message shows itself by itself.
      this.#again(
        batch.filter((_, index) => result[index]?.isOurs === false),
        MS_PER_SECOND,
      );
    } catch (error) {
      const pause = this.#outage.failed('settle', error);
      this.#again(batch, pause);
    } finally {
      for (const { receiptHandle } of batch) this.#busy.delete(receiptHandle);
    }
  }

  /** Has calls made once more, after a pause, unless others came for their messages meanwhile. */
  #again(calls: readonly SqsCall[], pause: number): void {
    if (calls.length === 0) return;
    for (const call of calls)
      if (call.do === 'delete' || !this.#waiting.has(call.receiptHandle))
        this.#waiting.set(call.receiptHandle, call);
    this.#pause(pause);
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
