const TICK_MS = 50;
/** A longer time between two ticks is a pause of the process, or work that blocks it. It counts as this much. */
const LONGEST_TICK_MS = 1_000;

/** Measures time in this process. */
export interface RunningTime extends Disposable {
  /** Milliseconds since the start. */
  readonly ms: number;
}

/**
 * Measures how long something takes while this process runs. A pause of the process counts as a second, however long
 * it was, so that a paused machine does not make the program look slow.
 */
export function measureRunningTime(): RunningTime {
  let ms = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    ms += Math.min(now - last, LONGEST_TICK_MS);
    last = now;
  }, TICK_MS);
  return {
    get ms() {
      return ms;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
