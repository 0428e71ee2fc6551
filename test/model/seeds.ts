/** The runs of the model's tests: `MODEL_SEED` repeats one, `MODEL_SEEDS` makes that many with random seeds. */
export function seedsOf(
  { MODEL_SEED, MODEL_SEEDS, MODEL_OPERATIONS }: NodeJS.ProcessEnv,
  usual: { seeds: number[]; operations: number },
): { seeds: number[]; operations: number } {
  const operations = numberOf('MODEL_OPERATIONS', MODEL_OPERATIONS) ?? usual.operations;
  const seed = numberOf('MODEL_SEED', MODEL_SEED);
  if (seed !== null) return { seeds: [seed], operations };
  const count = numberOf('MODEL_SEEDS', MODEL_SEEDS);
  // The default seeds are fixed, so that only a change of the code makes them fail.
  if (count === null) return { seeds: usual.seeds, operations };
  return { seeds: Array.from({ length: count }, () => Math.floor(Math.random() * 2 ** 32)), operations };
}

function numberOf(name: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${name} is ${text}, which is no number`);
  return Number(text);
}
