/** How often the work is timed; the quickest time counts, since others only add to it. */
const TIMES = 10;
/** What the work takes, in ms of processor time, on the machine that limits of processor time are meant for. */
const USUAL_MS = 14;
const US_PER_MS = 1_000;

/**
 * How many times slower than usual this machine is at the kind of work that services do; at least 1. Limits of
 * processor time are multiplied by it, so that they say the same on any machine.
 */
export function slowness(): number {
  const text = JSON.stringify(
    Array.from({ length: 20_000 }, (_, n) => ({
      id: n,
      name: `name ${n}`,
      list: [n, n + 1, 'x'.repeat(20)],
    })),
  );
  const times = Array.from({ length: TIMES }, () => {
    const before = processorMs();
    for (let round = 0; round < 2; round++) JSON.stringify(JSON.parse(text));
    return processorMs() - before;
  });
  return Math.max(1, Math.min(...times) / USUAL_MS);
}

/** Processor time that this thread has used, in ms. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US_PER_MS;
}
