import { describe } from 'node:test';
import { headContract } from './contract-heads.ts';
import { leaseContract } from './contract-leases.ts';
import { orderContract } from './contract-order.ts';
import { overviewContract } from './contract-overview.ts';
import { randomContract } from './contract-random.ts';
import { settlingContract } from './contract-settling.ts';
import type { OpenQueue } from './queue-engine.ts';

/** Random uses that are tried of an engine. */
const RANDOM_RUNS = 60;

/** What every engine of the message queue must do; `open` gives an empty queue of the engine. */
export function queueContract(
  engine: string,
  open: OpenQueue,
  { randomRuns = RANDOM_RUNS }: { randomRuns?: number } = {},
): void {
  describe(`the message queue of the engine ${engine}`, () => {
    orderContract(open);
    leaseContract(open);
    settlingContract(open);
    headContract(open);
    overviewContract(open);
    if (randomRuns > 0) randomContract(open, randomRuns);
  });
}
