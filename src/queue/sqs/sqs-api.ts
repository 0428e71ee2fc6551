import { randomUUID } from 'node:crypto';
import { type BatchResultErrorEntry, type Message, SQS } from '@aws-sdk/client-sqs';
import { readCredentialsAgain } from '../../aws-credentials.ts';
import type { SqsPlace } from '../../settings/sqs-place.ts';
import { toSqsError } from './sqs-error.ts';
import { BATCH_ENTRIES, type SqsMessage } from './sqs-message.ts';

const MAX_WAIT_SECONDS = 20;
/** How long received messages stay hidden. They are deleted at once, unless the process dies. */
const VISIBILITY_SECONDS = 10;
const CONNECTION_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
/** Attempts of a request, including the first one. */
const TRIES = 2;

/**
 * Entries and batches that Amazon SQS will never accept. `SenderFault` does not say so: Amazon's model calls throttling,
 * and failures of KMS, the sender's fault, too.
 */
const UNACCEPTABLE =
  /^(?:InvalidParameterValue|InvalidMessageContents|InvalidAttributeValue|MissingParameter|BatchRequestTooLong)/;

/** The queue of messages to deliver, and the dead-letter queue. */
export type QueueKind = 'messages' | 'dead letters';

/** A message that Amazon SQS will never accept. */
export interface RefusedMessage {
  message: SqsMessage;
  /** The code of the error. */
  reason: string;
}

/**
 * The requests of this service to Amazon SQS. A failed request throws {@link SqsError}. Credentials are found as in
 * every AWS program: environment, profile, role.
 */
export class SqsApi implements Disposable {
  readonly place: SqsPlace;
  readonly #sqs: SQS;
  readonly #urls = new Map<QueueKind, string>();
  readonly #end = new AbortController();

