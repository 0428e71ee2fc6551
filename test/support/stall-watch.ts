import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryFolder } from './temporary-folder.ts';

const LOOK_EVERY_MS = 10;
/** Shorter stalls are not recorded. */
const RECORDED_FROM_MS = 20;
/** Times of a thread: running, and ready to run while other programs had the processor, in nanoseconds. */
const SCHEDULE = '/proc/self/schedstat';
const NS_PER_MS = 1_000_000;

const WATCH = `import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
const waited = () => Number(readFileSync('${SCHEDULE}', 'utf8').split(' ')[1]) / ${NS_PER_MS};
if (isMainThread) {
  let last = performance.now();
  let lastWaited = waited();
  setInterval(() => {
    const [now, nowWaited] = [performance.now(), waited()];
    const stall = now - last - ${LOOK_EVERY_MS} - (nowWaited - lastWaited);
    [last, lastWaited] = [now, nowWaited];
    if (stall >= ${RECORDED_FROM_MS}) appendFileSync(process.env.STALLS_FILE, stall + '\\n');
  }, ${LOOK_EVERY_MS}).unref();
}`;

/** Records when a process blocks its event loop, whether it computes or waits. Start the process with its options. */
export interface StallWatch extends Disposable {
  /** Options of `startProcess`. */
  readonly options: { preload: string; env: Record<string, string> };
  /** Forgets the stalls so far. */
  reset(): void;
  /**
   * The longest stall since the last {@link reset}, in ms; 0 if all were shorter than 20 ms. The time for which other programs
   * had the processor does not count.
   */
  longestMs(): number;
}

/** Prepares to watch a process; null if the system does not say how long a thread waits for a processor. */
export function watchStalls(): StallWatch | null {
  if (!existsSync(SCHEDULE)) return null;
  const folder = temporaryFolder();
  const file = path.join(folder.path, 'stalls');
  const stalls = () =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(Number) : [];
  let from = 0;
  return {
    options: { preload: WATCH, env: { STALLS_FILE: file } },
    reset() {
      from = stalls().length;
    },
    longestMs: () => Math.max(0, ...stalls().slice(from)),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}
