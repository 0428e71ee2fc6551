/** Keeps the newest entries of a map or set, in the order in which they were added. The others are deleted. */
export function keepNewest(entries: Map<unknown, unknown> | Set<unknown>, count: number): void {
  for (const oldest of entries.keys()) {
    if (entries.size <= count) return;
    entries.delete(oldest);
  }
}
