import { Node, Yallist } from 'yallist';

/** After this long a request is only waited for: it has left the processor to others. */
const SLOW_AFTER_MS = 100;
/** A line whose latest request took this long is taken for slow from the start of its next one. */
const REMEMBERED_AFTER_MS = 1_000;
/** Lines that are remembered as slow; beyond it the one that has been so for longest is forgotten. */
const MAX_REMEMBERED = 20_000;
/** Slow requests that may be out at a time: so many for each one that is not, and at least this many. */
const SLOW_SHARE = 16;
const MIN_SLOW_LIMIT = 1_024;

/** Proves that a message is this instance's to deliver. */
export interface MessageLease {
  readonly lineId: number;
  readonly leaseToken: string;
}

/** A request in flight. */
interface RequestInFlight {
  readonly lease: MessageLease;
  /** Milliseconds on the slots' clock. */
  readonly takenAt: number;
  slow: boolean;
}

/** A request's place. */
export type Slot = Node<RequestInFlight>;

/**
 * Bounds the requests in flight. Those that merely wait for their target are counted apart and generously: a
 * waiting request costs a socket and some memory, while a slot that it kept from the others would make one
 * target that hangs slow down all. Lines that were slow lately count so from the start, so that a target that
 * hangs at every attempt holds up others once, for as long as it takes to notice, and then no more.
 */
export class DeliverySlots {
  readonly #quickLimit: number;
  readonly #totalLimit: number;
  readonly #elapsed: () => number;
  /** In the order they were taken, so that a look for slow ones stops at the first young one. Not a set: decision 14. */
  readonly #quick = new Yallist<RequestInFlight>();
  readonly #slow = new Yallist<RequestInFlight>();
  readonly #slowLines = new Set<number>();

  /** @param elapsed milliseconds on a clock that nobody sets. */
  constructor({ quickLimit, elapsed }: { quickLimit: number; elapsed: () => number }) {
    this.#quickLimit = quickLimit;
    this.#totalLimit = quickLimit + Math.max(MIN_SLOW_LIMIT, quickLimit * SLOW_SHARE);
    this.#elapsed = elapsed;
  }

  /** How many requests are in flight. */
  get taken(): number {
    return this.#quick.length + this.#slow.length;
  }

  /** The leases of the messages in flight. */
  leases(): MessageLease[] {
    return [...this.#quick, ...this.#slow].map(({ lease: { lineId, leaseToken } }) => ({
      lineId,
      leaseToken,
    }));
  }

  /** How many more may go out now, of whatever lines. */
  free(): number {
    this.#sweep();
    return Math.max(0, Math.min(this.#quickLimit - this.#quick.length, this.#totalLimit - this.taken));
  }

  /** In how many milliseconds one will be free at the latest that is not now; null: when one is given back. */
  nextFreeIn(): number | null {
    if (this.taken >= this.#totalLimit) return null;
    const oldest = this.#quick.head;
    return oldest === undefined ? null : oldest.value.takenAt + SLOW_AFTER_MS - this.#elapsed();
  }

  /** Takes a place for the request of a message. */
  take(lease: MessageLease): Slot {
    const slow = this.#slowLines.has(lease.lineId);
    const slot = new Node({ lease, takenAt: this.#elapsed(), slow });
    (slow ? this.#slow : this.#quick).pushNode(slot);
    return slot;
  }

  /** Gives a place back when its request has ended. */
  give(slot: Slot): void {
    const { lease, takenAt, slow } = slot.value;
    const { lineId } = lease;
    (slow ? this.#slow : this.#quick).removeNode(slot);
    this.#slowLines.delete(lineId);
    if (this.#elapsed() - takenAt >= REMEMBERED_AFTER_MS) this.#remember(lineId);
  }

  #remember(lineId: number): void {
    if (this.#slowLines.size >= MAX_REMEMBERED) {
      const [longest] = this.#slowLines;
      if (longest !== undefined) this.#slowLines.delete(longest);
    }
    this.#slowLines.add(lineId);
  }

  #sweep(): void {
    const now = this.#elapsed();
    let oldest = this.#quick.head;
    while (oldest !== undefined && now - oldest.value.takenAt >= SLOW_AFTER_MS) {
      const next = this.#quick.removeNode(oldest);
      oldest.value.slow = true;
      this.#slow.pushNode(oldest);
      oldest = next;
    }
  }
}
