/** How often the work is timed; the shortest time counts, since other programs only add to it. */
const TIMES = 10;
/** The time of the work, in ms of processor time, on the machine for which such limits are meant. */
const USUAL_MS = 14;
const US_PER_MS = 1_000;

/**
 * How many times slower than usual this machine is at the kind of work that services do; at least 1. Limits of
 * processor time are multiplied by it, so that they mean the same on any machine.
 */
export function slowness(): number {
  const text = JSON.stringify(
    Array.from({ length: 20_000 }, (_, n) => ({
      id: n,
      name: `name ${n}`,
      list: [n, n + 1, 'x'.repeat(20)],
    })),
  );
  let shortest = Number.POSITIVE_INFINITY;
  for (let time = 0; time < TIMES && shortest > USUAL_MS; time++) {
    const before = processorMs();
    for (let round = 0; round < 2; round++) JSON.stringify(JSON.parse(text));
    shortest = Math.min(shortest, processorMs() - before);
  }
  return Math.max(1, shortest / USUAL_MS);
}

/** Processor time that this thread has used, in ms. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / US_PER_MS;
}
