import { setTimeout as delay } from 'node:timers/promises';
import { BATCH_ENTRIES, type SqsApi } from './sqs-api.ts';
import { type Copy, toCopy } from './sqs-message.ts';
import type { SqsOutage } from './sqs-outage.ts';

/** How long received copies stay hidden: they are deleted at once, unless the process dies. */
const VISIBILITY_SECONDS = 30;
/** Copies that wait to be deleted, beyond which none is received. */
const MAX_UNDELETED = 1_000;
/** Requests at a time that delete. */
const DELETES = 2;
/** How long the last deletes may take at a stop. */
const LAST_DELETES_MS = 2_000;
const FAILED_PAUSE_MS = 250;

/** What the receiver works with. */
export interface SqsReceiverDependencies {
  api: SqsApi;
  outage: SqsOutage;
  /** How long a receive waits for a copy; Amazon allows up to 20. */
  waitSeconds: number;
  /** Receives at a time: one while little comes, and one more for each full batch. */
  maxCalls: number;
  /**
   * Has the lines of copies worked on, and answers the copies that are to stay on the queue; after those, nothing more is
   * received.
   */
  work: (copies: readonly Copy[]) => Promise<readonly Copy[]>;
}

/** Receives copies by long polling, has their lines worked on, and deletes them, in tens and behind that. */
export class SqsReceiver implements AsyncDisposable {
  readonly #with: SqsReceiverDependencies;
  readonly #stop = new AbortController();
  readonly #calls = new Set<Promise<void>>();
  #undeleted: string[] = [];
  readonly #deletes = new Set<Promise<void>>();

  constructor(dependencies: SqsReceiverDependencies) {
    this.#with = dependencies;
  }

  start(): void {
    this.#call();
  }

  /** Receives nothing more. */
  end(): void {
    this.#stop.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await Promise.all(this.#calls);
    this.#delete();
    await Promise.race([Promise.all(this.#deletes), delay(LAST_DELETES_MS, undefined, { ref: false })]);
  }

  /** Deletes copies soon. */
  delete(receiptHandles: readonly string[]): void {
    this.#undeleted.push(...receiptHandles);
    this.#delete();
  }

  #call(): void {
    if (this.#stop.signal.aborted || this.#calls.size >= this.#with.maxCalls) return;
    const call = this.#receive().finally(() => this.#calls.delete(call));
    this.#calls.add(call);
  }

  async #receive(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        const messages = await this.#with.api.receive({
          visibilitySeconds: VISIBILITY_SECONDS,
          waitSeconds: this.#with.waitSeconds,
          signal,
        });
        this.#with.outage.worked('receive');
        if (messages.length === 0) {
          if (this.#calls.size > 1) return;
          continue;
        }
        if (messages.length === BATCH_ENTRIES) this.#call();
        const copies = messages.map(toCopy);
        const kept = new Set(await this.#tryWork(copies));
        this.delete(copies.filter((copy) => !kept.has(copy)).map((copy) => copy.receiptHandle));
        if (kept.size > 0) await this.#with.api.giveBack([...kept].map((copy) => copy.receiptHandle));
        while (this.#undeleted.length > MAX_UNDELETED && !signal.aborted) await delay(FAILED_PAUSE_MS);
      } catch (error) {
        if (signal.aborted) return;
        const pause = this.#with.outage.failed('receive', error);
        // One call goes on trying.
        if (this.#calls.size > 1) return;
        await delay(pause, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /** Tries until the database has it: nobody else gets these copies meanwhile. */
  async #tryWork(copies: readonly Copy[]): Promise<readonly Copy[]> {
    while (true) {
      try {
        return await this.#with.work(copies);
      } catch {
        if (this.#stop.signal.aborted) return copies;
        // The worker says that the database fails.
        await delay(FAILED_PAUSE_MS, undefined, { signal: this.#stop.signal }).catch(() => undefined);
      }
    }
  }

  #delete(): void {
    while (this.#deletes.size < DELETES && this.#undeleted.length > 0) {
      const batch = this.#undeleted.splice(0, BATCH_ENTRIES);
      const request = this.#deleteBatch(batch).finally(() => {
        this.#deletes.delete(request);
        this.#delete();
      });
      this.#deletes.add(request);
    }
  }

  async #deleteBatch(batch: readonly string[]): Promise<void> {
    try {
      await this.#with.api.delete(batch);
      this.#with.outage.worked('delete');
    } catch (error) {
      // They come again, do nothing, and are deleted then.
      await delay(this.#with.outage.failed('delete', error), undefined, { signal: this.#stop.signal }).catch(
        () => undefined,
      );
    }
  }
}
