import { randomUUID } from 'node:crypto';
import {
  ChangeMessageVisibilityBatchCommand,
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  SetQueueAttributesCommand,
  SQSClient,
  type SQSClientConfig,
} from '@aws-sdk/client-sqs';
import { toSqsError } from './sqs-error.ts';
import type { SqsMessage } from './sqs-message.ts';

/** Amazon's bound on the entries of a batch. */
export const BATCH_ENTRIES = 10;
/** Amazon's bound on the bytes of a batch, and on those of a message. */
export const BATCH_BYTES = 1_048_576;
/** Amazon's bound on how long a message stays hidden, counted from when it was received: 12 hours. */
export const MAX_VISIBILITY_SECONDS = 43_200;
/** Amazon's bound on how long a call may wait for a message. */
export const MAX_WAIT_SECONDS = 20;

const CONNECTION_TIMEOUT_MS = 5_000;
/** For an answer that need not wait for a message. */
const REQUEST_TIMEOUT_MS = 10_000;
/** Tries of a request in all, within which its failing is nobody's business. */
const TRIES = 2;
/** Connections beside those that wait for messages. */
const COMMAND_SOCKETS = 32;

/** The two queues: of messages to deliver, and of messages that could not be. */
export type QueueKind = 'messages' | 'dead letters';

/** Where the queues are and what they are called. */
export interface SqsPlace {
  messageQueueName: string;
  deadLetterQueueName: string;
  /** Null: as the AWS environment and profile say. */
  region: string | null;
  /** Null: as the AWS environment and profile say. */
  endpoint: string | null;
}

/** An entry of a batch that failed by itself. */
export interface FailedEntry {
  code: string;
  /** True: it will fail again as it is. */
  isOurs: boolean;
}

/** What a batch came to, by the entry's place in it; null: done. */
export type BatchResult = (FailedEntry | null)[];

/**
 * The requests that this service makes of Amazon SQS; no others. Errors come out as {@link SqsError}. Credentials, and
 * region and endpoint where none is given, are found as every AWS program finds them: environment, profile, role.
 */
export class SqsApi implements Disposable {
  readonly place: SqsPlace;
  readonly #commands: SQSClient;
  readonly #receiving: SQSClient;
  readonly #urls = new Map<QueueKind, string>();

