import { Node, Yallist } from 'yallist';
import { keepNewest } from '../keep-newest.ts';
import type { MessageLease } from '../queue/message-queue.ts';

/** A request that takes longer is slow: it waits, without using the processor. */
const SLOW_AFTER_MS = 100;
/** After a request that took this long, the next one of the line counts as slow from its start. */
const REMEMBERED_AFTER_MS = 1_000;
/** Maximum number of slow lines that are remembered. */
const MAX_REMEMBERED = 20_000;
/** The limit of slow requests: a multiple of the limit of quick ones, but at least a minimum. */
const SLOW_SHARE = 16;
const MIN_SLOW_LIMIT = 1_024;
/** The share of slow requests that may go to one origin. */
const ORIGIN_SHARE = 1 / 16;
/**
 * How long a message waits on average if its origin is at its limit: as long as the origin has been, within these
 * limits.
 */
const ORIGIN_PAUSE_MIN_MS = 500;
const ORIGIN_PAUSE_MAX_MS = 10_000;

function slowLimitOf(quickLimit: number): number {
  return Math.max(MIN_SLOW_LIMIT, quickLimit * SLOW_SHARE);
}

/** The maximum number of requests in flight, quick and slow. */
export function maxDeliveries(quickLimit: number): number {
  return quickLimit + slowLimitOf(quickLimit);
}

/** A request in flight. */
interface RequestInFlight {
  readonly lease: MessageLease;
  readonly origin: string;
  /** Milliseconds on the clock of the slots. */
  readonly takenAt: number;
  slow: boolean;
}

/** The slot of a request in flight. */
export type Slot = Node<RequestInFlight>;

/** The state of an origin with slow requests. */
interface SlowOrigin {
  count: number;
  /** Since when the origin is at its limit, on the clock of the slots; null if it is below. */
  fullSince: number | null;
}

/**
 * Limits the requests in flight. Slow requests have a larger limit of their own, because a waiting request needs only a
 * socket and some memory. In normal slots, hanging targets would slow down all others. Lines that were slow recently
 * count as slow from the start, so a target that always hangs delays others only once.
 *
 * Each origin may have only a share of the slow requests, so one with many hanging targets leaves room for the others.
 */
export class DeliverySlots {
  readonly #quickLimit: number;
  readonly #totalLimit: number;
  readonly #originLimit: number;
  readonly #elapsed: () => number;
  /**
   * Quick requests, in the order in which their slots were taken, so that the search for slow ones can stop early. A
   * list, not a Set: decision 14.
   */
  readonly #quick = new Yallist<RequestInFlight>();
  readonly #slow = new Yallist<RequestInFlight>();
  readonly #slowLines = new Set<number>();
  /** The lines with a request in flight. */
  readonly #lines = new Set<number>();
  readonly #slowOrigins = new Map<string, SlowOrigin>();

  /** @param elapsed monotonic clock, in milliseconds */
  constructor({ quickLimit, elapsed }: { quickLimit: number; elapsed: () => number }) {
    this.#quickLimit = quickLimit;
    const slowLimit = slowLimitOf(quickLimit);
    this.#totalLimit = maxDeliveries(quickLimit);
    this.#originLimit = Math.ceil(slowLimit * ORIGIN_SHARE);
    this.#elapsed = elapsed;
  }

  /** The number of requests in flight. */
  get taken(): number {
    return this.#quick.length + this.#slow.length;
  }

  /** Whether a line has a request in flight. */
  holds(lineId: number): boolean {
    return this.#lines.has(lineId);
  }

  /** The leases of the messages in flight. */
  leases(): MessageLease[] {
    return [...this.#quick, ...this.#slow].map(({ lease }) => lease);
  }

  /** The number of further requests that may be sent now. */
  free(): number {
    this.#sweep();
    return Math.max(0, Math.min(this.#quickLimit - this.#quick.length, this.#totalLimit - this.taken));
  }

  /** The milliseconds until another slot becomes free at the latest; null if a request has to end first. */
  nextFreeIn(): number | null {
    if (this.taken >= this.#totalLimit) return null;
    const oldest = this.#quick.head;
    return oldest === undefined ? null : oldest.value.takenAt + SLOW_AFTER_MS - this.#elapsed();
  }

  /** How many milliseconds, on average, a message to this origin has to wait; null if it need not wait. */
  originPause(origin: string): number | null {
    const fullSince = this.#slowOrigins.get(origin)?.fullSince ?? null;
    if (fullSince === null) return null;
    return Math.min(Math.max(this.#elapsed() - fullSince, ORIGIN_PAUSE_MIN_MS), ORIGIN_PAUSE_MAX_MS);
  }

  /** Takes a slot for the request of a message, whose line must have none. */
  take(lease: MessageLease, origin: string): Slot {
    this.#lines.add(lease.lineId);
    const slow = this.#slowLines.has(lease.lineId);
    const slot = new Node({ lease, origin, takenAt: this.#elapsed(), slow });
    if (slow) this.#addSlow(slot);
    else this.#quick.pushNode(slot);
    return slot;
  }

  /** Releases the slot of a request that has ended. */
  give(slot: Slot): void {
    const { lease, takenAt, slow } = slot.value;
    const { lineId } = lease;
    if (slow) this.#removeSlow(slot);
    else this.#quick.removeNode(slot);
    this.#lines.delete(lineId);
    this.#slowLines.delete(lineId);
    if (this.#elapsed() - takenAt < REMEMBERED_AFTER_MS) return;
    this.#slowLines.add(lineId);
    keepNewest(this.#slowLines, MAX_REMEMBERED);
  }

  #addSlow(slot: Slot): void {
    const { origin } = slot.value;
    this.#slow.pushNode(slot);
    const slowOrigin = this.#slowOrigins.get(origin) ?? { count: 0, fullSince: null };
    this.#slowOrigins.set(origin, slowOrigin);
    slowOrigin.count += 1;
    if (slowOrigin.count >= this.#originLimit) slowOrigin.fullSince ??= this.#elapsed();
  }

  #removeSlow(slot: Slot): void {
    const { origin } = slot.value;
    this.#slow.removeNode(slot);
    const slowOrigin = this.#slowOrigins.get(origin);
    if (slowOrigin === undefined) return;
    slowOrigin.count -= 1;
    if (slowOrigin.count < this.#originLimit) slowOrigin.fullSince = null;
    if (slowOrigin.count === 0) this.#slowOrigins.delete(origin);
  }

  #sweep(): void {
    const now = this.#elapsed();
    let oldest = this.#quick.head;
    while (oldest !== undefined && now - oldest.value.takenAt >= SLOW_AFTER_MS) {
      const next = this.#quick.removeNode(oldest);
      oldest.value.slow = true;
      this.#addSlow(oldest);
      oldest = next;
    }
  }
}
