import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  ListQueueTagsCommand,
  PurgeQueueCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import type { Settings } from '../../src/settings/settings-table.ts';
import type { SqsPlace } from '../../src/settings/sqs-place.ts';
import { provideAwsCredentials } from '../support/aws-credentials.ts';

const REGION = 'us-east-1';

/** An SQS-compatible server: the one that `SQS_ENDPOINT` names, else one of this process. */
export interface SqsServer extends AsyncDisposable {
  readonly endpoint: string;
  readonly region: string;
  /** It runs in this process and uses its `Date.now`. */
  readonly isOurs: boolean;
}

/** Two FIFO queues of a test, with the redrive policy between them. */
export interface TestQueues extends AsyncDisposable {
  readonly place: SqsPlace;
  readonly client: SQSClient;
  url(queue: 'messages' | 'dead letters'): Promise<string>;
  attributes(queue: 'messages' | 'dead letters'): Promise<Record<string, string>>;
  tags(queue: 'messages' | 'dead letters'): Promise<Record<string, string>>;
  purge(): Promise<void>;
  /** Deletes the queue of messages. */
  delete(): Promise<void>;
  /** Creates the queue of messages again, as it was at first. */
  createAgain(): Promise<void>;
}

/** The settings of a service on these queues. */
export function settingsOf(place: SqsPlace) {
  return {
    queue_driver: 'sqs' as const,
    message_queue_name: place.messageQueueName,
    dead_letter_queue_name: place.deadLetterQueueName,
    ...(place.region === null ? {} : { sqs_region: place.region }),
    ...(place.endpoint === null ? {} : { sqs_endpoint: place.endpoint }),
  } satisfies Partial<Settings>;
}

export async function startSqsServer(): Promise<SqsServer> {
  provideAwsCredentials();
  const endpoint = process.env.SQS_ENDPOINT;
  const region = process.env.AWS_REGION ?? REGION;
  if (endpoint !== undefined) {
    return { endpoint, region, isOurs: false, [Symbol.asyncDispose]: async () => {} };
  }
  // Its own start function would listen on every address of the machine.
  const server = buildApp({ logger: false });
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  return { endpoint: address, region, isOurs: true, [Symbol.asyncDispose]: () => server.close() };
}

/** Creates a pair of queues with unique names. */
export async function createTestQueues(
  { endpoint, region }: Pick<SqsServer, 'endpoint' | 'region'>,
  { maxReceives = 1_000, redrive = true }: { maxReceives?: number; redrive?: boolean } = {},
): Promise<TestQueues> {
  const name = `test-${randomUUID()}`;
  const place: SqsPlace = {
    messageQueueName: `${name}.fifo`,
    deadLetterQueueName: `${name}-dead.fifo`,
    region,
    endpoint,
  };
  const client = new SQSClient({ endpoint, region, useQueueUrlAsEndpoint: false });
  const urls = new Map<string, string>();
  const create = async (QueueName: string, attributes: Record<string, string> = {}) => {
    const { QueueUrl = '' } = await client.send(
      new CreateQueueCommand({
        QueueName,
        Attributes: { FifoQueue: 'true', MessageRetentionPeriod: '1209600', ...attributes },
      }),
    );
    urls.set(QueueName, QueueUrl);
  };
  const url = async (queue: 'messages' | 'dead letters') =>
    urls.get(queue === 'messages' ? place.messageQueueName : place.deadLetterQueueName) ?? '';
  const attributes = async (queue: 'messages' | 'dead letters') => {
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: await url(queue), AttributeNames: ['All'] }),
    );
    return Attributes;
  };
  await create(place.deadLetterQueueName);
  const { QueueArn = '' } = await attributes('dead letters');
  const policy = JSON.stringify({ deadLetterTargetArn: QueueArn, maxReceiveCount: maxReceives });
  const createMessageQueue = async () =>
    void (await create(place.messageQueueName, {
      VisibilityTimeout: '120',
      ...(redrive ? { RedrivePolicy: policy } : {}),
    }));
  await createMessageQueue();
  return {
    place,
    client,
    url,
    attributes,
    tags: async (queue) => {
      const { Tags = {} } = await client.send(new ListQueueTagsCommand({ QueueUrl: await url(queue) }));
      return Tags;
    },
    purge: async () => void (await client.send(new PurgeQueueCommand({ QueueUrl: await url('messages') }))),
    delete: async () => void (await client.send(new DeleteQueueCommand({ QueueUrl: await url('messages') }))),
    createAgain: createMessageQueue,
    [Symbol.asyncDispose]: async () => {
      for (const queue of ['messages', 'dead letters'] as const)
        await url(queue)
          .then((QueueUrl) => client.send(new DeleteQueueCommand({ QueueUrl })))
          .catch(() => undefined);
      client.destroy();
    },
  };
}
