import { describe, it } from 'node:test';
import { ON_POSTGRES } from '../support/postgres.ts';
import { runModel } from './model-run.ts';
import { seedsOf } from './seeds.ts';

/** One short run on each database, each of its own: `npm run prove -- model` makes many and longer ones. */
const SEEDS = ON_POSTGRES ? [2] : [1];
/** On PostgreSQL, every restart starts two instances. */
const OPERATIONS = ON_POSTGRES ? 40 : 60;

describe('the service behaves like the model of its specification', () => {
  const { seeds, operations } = seedsOf(process.env, { seeds: SEEDS, operations: OPERATIONS });
  for (const seed of seeds) {
    it(`in ${operations} random operations, kills and restarts (MODEL_SEED=${seed} MODEL_OPERATIONS=${operations} repeats it)`, async () => {
      await runModel({ seed, operations });
    });
  }
});