  /** @param credentialsDeadlineMs how long the source of credentials may take, in milliseconds */
  constructor(place: SqsPlace, credentialsDeadlineMs?: number) {
    this.place = place;
    this.#sqs = new SQS({
      ...(place.region === null ? {} : { region: place.region }),
      ...(place.endpoint === null ? {} : { endpoint: place.endpoint }),
      // Requests go to the configured endpoint, even if the queue's address has another host.
      useQueueUrlAsEndpoint: false,
      maxAttempts: TRIES,
      requestHandler: {
        connectionTimeout: CONNECTION_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        throwOnRequestTimeout: true,
      },
    });
    readCredentialsAgain(this.#sqs, credentialsDeadlineMs);
  }

  [Symbol.dispose](): void {
    this.abort();
    this.#sqs.destroy();
  }

  /** Aborts the requests in progress. They and all further ones fail. */
  abort(): void {
    this.#end.abort();
  }

  nameOf(queue: QueueKind): string {
    return queue === 'messages' ? this.place.messageQueueName : this.place.deadLetterQueueName;
  }

  /** @throws {Error} if no region is set anywhere */
  async region(): Promise<string> {
    return await this.#sqs.config.region();
  }

  async attributes(queue: QueueKind): Promise<Record<string, string>> {
    const { Attributes = {} } = await this.#ask(queue, 'read the attributes of', (QueueUrl) =>
      this.#sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] }, this.#abortable),
    );
    return Attributes;
  }

  async setAttributes(queue: QueueKind, Attributes: Record<string, string>): Promise<void> {
    await this.#ask(queue, 'change the attributes of', (QueueUrl) =>
      this.#sqs.setQueueAttributes({ QueueUrl, Attributes }, this.#abortable),
    );
  }

  async tags(queue: QueueKind): Promise<Record<string, string>> {
    const { Tags = {} } = await this.#ask(queue, 'read the tags of', (QueueUrl) =>
      this.#sqs.listQueueTags({ QueueUrl }, this.#abortable),
    );
    return Tags;
  }

  async tag(queue: QueueKind, Tags: Record<string, string>): Promise<void> {
    await this.#ask(queue, 'tag', (QueueUrl) => this.#sqs.tagQueue({ QueueUrl, Tags }, this.#abortable));
  }

  async create(queue: QueueKind, Attributes: Record<string, string>): Promise<void> {
    const QueueName = this.nameOf(queue);
    await this.#try(`create ${QueueName}`, () =>
      this.#sqs.createQueue({ QueueName, Attributes }, this.#abortable),
    );
  }

  /**
   * Sends up to ten messages. Returns those that Amazon SQS will never accept.
   * @throws {SqsError} if the request, or a message for another reason, failed. Some messages may have been sent.
   */
  async send(queue: QueueKind, messages: readonly SqsMessage[]): Promise<RefusedMessage[]> {
    return await this.#ask(queue, 'accept messages for', (url) => this.#sendTo(url, messages));
  }

  /** Receives up to ten messages, and hides them for ten seconds. */
  async receive(waitSeconds: number, signal: AbortSignal): Promise<Message[]> {
    const WaitTimeSeconds = Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(waitSeconds)));
    const { Messages = [] } = await this.#ask('messages', 'return messages of', (QueueUrl) =>
      this.#sqs.receiveMessage(
        {
          QueueUrl,
          MaxNumberOfMessages: BATCH_ENTRIES,
          VisibilityTimeout: VISIBILITY_SECONDS,
          WaitTimeSeconds,
          MessageAttributeNames: ['All'],
          MessageSystemAttributeNames: ['MessageGroupId'],
          // If a response was lost, the second attempt gets the same messages.
          ReceiveRequestAttemptId: randomUUID(),
        },
        {
          abortSignal: AbortSignal.any([signal, this.#end.signal]),
          requestTimeout: WaitTimeSeconds * 1_000 + REQUEST_TIMEOUT_MS,
        },
      ),
    );
    return Messages;
  }

  /** Deletes up to ten received messages, except those with expired receipts. */
  async delete(receiptHandles: readonly string[]): Promise<void> {
    const Entries = receiptHandles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
    await this.#ask('messages', 'delete messages of', (QueueUrl) =>
      this.#sqs.deleteMessageBatch({ QueueUrl, Entries }, this.#abortable),
    );
  }

  get #abortable(): { abortSignal: AbortSignal } {
    return { abortSignal: this.#end.signal };
  }

  /** A server may refuse a whole batch because of one message or its length. Then each message is sent alone. */
  async #sendTo(queueUrl: string, messages: readonly SqsMessage[]): Promise<RefusedMessage[]> {
    try {
      return await this.#sendBatch(queueUrl, messages);
    } catch (error) {
      const reason = error instanceof Error ? error.name : '';
      if (!UNACCEPTABLE.test(reason)) throw error;
      if (messages.length === 1) return messages.map((message) => ({ message, reason }));
      const refused: RefusedMessage[] = [];
      for (const message of messages) refused.push(...(await this.#sendTo(queueUrl, [message])));
      return refused;
    }
  }

  async #sendBatch(QueueUrl: string, messages: readonly SqsMessage[]): Promise<RefusedMessage[]> {
    const Entries = messages.map((message, index) => ({ Id: String(index), ...message }));
    const { Failed = [] } = await this.#sqs.sendMessageBatch({ QueueUrl, Entries }, this.#abortable);
    const failed = Failed.find(({ Code = '' }) => !UNACCEPTABLE.test(Code));
    if (failed !== undefined) throw toEntryError(failed);
    return Failed.map(({ Id, Code = '' }) => ({ message: messages[Number(Id)]!, reason: Code }));
  }

  async #ask<T>(queue: QueueKind, what: string, request: (queueUrl: string) => Promise<T>): Promise<T> {
    return await this.#try(`${what} ${this.nameOf(queue)}`, async () => {
      let url = this.#urls.get(queue);
      if (url === undefined) {
        url =
          (await this.#sqs.getQueueUrl({ QueueName: this.nameOf(queue) }, this.#abortable)).QueueUrl ?? '';
        this.#urls.set(queue, url);
      }
      return await request(url);
    });
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

/** The failure of an entry in the form of a failed request. */
function toEntryError({ Code, Message, SenderFault }: BatchResultErrorEntry): Error {
  const httpStatusCode = SenderFault === true ? 400 : 500;
  return Object.assign(new Error(Message ?? ''), { name: Code ?? '', $metadata: { httpStatusCode } });
}
