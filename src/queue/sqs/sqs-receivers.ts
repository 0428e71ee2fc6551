import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '@aws-sdk/client-sqs';
import type { SqsApi } from './sqs-api.ts';
import { fromSqsMessage, type SentMessage } from './sqs-message.ts';
import type { SqsOutage } from './sqs-outage.ts';
import type { SqsCall } from './sqs-settler.ts';

const MS_PER_SECOND = 1_000;
/** Messages held beyond what was asked for, so that a place that gets free is filled without a round trip. */
const HELD_AHEAD = 8;

/** A message that Amazon SQS handed out, not taken up yet. */
export interface Arrival {
  receiptHandle: string;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** How often it was handed out, as Amazon SQS counts. */
  receives: number;
  /** Null when another program sent it. */
  message: SentMessage | null;
  groupId: string;
  body: string;
}

/**
 * Receives messages, one a call, by as many calls at a time as it pays: one while nothing comes, and for each that
 * brings a message one more, up to what there is room for; each that waits in vain ends. So a backlog of a thousand
 * webhooks has all calls busy after ten rounds, and an idle service pays for one.
 */
export class SqsReceivers implements AsyncDisposable {
  readonly #api: SqsApi;
  readonly #outage: SqsOutage;
  readonly #waitSeconds: number;
  readonly #maxCalls: number;
  readonly #maxHeldMs: number;
  readonly #giveBack: (calls: readonly SqsCall[]) => void;
  readonly #onArrival: () => void;
  readonly #now: () => number;
  readonly #stop = new AbortController();
  readonly #calls = new Set<Promise<void>>();
  #held: Arrival[] = [];
  #room = 0;
  #visibilityMs = 0;
  #pausing = false;
  #emptySince = 0;

  constructor(dependencies: {
    api: SqsApi;
    outage: SqsOutage;
    waitSeconds: number;
    /** Calls at a time. */
    maxCalls: number;
    /** How long a message may be held before it is taken up: its visibility runs on meanwhile. */
    maxHeldMs: number;
    giveBack: (calls: readonly SqsCall[]) => void;
    onArrival: () => void;
    now: () => number;
  }) {
    this.#api = dependencies.api;
    this.#outage = dependencies.outage;
    this.#waitSeconds = dependencies.waitSeconds;
    this.#maxCalls = dependencies.maxCalls;
    this.#maxHeldMs = dependencies.maxHeldMs;
    this.#giveBack = dependencies.giveBack;
    this.#onArrival = dependencies.onArrival;
    this.#now = dependencies.now;
  }

  /** The beginning of the latest call that found nothing, in epoch milliseconds: then nothing was to be had. */
  get emptySince(): number {
    return this.#emptySince;
  }

  /** What is held and fresh, in the order it came. */
  get held(): readonly Arrival[] {
    this.#giveBackStale();
    return this.#held;
  }

  /** How long messages stay hidden from now on, and how many may be held and on their way. */
  ask({ visibilityMs, capacity }: { visibilityMs: number; capacity: number }): void {
    this.#visibilityMs = visibilityMs;
    this.#room = capacity + HELD_AHEAD;
    this.#giveBackStale();
    if (this.#calls.size === 0) this.#call();
  }

  /** Takes arrivals out: they are somebody's now. */
  take(arrivals: ReadonlySet<Arrival>): void {
    if (arrivals.size > 0) this.#held = this.#held.filter((each) => !arrivals.has(each));
    if (this.#calls.size === 0) this.#call();
  }

  /** Ends the calls and gives back what nobody took. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#calls);
    this.#giveBack(this.#held.map(toGiveBack));
    this.#held = [];
  }

  #call(): void {
    if (this.#stop.signal.aborted || this.#visibilityMs === 0) return;
    if (this.#held.length + this.#calls.size >= this.#room || this.#calls.size >= this.#maxCalls) return;
    if (this.#pausing && this.#calls.size > 0) return;
    const call = this.#receive().finally(() => this.#calls.delete(call));
    this.#calls.add(call);
  }

  async #receive(): Promise<void> {
    while (!this.#stop.signal.aborted && this.#held.length + this.#calls.size <= this.#room) {
      const startedAt = this.#now();
      const visibilityMs = this.#visibilityMs;
      try {
        const message = await this.#api.receive({
          visibilitySeconds: Math.ceil(visibilityMs / MS_PER_SECOND),
          waitSeconds: this.#waitSeconds,
          signal: this.#stop.signal,
        });
        this.#outage.worked('receive');
        this.#pausing = false;
        if (message === null) {
          this.#emptySince = Math.max(this.#emptySince, startedAt);
          if (this.#calls.size > 1) return;
        } else {
          this.#held.push(toArrival(message, this.#now()));
          this.#onArrival();
          this.#call();
        }
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        const pause = this.#outage.failed('receive', error);
        // One call goes on trying; what the others found out it knows.
        if (this.#pausing) return;
        this.#pausing = true;
        await delay(pause, undefined, { signal: this.#stop.signal }).catch(() => undefined);
        this.#pausing = false;
      }
    }
  }

  #giveBackStale(): void {
    const oldest = this.#now() - this.#maxHeldMs;
    if (this.#held.every((each) => each.receivedAt >= oldest)) return;
    this.#giveBack(this.#held.filter((each) => each.receivedAt < oldest).map(toGiveBack));
    this.#held = this.#held.filter((each) => each.receivedAt >= oldest);
  }
}

function toGiveBack({ receiptHandle, receivedAt }: Arrival): SqsCall {
  return { do: 'hide', receiptHandle, at: 0, receivedAt };
}

function toArrival(message: Message, receivedAt: number): Arrival {
  const { Attributes = {}, MessageAttributes, Body = '', ReceiptHandle = '' } = message;
  const groupId = Attributes.MessageGroupId ?? '';
  return {
    receiptHandle: ReceiptHandle,
    receivedAt,
    receives: Number(Attributes.ApproximateReceiveCount ?? 1),
    message: fromSqsMessage(Body, groupId, MessageAttributes),
    groupId,
    body: Body,
  };
}
