import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityBatchCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueueTagsCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SetQueueAttributesCommand,
  SQSClient,
  type SQSClientConfig,
  TagQueueCommand,
} from '@aws-sdk/client-sqs';
import { toSqsError } from './sqs-error.ts';

/** Amazon's limit on the entries of a batch. */
export const BATCH_ENTRIES = 10;
/** Amazon's limit on the bytes of a batch, and on those of a message. */
export const BATCH_BYTES = 1_048_576;

const MAX_WAIT_SECONDS = 20;
const CONNECTION_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** Including the first. */
const TRIES = 2;
const COMMAND_SOCKETS = 32;

/** The queue of messages to deliver, and the dead-letter queue. */
export type QueueKind = 'messages' | 'dead letters';

/** Where the queues are and what they are called. A null region or endpoint comes from the AWS environment or profile. */
export interface SqsPlace {
  messageQueueName: string;
  deadLetterQueueName: string;
  region: string | null;
  endpoint: string | null;
}

/** A copy of a message, as Amazon SQS takes it. */
export type SqsMessage = Omit<SendMessageBatchRequestEntry, 'Id'> & { MessageBody: string };

/** What a batch came to, by the entry's place in it: null when done, else the error code. */
export type BatchResult = ({ code: string; isOurs: boolean } | null)[];

/**
 * The requests that this service makes to Amazon SQS. They fail with {@link SqsError}. Credentials are found as every AWS
 * program finds them: environment, profile, role.
 */
export class SqsApi implements Disposable {
  readonly place: SqsPlace;
  readonly #commands: SQSClient;
  readonly #receiving: SQSClient;
  readonly #urls = new Map<QueueKind, string>();

  /** @param receives how many receives may wait at once: they have connections of their own. */
  constructor(place: SqsPlace, { receives }: { receives: number }) {
    this.place = place;
    this.#commands = new SQSClient(configOf(place, COMMAND_SOCKETS, REQUEST_TIMEOUT_MS));
    const receiveTimeoutMs = MAX_WAIT_SECONDS * 1_000 + REQUEST_TIMEOUT_MS;
    this.#receiving = new SQSClient(configOf(place, receives + 1, receiveTimeoutMs));
  }

  [Symbol.dispose](): void {
    this.#commands.destroy();
    this.#receiving.destroy();
  }

  nameOf(queue: QueueKind): string {
    return queue === 'messages' ? this.place.messageQueueName : this.place.deadLetterQueueName;
  }

  /** @throws {SqsError} when no region is set anywhere. */
  async region(): Promise<string> {
    return await this.#try('find its region', async () => await this.#commands.config.region());
  }

