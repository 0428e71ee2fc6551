import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createTestQueues } from '../test/queue/sqs-server.ts';
import type { PreparedFolder } from './prepared-folder.ts';
import type { Workplace } from './workplace.ts';

export const QUEUE_NAMES = ['database', 'sqs'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

const REGION = 'us-east-1';
const START_DEADLINE_MS = 60_000;
const BARE_DEADLINE_MS = 120_000;
/** The number of messages that the bare client handles: a second's worth or more. */
const BARE_MESSAGES = 6_000;
const BARE_MESSAGES_OF_ONE_GROUP = 600;

/** The result of a bare client on the same server. */
export interface BareClient {
  perSecond: number;
  requestsPerMessage: number;
}

/** The queue of the measured service. */
export interface BenchQueue extends AsyncDisposable {
  readonly name: QueueName;
  /** The properties of the server that affect the results, in a few words; null if they are reported elsewhere. */
  readonly about: string | null;
  /** The environment of a service on a data folder. It uses the same queues at each start. */
  environmentFor(folder: PreparedFolder): Promise<Record<string, string>>;
  /** The number of requests to its server so far; null if they are not counted. */
  requests(): Promise<number | null>;
  /**
   * Runs a bare client that sends messages of `groups` groups through the server to a target; null if there is no
   * server.
   */
  runBareClient(groups: number, targetUrl: string): Promise<BareClient | null>;
}

/** The queue in the service's own database. */
export const databaseBenchQueue: BenchQueue = {
  name: 'database',
  about: null,
  environmentFor: async () => ({}),
  requests: async () => null,
  runBareClient: async () => null,
  [Symbol.asyncDispose]: async () => {},
};

/** FIFO queues of an SQS-compatible server: the one in SQS_ENDPOINT, or a simulated one in a separate process. */
export async function sqsBenchQueue(workplace: Workplace): Promise<BenchQueue> {
  const given = process.env.SQS_ENDPOINT;
  const standIn = given === undefined ? await startStandIn(workplace) : null;
  const endpoint = given ?? standIn?.endpoint ?? '';
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
    async requests() {
      if (standIn === null) return null;
      standIn.process.send('count');
      const [count] = await once(standIn.process, 'message');
      return count as number;
    },
    async runBareClient(groups, targetUrl) {
      await using queues = await createTestQueues({ endpoint, region });
      const messages = groups === 1 ? BARE_MESSAGES_OF_ONE_GROUP : BARE_MESSAGES;
      const child = workplace.fork('bare-sqs-process.ts', [
        endpoint,
        region,
        await queues.url('messages'),
        targetUrl,
        String(groups),
        String(messages),
      ]);
      const [found] = await once(child, 'message', { signal: AbortSignal.timeout(BARE_DEADLINE_MS) });
      return found as BareClient;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function startStandIn(workplace: Workplace): Promise<{ endpoint: string; process: ChildProcess }> {
  const child = workplace.fork('sqs-process.ts', []);
  const [endpoint] = await once(child, 'message', { signal: AbortSignal.timeout(START_DEADLINE_MS) });
  return { endpoint: endpoint as string, process: child };
}
