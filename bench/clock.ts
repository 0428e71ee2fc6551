const NS_PER_MS = 1e6;

/** Milliseconds of the machine's steady clock, the same in all of its processes (`performance.now()` is not). */
export function sharedNow(): number {
  return Number(process.hrtime.bigint()) / NS_PER_MS;
}
