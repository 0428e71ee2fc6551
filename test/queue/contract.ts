import { describe } from 'node:test';
import { ON_POSTGRES } from '../support/postgres.ts';
import { headContract } from './contract-heads.ts';
import { leaseContract } from './contract-leases.ts';
import { orderContract } from './contract-order.ts';
import { overviewContract } from './contract-overview.ts';
import { randomContract } from './contract-random.ts';
import { removalContract } from './contract-removals.ts';
import { settlingContract } from './contract-settling.ts';
import type { OpenQueue } from './queue-engine.ts';

/**
 * The number of random runs per engine by default. Each has hundreds of statements, and a database server needs a round
 * trip for each.
 */
const RANDOM_RUNS = ON_POSTGRES ? 8 : 40;

/** What every engine of the message queue must do; `open` gives an empty queue of the engine. */
export function queueContract(engine: string, open: OpenQueue, randomRuns = RANDOM_RUNS): void {
  describe(`the message queue of the engine ${engine}`, () => {
    orderContract(open);
    leaseContract(open);
    settlingContract(open);
    headContract(open);
    removalContract(open);
    overviewContract(open);
    randomContract(open, randomRuns);
  });
}
