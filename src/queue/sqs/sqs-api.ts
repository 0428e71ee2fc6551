import { randomUUID } from 'node:crypto';
import { type BatchResultErrorEntry, type Message, SQS } from '@aws-sdk/client-sqs';
import { readCredentialsAgain } from '../../aws-credentials.ts';
import { collectorOf } from '../../aws-responses.ts';
import { MIB } from '../../bytes.ts';
import type { SqsPlace } from '../../settings/sqs-place.ts';
import { SECOND_MS } from '../../time/units.ts';
import { SqsError, toSqsError } from './sqs-error.ts';
import { BATCH_ENTRIES, type SqsMessage } from './sqs-message.ts';

const MAX_WAIT_SECONDS = 20;
/** How long received messages stay hidden. They are deleted at once, unless the process dies. */
const VISIBILITY_SECONDS = 10;
const CONNECTION_TIMEOUT_MS = 5_000;
/** How long the first bytes of a response may take. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How long a request may take with all of its attempts and the rest of its response, besides what it waits for messages. */
const REQUEST_DEADLINE_MS = 30_000;
/** Attempts of a request, including the first one. */
const TRIES = 2;
/** More than ten messages of 1 MiB take as JSON, whatever their characters. */
const MAX_RESPONSE_BYTES = 64 * MIB;

/**
 * Entries and batches that Amazon SQS will never accept. `SenderFault` does not say so: Amazon's model calls throttling,
 * and failures of KMS, the sender's fault, too.
 */
const UNACCEPTABLE =
  /^(?:InvalidParameterValue|InvalidMessageContents|InvalidAttributeValue|MissingParameter|BatchRequestTooLong)/;

/** The queue of messages to deliver, and the dead-letter queue. */
export type QueueKind = 'messages' | 'dead letters';

/** Time limits that tests shorten, in milliseconds. */
export interface SqsDeadlines {
  /** How long the source of AWS credentials may take. @defaultValue 10 s */
  credentialsDeadlineMs?: number;
  /** How long a request may take, besides what it waits for messages. @defaultValue 30 s */
  requestDeadlineMs?: number;
}

