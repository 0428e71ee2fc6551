import { after, before, describe } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { queueContract } from './contract.ts';
import { openTestSqsQueue, PatientSqsEngine } from './sqs-engine.ts';
import { createTestQueues, type SqsServer, startSqsServer } from './sqs-server.ts';

// Runs on SQLite in `npm test`: lines are the same rows with either engine. The contract of the database queue and the tests of copies, placing and mixes store them on both.

/** Few, because what they search is mostly the part that both engines share, and each step is several requests. */
const RANDOM_RUNS = ON_POSTGRES ? 5 : 15;
const realNow = Date.now;
let server: SqsServer;
/** A server in this process uses it, too. With another server, tests wait for real time. */
const clock = new ManualClock();

async function openSqsEngine(): Promise<PatientSqsEngine> {
  await using stack = new AsyncDisposableStack();
  const { database } = stack.use(await openTestDatabase());
  const now = () => Date.now();
  const queues = stack.use(await createTestQueues(server));
  const { queue } = stack.use(await openTestSqsQueue(database, queues, { now }));
  const opened = stack.move();
  return new PatientSqsEngine({
    database,
    queue,
    clockIsOurs: server.isOurs,
    now,
    pass: async (ms) => {
      if (server.isOurs) clock.pass(ms);
      else await delay(ms);
    },
    release: () => opened.disposeAsync(),
  });
}

describe('with an SQS-compatible server', () => {
  before(async () => {
    server = await startSqsServer();
    // The mock of `node:test` would record a stack for each of a million calls.
    if (server.isOurs) Date.now = clock.now;
  });

  // Not at the end of the file, because other tests in this process use the real time.
  after(async () => {
    Date.now = realNow;
    await server[Symbol.asyncDispose]();
  });

  queueContract('sqs', openSqsEngine, RANDOM_RUNS);
});
