import { describe, it } from 'node:test';
import { runModel } from './model-run.ts';
import { seedsOf } from './seeds.ts';

/** Few and short: `npm run prove -- model` runs many and longer ones. */
const SEEDS = 2;
const OPERATIONS = 60;

describe('the service behaves like the model of its specification', () => {
  const { seeds, operations } = seedsOf(process.env, { count: SEEDS, operations: OPERATIONS });
  for (const seed of seeds) {
    it(`in ${operations} random operations, kills and restarts (MODEL_SEED=${seed} MODEL_OPERATIONS=${operations} repeats it)`, async () => {
      await runModel({ seed, operations });
    });
  }
});