  async attributes(queue: QueueKind): Promise<Record<string, string>> {
    return await this.#try(`read the attributes of ${this.nameOf(queue)}`, async () => {
      const command = new GetQueueAttributesCommand({
        QueueUrl: await this.#url(queue),
        AttributeNames: ['All'],
      });
      return (await this.#commands.send(command)).Attributes ?? {};
    });
  }

  async setAttributes(queue: QueueKind, Attributes: Record<string, string>): Promise<void> {
    await this.#try(`change the attributes of ${this.nameOf(queue)}`, async () =>
      this.#commands.send(new SetQueueAttributesCommand({ QueueUrl: await this.#url(queue), Attributes })),
    );
  }

  async tags(queue: QueueKind): Promise<Record<string, string>> {
    return await this.#try(`read the tags of ${this.nameOf(queue)}`, async () => {
      const command = new ListQueueTagsCommand({ QueueUrl: await this.#url(queue) });
      return (await this.#commands.send(command)).Tags ?? {};
    });
  }

  async tag(queue: QueueKind, Tags: Record<string, string>): Promise<void> {
    await this.#try(`tag ${this.nameOf(queue)}`, async () =>
      this.#commands.send(new TagQueueCommand({ QueueUrl: await this.#url(queue), Tags })),
    );
  }

  async create(queue: QueueKind, Attributes: Record<string, string>): Promise<void> {
    const QueueName = this.nameOf(queue);
    await this.#try(`create ${QueueName}`, () =>
      this.#commands.send(new CreateQueueCommand({ QueueName, Attributes })),
    );
  }

  /** Sends up to ten messages. */
  async send(queue: QueueKind, messages: readonly SqsMessage[]): Promise<BatchResult> {
    return await this.#try(`take messages for ${this.nameOf(queue)}`, async () => {
      const Entries = messages.map((message, index) => ({ Id: String(index), ...message }));
      const command = new SendMessageBatchCommand({ QueueUrl: await this.#url(queue), Entries });
      return toResult(messages.length, await this.#commands.send(command));
    });
  }

  /** Receives up to ten messages. */
  async receive(options: {
    visibilitySeconds: number;
    waitSeconds: number;
    signal: AbortSignal;
  }): Promise<Message[]> {
    return await this.#try(`hand over messages of ${this.nameOf('messages')}`, async () => {
      const command = new ReceiveMessageCommand({
        QueueUrl: await this.#url('messages'),
        MaxNumberOfMessages: BATCH_ENTRIES,
        VisibilityTimeout: options.visibilitySeconds,
        WaitTimeSeconds: Math.min(MAX_WAIT_SECONDS, options.waitSeconds),
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['MessageGroupId'],
        // A second try of a call whose answer was lost gets the same messages.
        ReceiveRequestAttemptId: randomUUID(),
      });
      const { Messages = [] } = await this.#receiving.send(command, { abortSignal: options.signal });
      return Messages;
    });
  }

  async delete(receiptHandles: readonly string[]): Promise<BatchResult> {
    return await this.#try(`delete messages of ${this.nameOf('messages')}`, async () => {
      const Entries = receiptHandles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
      const command = new DeleteMessageBatchCommand({ QueueUrl: await this.#url('messages'), Entries });
      return toResult(Entries.length, await this.#commands.send(command));
    });
  }

  /** Makes received messages visible again. */
  async giveBack(receiptHandles: readonly string[]): Promise<BatchResult> {
    return await this.#try(`take messages of ${this.nameOf('messages')} back`, async () => {
      const Entries = receiptHandles.map((ReceiptHandle, index) => ({
        Id: String(index),
        ReceiptHandle,
        VisibilityTimeout: 0,
      }));
      const QueueUrl = await this.#url('messages');
      const command = new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries });
      return toResult(Entries.length, await this.#commands.send(command));
    });
  }

  async #url(queue: QueueKind): Promise<string> {
    const known = this.#urls.get(queue);
    if (known !== undefined) return known;
    const command = new GetQueueUrlCommand({ QueueName: this.nameOf(queue) });
    const { QueueUrl = '' } = await this.#commands.send(command);
    this.#urls.set(queue, QueueUrl);
    return QueueUrl;
  }

  async #try<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      const failed = toSqsError(error, what);
      // A queue that was deleted and created again may have another address.
      if (failed.failure === 'missing queue') this.#urls.clear();
      throw failed;
    }
  }
}

function configOf(place: SqsPlace, maxSockets: number, requestTimeout: number): SQSClientConfig {
  const agent = { keepAlive: true, maxSockets };
  return {
    ...(place.region === null ? {} : { region: place.region }),
    ...(place.endpoint === null ? {} : { endpoint: place.endpoint }),
    // Requests go to the endpoint that was set, whatever host the queue's address names.
    useQueueUrlAsEndpoint: false,
    maxAttempts: TRIES,
    requestHandler: {
      connectionTimeout: CONNECTION_TIMEOUT_MS,
      requestTimeout,
      throwOnRequestTimeout: true,
      socketAcquisitionWarningTimeout: requestTimeout * 2,
      httpAgent: agent,
      httpsAgent: agent,
    },
  };
}

interface BatchOutput {
  Successful?: { Id?: string | undefined }[] | undefined;
  Failed?:
    | { Id?: string | undefined; Code?: string | undefined; SenderFault?: boolean | undefined }[]
    | undefined;
}

/** An entry that the answer does not name counts as failed. */
function toResult(count: number, { Successful = [], Failed = [] }: BatchOutput): BatchResult {
  const result: BatchResult = Array.from({ length: count }, () => ({ code: 'Unanswered', isOurs: false }));
  for (const { Id } of Successful) result[Number(Id)] = null;
  for (const { Id, Code = 'Unknown', SenderFault = false } of Failed)
    result[Number(Id)] = { code: Code, isOurs: SenderFault };
  return result.slice(0, count);
}