  /** @param receives how many calls may wait for messages at once. */
  constructor(place: SqsPlace, { receives }: { receives: number }) {
    this.place = place;
    this.#commands = new SQSClient(configOf(place, COMMAND_SOCKETS, REQUEST_TIMEOUT_MS));
    // Waiting calls have connections of their own: they must not hold up deletes and sends.
    this.#receiving = new SQSClient(
      configOf(place, receives + 1, MAX_WAIT_SECONDS * 1_000 + REQUEST_TIMEOUT_MS),
    );
  }

  [Symbol.dispose](): void {
    this.#commands.destroy();
    this.#receiving.destroy();
  }

  nameOf(queue: QueueKind): string {
    return queue === 'messages' ? this.place.messageQueueName : this.place.deadLetterQueueName;
  }

  /** The region that requests go to. @throws {SqsError} when none is set anywhere. */
  async region(): Promise<string> {
    return await this.#try('find its region', async () => await this.#commands.config.region());
  }

  /** @throws {SqsError} */
  async attributes(queue: QueueKind): Promise<Record<string, string>> {
    return await this.#try(`tell the attributes of ${this.nameOf(queue)}`, async () => {
      const QueueUrl = await this.#url(queue);
      const { Attributes } = await this.#commands.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
      );
      return Attributes ?? {};
    });
  }

  /** @throws {SqsError} */
  async setAttributes(queue: QueueKind, attributes: Record<string, string>): Promise<void> {
    await this.#try(`change the attributes of ${this.nameOf(queue)}`, async () => {
      const QueueUrl = await this.#url(queue);
      await this.#commands.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: attributes }));
    });
  }

  /** @throws {SqsError} */
  async create(queue: QueueKind, attributes: Record<string, string>): Promise<void> {
    const QueueName = this.nameOf(queue);
    await this.#try(`create ${QueueName}`, () =>
      this.#commands.send(new CreateQueueCommand({ QueueName, Attributes: attributes })),
    );
  }

  /** Sends up to ten messages. @throws {SqsError} when nothing is known of any of them. */
  async send(queue: QueueKind, messages: readonly SqsMessage[]): Promise<BatchResult> {
    return await this.#try(`take messages for ${this.nameOf(queue)}`, async () => {
      const QueueUrl = await this.#url(queue);
      const Entries = messages.map(
        (message, index): SendMessageBatchRequestEntry => ({
          Id: String(index),
          MessageBody: message.body,
          MessageGroupId: message.groupId,
          MessageDeduplicationId: message.deduplicationId,
          MessageAttributes: message.attributes,
        }),
      );
      return toResult(
        messages.length,
        await this.#commands.send(new SendMessageBatchCommand({ QueueUrl, Entries })),
      );
    });
  }

  /**
   * Receives one message: more would take followers of the same group along, whose receive counts would rise while
   * their head fails. @throws {SqsError}
   */
  async receive(options: {
    visibilitySeconds: number;
    waitSeconds: number;
    signal: AbortSignal;
  }): Promise<Message | null> {
    return await this.#try(`hand over messages of ${this.nameOf('messages')}`, async () => {
      const QueueUrl = await this.#url('messages');
      const { Messages = [] } = await this.#receiving.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 1,
          VisibilityTimeout: options.visibilitySeconds,
          WaitTimeSeconds: options.waitSeconds,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['MessageGroupId', 'ApproximateReceiveCount'],
          // A second try of a call whose answer was lost gets the same message instead of leaving it hidden.
          ReceiveRequestAttemptId: randomUUID(),
        }),
        { abortSignal: options.signal },
      );
      return Messages[0] ?? null;
    });
  }

  /** @throws {SqsError} */
  async delete(receiptHandles: readonly string[]): Promise<BatchResult> {
    return await this.#try(`delete messages of ${this.nameOf('messages')}`, async () => {
      const QueueUrl = await this.#url('messages');
      const Entries = receiptHandles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
      const output = await this.#commands.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      return toResult(Entries.length, output);
    });
  }

  /** Hides messages that are out for so long from now; 0 gives them back at once. @throws {SqsError} */
  async hide(messages: readonly { receiptHandle: string; seconds: number }[]): Promise<BatchResult> {
    return await this.#try(`hide messages of ${this.nameOf('messages')}`, async () => {
      const QueueUrl = await this.#url('messages');
      const Entries = messages.map(({ receiptHandle, seconds }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: seconds,
      }));
      const output = await this.#commands.send(
        new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }),
      );
      return toResult(Entries.length, output);
    });
  }

  async #url(queue: QueueKind): Promise<string> {
    const known = this.#urls.get(queue);
    if (known !== undefined) return known;
    const { QueueUrl = '' } = await this.#commands.send(
      new GetQueueUrlCommand({ QueueName: this.nameOf(queue) }),
    );
    this.#urls.set(queue, QueueUrl);
    return QueueUrl;
  }

  async #try<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      const failed = toSqsError(error, what);
      // A queue that was deleted and made again may have another address.
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
    // Requests go to the endpoint that was asked for, whatever host the queue's address names.
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

/** An entry that the answer does not name counts as failed: nobody knows that it was done. */
function toResult(count: number, { Successful = [], Failed = [] }: BatchOutput): BatchResult {
  const result: BatchResult = Array.from({ length: count }, () => ({ code: 'Unanswered', isOurs: false }));
  for (const { Id } of Successful) result[Number(Id)] = null;
  for (const { Id, Code = 'Unknown', SenderFault = false } of Failed)
    result[Number(Id)] = { code: Code, isOurs: SenderFault };
  return result.slice(0, count);
}
