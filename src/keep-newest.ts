/** Deletes the entries of a map or set that were added first, until at most `count` remain. */
export function keepNewest(entries: Map<unknown, unknown> | Set<unknown>, count: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= count) return;
    entries.delete(oldest);
  }
}
