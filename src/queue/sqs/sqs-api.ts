import { randomUUID } from 'node:crypto';
import {
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
  TagQueueCommand,
} from '@aws-sdk/client-sqs';
import type { SqsPlace } from '../../settings/sqs-place.ts';
import { toSqsError } from './sqs-error.ts';

/** Amazon's limit on the entries of a batch. */
export const BATCH_ENTRIES = 10;

const MAX_WAIT_SECONDS = 20;
const CONNECTION_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** Including the first. */
const TRIES = 2;
const SOCKETS = 40;

/** The queue of messages to deliver, and the dead-letter queue. */
export type QueueKind = 'messages' | 'dead letters';

/** A copy of a message, as Amazon SQS takes it. */
export type SqsMessage = Omit<SendMessageBatchRequestEntry, 'Id'> & { MessageBody: string };

/** Why an entry of a batch failed; `isOurs`: it would again. */
export interface FailedEntry {
  index: number;
  code: string;
  isOurs: boolean;
}

/**
 * The requests that this service makes to Amazon SQS. They fail with {@link SqsError}. Credentials are found as every AWS
 * program finds them: environment, profile, role.
 */
export class SqsApi implements Disposable {
  readonly place: SqsPlace;
  readonly #client: SQSClient;
  readonly #urls = new Map<QueueKind, string>();

  constructor(place: SqsPlace) {
    this.place = place;
    const agent = { keepAlive: true, maxSockets: SOCKETS };
    this.#client = new SQSClient({
      ...(place.region === null ? {} : { region: place.region }),
      ...(place.endpoint === null ? {} : { endpoint: place.endpoint }),
      // Requests go to the endpoint that was set, whatever host the queue's address names.
      useQueueUrlAsEndpoint: false,
      maxAttempts: TRIES,
      requestHandler: {
        connectionTimeout: CONNECTION_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        throwOnRequestTimeout: true,
        httpAgent: agent,
        httpsAgent: agent,
      },
    });
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }

  nameOf(queue: QueueKind): string {
    return queue === 'messages' ? this.place.messageQueueName : this.place.deadLetterQueueName;
  }

  /** @throws {Error} when no region is set anywhere. */
  async region(): Promise<string> {
    return await this.#client.config.region();
  }

  async attributes(queue: QueueKind): Promise<Record<string, string>> {
    const { Attributes = {} } = await this.#ask(queue, 'read the attributes of', (QueueUrl) =>
      this.#client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] })),
    );
    return Attributes;
  }

  async setAttributes(queue: QueueKind, Attributes: Record<string, string>): Promise<void> {
    await this.#ask(queue, 'change the attributes of', (QueueUrl) =>
      this.#client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes })),
    );
  }

  async tags(queue: QueueKind): Promise<Record<string, string>> {
    const { Tags = {} } = await this.#ask(queue, 'read the tags of', (QueueUrl) =>
      this.#client.send(new ListQueueTagsCommand({ QueueUrl })),
    );
    return Tags;
  }

  async tag(queue: QueueKind, Tags: Record<string, string>): Promise<void> {
    await this.#ask(queue, 'tag', (QueueUrl) => this.#client.send(new TagQueueCommand({ QueueUrl, Tags })));
  }

  async create(queue: QueueKind, Attributes: Record<string, string>): Promise<void> {
    const QueueName = this.nameOf(queue);
    await this.#try(`create ${QueueName}`, () =>
      this.#client.send(new CreateQueueCommand({ QueueName, Attributes })),
    );
  }

  /** Sends up to ten messages, and answers those that were not taken. */
  async send(queue: QueueKind, messages: readonly SqsMessage[]): Promise<FailedEntry[]> {
    const Entries = messages.map((message, index) => ({ Id: String(index), ...message }));
    const { Failed = [] } = await this.#ask(queue, 'take messages for', (QueueUrl) =>
      this.#client.send(new SendMessageBatchCommand({ QueueUrl, Entries })),
    );
    return Failed.map(({ Id, Code = 'Unknown', SenderFault = false }) => ({
      index: Number(Id),
      code: Code,
      isOurs: SenderFault,
    }));
  }

  /** Receives up to ten messages. */
  async receive(options: {
    visibilitySeconds: number;
    waitSeconds: number;
    signal: AbortSignal;
  }): Promise<Message[]> {
    const WaitTimeSeconds = Math.min(MAX_WAIT_SECONDS, options.waitSeconds);
    const { Messages = [] } = await this.#ask('messages', 'hand over messages of', (QueueUrl) =>
      this.#client.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: BATCH_ENTRIES,
          VisibilityTimeout: options.visibilitySeconds,
          WaitTimeSeconds,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['MessageGroupId'],
          // A second try of a call whose answer was lost gets the same messages.
          ReceiveRequestAttemptId: randomUUID(),
        }),
        { abortSignal: options.signal, requestTimeout: WaitTimeSeconds * 1_000 + REQUEST_TIMEOUT_MS },
      ),
    );
    return Messages;
  }

  /** Deletes up to ten received messages. Those whose receipt has expired stay. */
  async delete(receiptHandles: readonly string[]): Promise<void> {
    const Entries = receiptHandles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
    await this.#ask('messages', 'delete messages of', (QueueUrl) =>
      this.#client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries })),
    );
  }

  async #ask<T>(queue: QueueKind, what: string, request: (queueUrl: string) => Promise<T>): Promise<T> {
    return await this.#try(`${what} ${this.nameOf(queue)}`, async () => request(await this.#url(queue)));
  }

  async #url(queue: QueueKind): Promise<string> {
    const known = this.#urls.get(queue);
    if (known !== undefined) return known;
    const command = new GetQueueUrlCommand({ QueueName: this.nameOf(queue) });
    const { QueueUrl = '' } = await this.#client.send(command);
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
