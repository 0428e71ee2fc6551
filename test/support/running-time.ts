const TICK_MS = 50;

/** Measures time in this process. */
export interface RunningTime extends Disposable {
  /** Milliseconds since the start. */
  readonly ms: number;
}

/**
 * Measures how long something takes while this process runs. A pause of the process counts as a moment, however long it
 * was, so that a paused machine does not make the program look slow.
 */
export function measureRunningTime(): RunningTime {
  let ms = 0;
  const timer = setInterval(() => {
    ms += TICK_MS;
  }, TICK_MS);
  return {
    get ms() {
      return ms;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
