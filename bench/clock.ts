const NS_PER_MS = 1e6;

/** Milliseconds of the machine's monotonic clock, the same in all processes, unlike `performance.now()`. */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / NS_PER_MS;
}
