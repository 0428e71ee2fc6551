/**
 * Runs `work` over all items, at most `limit` at a time. After the first failure, no further item is started and
 * `signal` is aborted. The failure is thrown once all running work has ended, so nothing is left running.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  limit: number,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const remaining = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    try {
      for (let next = remaining.next(); !next.done && !stop.signal.aborted; next = remaining.next()) {
        await work(next.value, stop.signal);
      }
    } catch (error) {
      stop.abort(error);
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  stop.signal.throwIfAborted();
}
