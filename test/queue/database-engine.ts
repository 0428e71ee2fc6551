import type { Database } from '../../src/database/database.ts';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { ManualClock } from '../support/clock.ts';
import { openTestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { type QueueEngine, readDeadLetters } from './queue-engine.ts';

/**
 * Opens an empty queue in a database of its own.
 * @param through wraps the database for the queue
 */
export async function openDatabaseQueue(
  through: (database: Database) => Database = (database) => database,
): Promise<QueueEngine & { queue: DatabaseQueue }> {
  await using stack = new AsyncDisposableStack();
  const database = through(stack.use(await openTestDatabase()).database);
  const clock = new ManualClock();
  const queue = new DatabaseQueue({ database, maxReceives: 1_000, now: clock.now });
  const opened = stack.move();
  return {
    queue,
    database,
    now: clock.now,
    pass: async (ms) => clock.pass(ms),
    arrived: () => (ON_POSTGRES ? signalsArrived(database) : Promise.resolve()),
    clockIsOurs: true,
    deadLetters: () => readDeadLetters(database),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Resolves when the signals of all committed transactions have arrived: they arrive in the order of the commits. */
async function signalsArrived(database: Database): Promise<void> {
  const { promise: arrived, resolve } = Promise.withResolvers<void>();
  using _listening = database.onSignal('test_arrived', resolve);
  await database.transaction(async (tx) => tx.signal('test_arrived'));
  await arrived;
}
