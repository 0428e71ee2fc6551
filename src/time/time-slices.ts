/** How long work may run before the event loop turns, in milliseconds. */
const SLICE_MS = 15;

/**
 * Divides work that blocks the event loop into slices, so that requests, reads and timers are served during a large
 * transaction or a large page.
 */
export class TimeSlices {
  #end = 0;

  /** Whether the event loop must turn before more work. */
  get isUsedUp(): boolean {
    return performance.now() >= this.#end;
  }

  /** Begins a slice. Begin the loop directly after the event loop has turned. */
  begin(): void {
    this.#end = performance.now() + SLICE_MS;
  }

  /** Lets the event loop turn, then begins a slice. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.begin();
  }

  /** Lets the event loop turn if the slice is used up. */
  async pause(): Promise<void> {
    if (this.isUsedUp) await this.next();
  }
}

/** The items of a loop whose work is divided into {@link TimeSlices}. Begin the loop directly after the event loop has turned. */
export async function* inSlices<Item>(items: Iterable<Item>): AsyncGenerator<Item, void, undefined> {
  const slices = new TimeSlices();
  slices.begin();
  for (const item of items) {
    yield item;
    await slices.pause();
  }
}
