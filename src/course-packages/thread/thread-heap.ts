import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MIB } from '../../bytes.ts';

/** `last-resort` returns all free memory to the system. It takes two collections or more. */
type Flavor = 'regular' | 'last-resort';
type CollectGarbage = (options: { type: 'major'; execution: 'sync'; flavor: Flavor }) => void;

/** A collection is worth its time once there is this much more than the one before it left. */
const GROWTH = 1.1;
const SPARE_BYTES = 4 * MIB;

/**
 * Keeps the heap of a thread near the size that it needs. By itself, V8 lets garbage grow to a multiple of that. It also keeps
 * freed memory for other threads, even after the thread has ended.
 */
export class ThreadHeap {
  readonly #collectGarbage: CollectGarbage;
  #idleBytes: number;
  #neededBytes: number;

  /** Manages the heap of the thread that calls it. */
  constructor() {
    // Only contexts that are created while the flag is set have the function. The flag is one for the whole process, so it
    // stays set: another thread may be creating its context just now.
    setFlagsFromString('--expose-gc');
    this.#collectGarbage = runInNewContext('gc') as CollectGarbage;
    this.#idleBytes = usedBytes();
    this.#neededBytes = this.#idleBytes;
  }

  /** Collects garbage if much was allocated since the last time. To be called often during work: a check takes 10 µs. */
  collectIfGrown(): void {
    if (hasGrown(this.#neededBytes)) this.#collect('regular');
    // V8 collects by itself, too.
    this.#neededBytes = Math.min(this.#neededBytes, usedBytes());
  }

  /** To be called after work: returns the memory that it took to the system. */
  release(): void {
    if (!hasGrown(this.#idleBytes)) return;
    this.#collect('last-resort');
    this.#idleBytes = this.#neededBytes;
  }

  #collect(flavor: Flavor): void {
    this.#collectGarbage({ type: 'major', execution: 'sync', flavor });
    this.#neededBytes = usedBytes();
  }
}

function hasGrown(fromBytes: number): boolean {
  return usedBytes() > fromBytes * GROWTH + SPARE_BYTES;
}

/** Objects and buffers. */
function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}
