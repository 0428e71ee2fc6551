import path from 'node:path';
import { after, before, mock } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '../../src/database/migrate.ts';
import { SqliteDatabase } from '../../src/database/sqlite-database.ts';
import { ManualClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/service.ts';
import { queueContract } from './contract.ts';
import { openTestSqsQueue, PatientSqsEngine } from './sqs-engine.ts';
import { createTestQueues, type SqsServer, startSqsServer } from './sqs-server.ts';

let server: SqsServer;
/** The server of this process goes by it, too; another server's time has to pass by itself. */
const clock = new ManualClock();

before(async () => {
  server = await startSqsServer();
  if (server.isOurs) mock.method(Date, 'now', clock.now);
});

after(async () => {
  mock.restoreAll();
  await server[Symbol.asyncDispose]();
});

async function openSqsOnSqlite(): Promise<PatientSqsEngine> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(temporaryFolder());
  const database = stack.use(new SqliteDatabase(path.join(folder.path, 'queue.db')));
  const now = () => Date.now();
  await migrate(database, now);
  const queues = stack.use(await createTestQueues(server));
  const { queue } = stack.use(await openTestSqsQueue(database, queues, { now, maxHeldMs: 0 }));
  const opened = stack.move();
  return new PatientSqsEngine({
    database,
    queue,
    now,
    pass: async (ms) => {
      if (server.isOurs) clock.pass(ms);
      else await delay(ms);
    },
    release: () => opened.disposeAsync(),
  });
}

// The model knows no rounding up to whole seconds, nor messages that are under way while time stands still.
queueContract('sqs', openSqsOnSqlite, { randomRuns: 0 });