/** The signal that ends a request, as the library takes it. */
interface Abortable {
  abortSignal: AbortSignal;
}

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
  readonly #deadlineMs: number;

  constructor(
    place: SqsPlace,
    { credentialsDeadlineMs, requestDeadlineMs = REQUEST_DEADLINE_MS }: SqsDeadlines = {},
  ) {
    this.place = place;
    this.#deadlineMs = requestDeadlineMs;
    this.#sqs = new SQS({
      ...(place.region === null ? {} : { region: place.region }),
      ...(place.endpoint === null ? {} : { endpoint: place.endpoint }),
      // Requests go to the configured endpoint, even if the queue's address has another host.
      useQueueUrlAsEndpoint: false,
      maxAttempts: TRIES,
      streamCollector: collectorOf(MAX_RESPONSE_BYTES),
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
    const { Attributes = {} } = await this.#ask(queue, 'read the attributes of', (QueueUrl, options) =>
      this.#sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] }, options),
    );
    return Attributes;
  }

  async setAttributes(queue: QueueKind, Attributes: Record<string, string>): Promise<void> {
    await this.#ask(queue, 'change the attributes of', (QueueUrl, options) =>
      this.#sqs.setQueueAttributes({ QueueUrl, Attributes }, options),
    );
  }

  async tags(queue: QueueKind): Promise<Record<string, string>> {
    const { Tags = {} } = await this.#ask(queue, 'read the tags of', (QueueUrl, options) =>
      this.#sqs.listQueueTags({ QueueUrl }, options),
    );
    return Tags;
  }

  async tag(queue: QueueKind, Tags: Record<string, string>): Promise<void> {
    await this.#ask(queue, 'tag', (QueueUrl, options) => this.#sqs.tagQueue({ QueueUrl, Tags }, options));
  }

  async create(queue: QueueKind, Attributes: Record<string, string>): Promise<void> {
    const QueueName = this.nameOf(queue);
    await this.#try(`create ${QueueName}`, (options) =>
      this.#sqs.createQueue({ QueueName, Attributes }, options),
    );
  }

  /**
   * Sends up to ten messages. Returns those that Amazon SQS will never accept.
   * @throws {SqsError} if the request, or a message for another reason, failed. Some messages may have been sent.
   */
  async send(queue: QueueKind, messages: readonly SqsMessage[]): Promise<RefusedMessage[]> {
    try {
      return await this.#ask(queue, 'accept messages for', (url, options) =>
        this.#sendBatch(url, messages, options),
      );
    } catch (error) {
      // A server may refuse a whole batch because of one message or its length. Then each message is sent alone.
      const cause = error instanceof SqsError ? error.cause : null;
      const reason = cause instanceof Error ? cause.name : '';
      if (!UNACCEPTABLE.test(reason)) throw error;
      if (messages.length === 1) return messages.map((message) => ({ message, reason }));
      const refused: RefusedMessage[] = [];
      for (const message of messages) refused.push(...(await this.send(queue, [message])));
      return refused;
    }
  }

  /** Receives up to ten messages, and hides them for ten seconds. */
  async receive(waitSeconds: number, signal: AbortSignal): Promise<Message[]> {
    const WaitTimeSeconds = Math.min(MAX_WAIT_SECONDS, Math.max(1, Math.ceil(waitSeconds)));
    const waitMs = WaitTimeSeconds * SECOND_MS;
    const { Messages = [] } = await this.#ask(
      'messages',
      'return messages of',
      (QueueUrl, { abortSignal }) =>
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
            abortSignal: AbortSignal.any([signal, abortSignal]),
            requestTimeout: waitMs + REQUEST_TIMEOUT_MS,
          },
        ),
      TRIES * waitMs,
    );
    return Messages.slice(0, BATCH_ENTRIES);
  }

  /** Deletes up to ten received messages, except those with expired receipts. */
  async delete(receiptHandles: readonly string[]): Promise<void> {
    const Entries = receiptHandles.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }));
    await this.#ask('messages', 'delete messages of', (QueueUrl, options) =>
      this.#sqs.deleteMessageBatch({ QueueUrl, Entries }, options),
    );
  }

  async #sendBatch(
    QueueUrl: string,
    messages: readonly SqsMessage[],
    options: Abortable,
  ): Promise<RefusedMessage[]> {
    const Entries = messages.map((message, index) => ({ Id: String(index), ...message }));
    const { Failed = [] } = await this.#sqs.sendMessageBatch({ QueueUrl, Entries }, options);
    const failed = Failed.find(({ Code = '' }) => !UNACCEPTABLE.test(Code));
    if (failed !== undefined) throw toEntryError(failed);
    return Failed.map(({ Id, Code = '' }) => ({ message: messages[Number(Id)]!, reason: Code }));
  }

  /** @param waitMs how much longer the request may take because it waits for messages */
  async #ask<T>(
    queue: QueueKind,
    what: string,
    request: (queueUrl: string, options: Abortable) => Promise<T>,
    waitMs = 0,
  ): Promise<T> {
    return await this.#try(
      `${what} ${this.nameOf(queue)}`,
      async (options) => {
        let url = this.#urls.get(queue);
        if (url === undefined) {
          const found = await this.#sqs.getQueueUrl({ QueueName: this.nameOf(queue) }, options);
          url = found.QueueUrl ?? '';
          this.#urls.set(queue, url);
        }
        return await request(url, options);
      },
      waitMs,
    );
  }

  /** The library has time limits only until a response begins. */
  async #try<T>(what: string, request: (options: Abortable) => Promise<T>, waitMs = 0): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), this.#deadlineMs + waitMs);
    try {
      return await request({ abortSignal: AbortSignal.any([late.signal, this.#end.signal]) });
    } catch (error) {
      const failed = toSqsError(late.signal.aborted ? new SqsLateError() : error, what);
      // A queue that was deleted and created again may have another address.
      if (failed.failure === 'missing queue') this.#urls.clear();
      throw failed;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** A request did not end in time. The name is that of the library for a response that does not begin in time. */
class SqsLateError extends Error {
  override name = 'TimeoutError';
}

/** The failure of an entry in the form of a failed request. */
function toEntryError({ Code, Message, SenderFault }: BatchResultErrorEntry): Error {
  const httpStatusCode = SenderFault === true ? 400 : 500;
  return Object.assign(new Error(Message ?? ''), { name: Code ?? '', $metadata: { httpStatusCode } });
}
