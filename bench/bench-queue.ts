import { once } from 'node:events';
import { createTestQueues } from '../test/queue/sqs-server.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import type { Workplace } from './workplace.ts';

export const QUEUE_NAMES = ['database', 'sqs'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

const REGION = 'us-east-1';
const START_DEADLINE_MS = 60_000;

/** What carries the messages of the service that is measured. */
export interface BenchQueue extends AsyncDisposable {
  readonly name: QueueName;
  /** What its numbers depend on, in a few words; null: nothing that is not said elsewhere. */
  readonly about: string | null;
  /** The environment of a service on a data folder, which keeps its queues from one start to the next. */
  environmentFor(folder: PreparedFolder): Promise<Record<string, string>>;
}

/** The queue in the service's own database. */
export const databaseBenchQueue: BenchQueue = {
  name: 'database',
  about: null,
  environmentFor: async () => ({}),
  [Symbol.asyncDispose]: async () => {},
};

/** FIFO queues of an SQS-compatible server: the one that SQS_ENDPOINT names, else a stand-in as a process of its own. */
export async function sqsBenchQueue(workplace: Workplace): Promise<BenchQueue> {
  const given = process.env.SQS_ENDPOINT;
  const endpoint = given ?? (await startStandIn(workplace));
  const region = process.env.AWS_REGION ?? REGION;
  const credentials = {
    AWS_ACCESS_KEY_ID: process.env.AWS_ACCESS_KEY_ID ?? 'bench',
    AWS_SECRET_ACCESS_KEY: process.env.AWS_SECRET_ACCESS_KEY ?? 'bench',
  };
  Object.assign(process.env, credentials);
  await using stack = new AsyncDisposableStack();
  const environments = new Map<string, Record<string, string>>();
  const kept = stack.move();
  return {
    name: 'sqs',
    about: given === undefined ? 'a stand-in on this machine, not Amazon' : new URL(given).host,
    async environmentFor({ path }) {
      const known = environments.get(path);
      if (known !== undefined) return known;
      const { place } = kept.use(await createTestQueues({ endpoint, region }));
      const environment = {
        ...credentials,
        QUEUE_DRIVER: 'sqs',
        SQS_ENDPOINT: endpoint,
        SQS_REGION: region,
        MESSAGE_QUEUE_NAME: place.messageQueueName,
        DEAD_LETTER_QUEUE_NAME: place.deadLetterQueueName,
      };
      environments.set(path, environment);
      return environment;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function startStandIn(workplace: Workplace): Promise<string> {
  const child = workplace.fork('sqs-process.ts', []);
  const [endpoint] = await once(child, 'message', { signal: AbortSignal.timeout(START_DEADLINE_MS) });
  return endpoint as string;
}
