import type { IncomingMessage, ServerResponse } from 'node:http';
import { ProblemError } from '../problems/problem.ts';
import { within } from '../time/within.ts';
import { connectionClosed } from './connection-closed.ts';

const RETRY_AFTER_SECONDS = '1';

/** How many requests of a group are handled at once, and what happens to others. */
export interface TurnLimits {
  atOnce: number;
  /**
   * Each turn that takes less than `quickMs` lets one more be handled at once, up to `most`. A slower one resets this to
   * `atOnce`. If missing, it is always `atOnce`.
   */
  growth?: { most: number; quickMs: number };
  /** How many others may wait. If missing, all do. */
  waiting?: number;
  /**
   * No turn begins while as many bytes of earlier responses are unsent: responses that nobody reads remain in memory.
   * If missing, there is no limit.
   */
  unsentBytes?: number;
}

type CompleteLimits = Required<TurnLimits>;

/** Lets the requests of a group take turns, so that those of other groups are handled in the meantime. */
export class Turns {
  readonly #limits: CompleteLimits;
  readonly #byGroup = new Map<string, Queue>();
  readonly #onIdle: (() => void)[] = [];

  constructor(limits: TurnLimits) {
    this.#limits = {
      growth: { most: limits.atOnce, quickMs: 0 },
      waiting: Number.POSITIVE_INFINITY,
      unsentBytes: Number.POSITIVE_INFINITY,
      ...limits,
    };
  }

  /** @throws {ProblemError} `too-many-requests` */
  request(group: string): Turn {
    return (this.#byGroup.get(group) ?? this.#begin(group)).add();
  }

  #begin(group: string): Queue {
    const queue: Queue = new Queue(this.#limits, () => {
      // A response without bytes is closed after its queue was empty. Meanwhile, the group may have another one.
      if (this.#byGroup.get(group) === queue) this.#byGroup.delete(group);
      if (this.#byGroup.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    });
    this.#byGroup.set(group, queue);
    return queue;
  }

  /** Resolves when all turns have ended, and their responses are sent or their connections closed. */
  async idle(): Promise<void> {
    if (this.#byGroup.size > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  /**
   * Handles a request without a body in its turn.
   * @throws {ProblemError} `too-many-requests`, `invalid-request` if the connection is closed before the turn, and what
   *   `work` throws
   */
  async take<R>(group: string, raw: IncomingMessage, work: () => Promise<R>): Promise<R> {
    const turn = this.request(group);
    try {
      turn.endWithConnection(raw);
      await turn.begin();
      turn.isWorking = true;
      return await work();
    } finally {
      turn.end();
    }
  }
}

/** A request's place among those of its group. */
export class Turn {
  /** Whether the request is being handled. */
  isWorking = false;
  readonly #queue: Queue;
  #reject: (reason: Error) => void = () => {};

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** Resolves at the beginning of the turn. */
  async begin(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#reject = reject;
      this.#queue.begin(this, resolve);
    });
  }

  /**
   * Resolves at the beginning of the turn.
   * @throws {ProblemError} `unavailable` with the text of `refusal`, if it does not begin in time. End it then, too
   */
  async beginWithin(ms: number, refusal: string): Promise<void> {
    await within(ms, this.begin(), () => {
      throw new ProblemError('unavailable', refusal, { headers: { 'Retry-After': RETRY_AFTER_SECONDS } });
    });
  }

  /**
   * Ends the turn if the connection is closed before the body has arrived, or before a request without a body has its turn,
   * since no client waits for it then. The work of a request continues.
   */
  endWithConnection(raw: IncomingMessage): void {
    // No event follows.
    if (raw.destroyed) throw connectionClosed();
    raw.once('close', () => {
      if (!this.isWorking && !raw.readableEnded) this.end();
    });
  }

  /** Ends the turn. A second call changes nothing. */
  end(): void {
    // Without an effect if the turn has begun.
    this.#reject(connectionClosed());
    this.#queue.end(this);
  }

  /**
   * Ends the turn with a response, whose bytes count until it is sent or its connection is closed. The turn itself does
   * not wait for that: a few slow connections would keep all turns.
   * @param payload as in the `onSend` hook. A stream counts as nothing: it is read only while its connection takes the
   *   data
   */
  endWithResponse(payload: unknown, response: ServerResponse): void {
    // No event follows if it is closed.
    if (this.#queue.has(this) && !response.closed)
      response.once('close', this.#queue.send(lengthOf(payload)));
    this.end();
  }
}

/** The requests of a group. */
class Queue {
  /** All that have not ended, including those whose bodies arrive. */
  readonly #turns = new Set<Turn>();
  /** When each began. */
  readonly #running = new Map<Turn, number>();
  readonly #waiting = new Map<Turn, () => void>();
  /** Size of the responses whose turns have ended. */
  #unsentBytes = 0;
  readonly #limits: CompleteLimits;
  #atOnce: number;
  readonly #onEmpty: () => void;

  constructor(limits: CompleteLimits, onEmpty: () => void) {
    this.#limits = limits;
    this.#atOnce = limits.atOnce;
    this.#onEmpty = onEmpty;
  }

  /** @throws {ProblemError} `too-many-requests` */
  add(): Turn {
    const { atOnce, waiting } = this.#limits;
    if (this.#turns.size >= atOnce + waiting) throw tooMany();
    const turn = new Turn(this);
    this.#turns.add(turn);
    return turn;
  }

  /** Whether a turn has not ended. */
  has(turn: Turn): boolean {
    return this.#turns.has(turn);
  }

  begin(turn: Turn, onBegin: () => void): void {
    this.#waiting.set(turn, onBegin);
    this.#next();
  }

  end(turn: Turn): void {
    if (!this.#turns.delete(turn)) return;
    const beganAt = this.#running.get(turn);
    if (beganAt !== undefined) this.#grow(performance.now() - beganAt);
    this.#running.delete(turn);
    this.#waiting.delete(turn);
    this.#next();
    this.#endIfEmpty();
  }

  #grow(tookMs: number): void {
    const { atOnce, growth } = this.#limits;
    this.#atOnce = tookMs < growth.quickMs ? Math.min(this.#atOnce + 1, growth.most) : atOnce;
  }

  /** Counts the bytes of a response. Returns a function to call when it is sent. */
  send(bytes: number): () => void {
    this.#unsentBytes += bytes;
    return () => {
      this.#unsentBytes -= bytes;
      this.#next();
      this.#endIfEmpty();
    };
  }

  #endIfEmpty(): void {
    if (this.#turns.size === 0 && this.#unsentBytes === 0) this.#onEmpty();
  }

  #next(): void {
    const { unsentBytes } = this.#limits;
    for (const [turn, onBegin] of this.#waiting) {
      if (this.#running.size >= this.#atOnce || this.#unsentBytes >= unsentBytes) return;
      this.#waiting.delete(turn);
      this.#running.set(turn, performance.now());
      // In another turn of the event loop, because requests without a body would otherwise follow without a pause.
      setImmediate(onBegin);
    }
  }
}

function lengthOf(payload: unknown): number {
  if (typeof payload === 'string') return Buffer.byteLength(payload);
  return Buffer.isBuffer(payload) ? payload.length : 0;
}

function tooMany(): ProblemError {
  return new ProblemError('too-many-requests', 'Too many requests wait for their turn', {
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
  });
}
