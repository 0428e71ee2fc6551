import { describe, it } from 'node:test';
import fc from 'fast-check';
import { aroundTests } from '../support/around-tests.ts';
import { openTestDatabase } from '../support/database.ts';
import { ON_POSTGRES } from '../support/postgres.ts';
import { SqsMix } from './sqs-mix.ts';
import { MIX_LINES, type MixStep, mixStep } from './sqs-mix-steps.ts';
import { startSqsProxy } from './sqs-proxy.ts';
import { createTestQueues, type SqsServer, startSqsServer } from './sqs-server.ts';

const RUNS = Number(process.env.SQS_MIX_RUNS ?? (ON_POSTGRES ? 4 : 8));
let server: SqsServer;
aroundTests(async (parts) => {
  server = parts.use(await startSqsServer());
});

describe('two instances on one database whose settings change', () => {
  it('lose nothing, repeat nothing and keep order, attempts and counts, whichever queues they use', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mixStep, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
        await using test = await openTestDatabase();
        await using first = await createTestQueues(server);
        await using second = await createTestQueues(server);
        await using proxy = await startSqsProxy(server.endpoint);
        await using mix = new SqsMix(test, [first, second], proxy);
        await mix.run(steps);
      }),
      { numRuns: RUNS },
    );
  });

  for (const polls of [
    [true, true],
    [true, false],
    [false, true],
  ] as const)
    for (const drivers of [
      ['sqs', 'sqs'],
      ['sqs', 'database'],
      ['database', 'sqs'],
    ] as const)
      it(`deliver the messages of both, in order (${drivers.join(' and ')}, polling ${polls.join(' and ')})`, async () => {
        await using test = await openTestDatabase();
        await using first = await createTestQueues(server);
        await using proxy = await startSqsProxy(server.endpoint);
        await using mix = new SqsMix(test, [first, first], proxy);
        const restarts = ([0, 1] as const).map(
          (each): MixStep => ({
            do: 'restart',
            at: each,
            mode: { driver: drivers[each], polls: polls[each], queues: 0 },
          }),
        );
        const puts = Array.from({ length: 16 }, (_, n): MixStep[] => [
          { do: 'put', at: n % 2 === 0 ? 0 : 1, line: MIX_LINES[n % 3]!, count: 1 },
          { do: 'deliver', at: n % 4 < 2 ? 0 : 1, capacity: 2, actions: ['delete', 'retry'] },
        ]).flat();
        await mix.run([...restarts, ...puts]);
      });
});
