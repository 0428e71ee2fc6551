import assert from 'node:assert/strict';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { readMiscounts } from '../../src/queue/lines/line-statements.ts';
import type { MessageQueue, Settlement } from '../../src/queue/message-queue.ts';
import type { TestDatabase } from '../support/database.ts';
import { settleAndReceive } from '../support/settle-and-receive.ts';
import { until } from '../support/until.ts';
import { contentOf, messageOf, readDeadLetters } from './queue-engine.ts';
import { QueueModel } from './queue-model.ts';
import { openTestSqsQueue } from './sqs-engine.ts';
import { MIX_LINES, type MixMode, type MixStep } from './sqs-mix-steps.ts';
import type { SqsProxy } from './sqs-proxy.ts';
import type { TestQueues } from './sqs-server.ts';

/** How long a head waits for its copy here: shorter than in the service, since many are lost. */
const WAIT_MS = 100;
const LEASE_MS = 600_000;
const INSTALLATION = 'test-installation';
/** The limit of attempts of a queue without a redrive policy. */
const DEFAULT_MAX_RECEIVES = 1_000;

interface Instance extends AsyncDisposable {
  mode: MixMode;
  queue: MessageQueue;
}

/** Two instances on one database, compared with a model after every step. */
export class SqsMix implements AsyncDisposable {
  readonly #test: TestDatabase;
  readonly #queues: readonly [TestQueues, TestQueues];
  readonly #proxy: SqsProxy;
  readonly #model = new QueueModel();
  readonly #instances: Instance[] = [];
  #named = 0;
  #answersToLose = 0;
  /** The redrive maximum of each pair of queues. */
  readonly #maxReceives: [number | null, number | null] = [DEFAULT_MAX_RECEIVES, DEFAULT_MAX_RECEIVES];

  constructor(test: TestDatabase, queues: readonly [TestQueues, TestQueues], proxy: SqsProxy) {
    this.#test = test;
    this.#queues = queues;
    this.#proxy = proxy;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const instance of this.#instances) await instance[Symbol.asyncDispose]();
  }

  async run(steps: readonly MixStep[]): Promise<void> {
    this.#instances.push(await this.#open({ driver: 'sqs', polls: true, queues: 0 }));
    this.#instances.push(await this.#open({ driver: 'sqs', polls: false, queues: 0 }));
    for (const each of steps) {
      await this.#do(each);
      await this.#compare();
    }
    await this.#restart(0, { driver: 'sqs', polls: true, queues: 1 });
    await until(async () => {
      await this.#deliver(0, 4, []);
      return MIX_LINES.every((each) => this.#model.line(each, Date.now()).depth === 0);
    }, 'everything is delivered');
    await this.#compare();
  }

  async #do(each: MixStep): Promise<void> {
    switch (each.do) {
      case 'put': {
        const messages = Array.from({ length: each.count }, () => {
          this.#named += 1;
          return messageOf(each.line, `m${this.#named}`, Date.now());
        });
        const { queue } = this.#instances[each.at]!;
        await this.#test.database.transaction((tx) => queue.enqueue(tx, messages));
        this.#model.enqueue(messages, Date.now());
        return;
      }
      case 'deliver':
        if (this.#instances[each.at]!.mode.polls) await this.#deliver(each.at, each.capacity, each.actions);
        return;
      case 'act': {
        const { queue } = this.#instances[each.at]!;
        const { database } = this.#test;
        const { outcome } = await database.transaction((tx) =>
          queue.lines.actOnHead(tx, each.line, each.action),
        );
        assert.equal(outcome, this.#model.actOnHead(each.line, each.action, undefined, Date.now()));
        return;
      }
      case 'redeliver': {
        const [message] = this.#model.deadLetters;
        if (message === undefined) return;
        const { queue } = this.#instances[each.at]!;
        await this.#test.database.transaction((tx) => queue.lines.redeliver(tx, [message]));
        this.#model.redeliver([message], Date.now());
        return;
      }
      case 'restart':
        return await this.#restart(each.at, each.mode);
      case 'lose answers': {
        this.#answersToLose = each.count;
        this.#proxy.treat = (action) => {
          if (action === 'GetQueueAttributes' || this.#answersToLose === 0) return 'pass';
          this.#answersToLose -= 1;
          return 'cut after';
        };
        return;
      }
      case 'set redrive policy':
        return await this.#setRedrivePolicy(each.queues, each.maxReceives);
      default:
        // A queue that is created again has no policy.
        if (each.do === 'recreate') this.#maxReceives[each.queues] = null;
        await this.#disturb(each.do, this.#queues[each.queues]);
    }
  }

  async #disturb(
    how: 'purge' | 'recreate' | 'steal' | 'repeat' | 'foreign',
    queues: TestQueues,
  ): Promise<void> {
    const QueueUrl = await queues.url('messages');
    const { client } = queues;
    const send = (installation: string, lineId: number, name: string) =>
      client.send(
        new SendMessageCommand({
          QueueUrl,
          MessageBody: '{}',
          MessageGroupId: String(lineId),
          MessageDeduplicationId: `${name}-${Math.random()}`,
          MessageAttributes: {
            installation: { DataType: 'String', StringValue: installation },
            message_id: { DataType: 'String', StringValue: name },
          },
        }),
      );
    switch (how) {
      case 'purge':
        return await queues.purge();
      case 'recreate': {
        await client.send(new DeleteQueueCommand({ QueueUrl }));
        const QueueName = queues.place.messageQueueName;
        await client.send(new CreateQueueCommand({ QueueName, Attributes: { FifoQueue: 'true' } }));
        return;
      }
      case 'steal': {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }),
        );
        if (Messages.length === 0) return;
        const Entries = Messages.map(({ ReceiptHandle }, n) => ({ Id: String(n), ReceiptHandle }));
        await client.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
        return;
      }
      case 'repeat':
        for (const lineId of MIX_LINES) await send(INSTALLATION, lineId, `m${Math.max(1, this.#named)}`);
        return;
      case 'foreign':
        await send('another', 1, 'theirs');
    }
  }

  async #setRedrivePolicy(place: 0 | 1, maxReceives: number | null): Promise<void> {
    const { client, url, attributes } = this.#queues[place];
    const { QueueArn } = await attributes('dead letters');
    const policy = JSON.stringify({ deadLetterTargetArn: QueueArn, maxReceiveCount: maxReceives });
    const QueueUrl = await url('messages');
    const Attributes = { RedrivePolicy: maxReceives === null ? '' : policy };
    try {
      await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
    } catch (error) {
      // ElasticMQ keeps the policy: there only `recreate` removes it.
      if (maxReceives === null && (error as Error).name === 'InvalidAttributeValue') return;
      throw error;
    }
    this.#maxReceives[place] = maxReceives;
  }

  async #restart(place: 0 | 1, next: MixMode): Promise<void> {
    await this.#instances[place]![Symbol.asyncDispose]();
    this.#instances[place] = await this.#open(next);
  }

  async #open(next: MixMode): Promise<Instance> {
    const { database } = this.#test;
    if (next.driver === 'database') {
      const queue = new DatabaseQueue({
        database,
        maxReceives: DEFAULT_MAX_RECEIVES,
        now: Date.now,
        onMiscount: assert.fail,
      });
      return { mode: next, queue, [Symbol.asyncDispose]: async () => {} };
    }
    const { place } = this.#queues[next.queues];
    const allAnswers = this.#answersToLose === 0;
    const opened = await openTestSqsQueue(
      database,
      { place: { ...place, endpoint: this.#proxy.endpoint } },
      {
        polls: next.polls,
        waitMs: WAIT_MS,
        installation: INSTALLATION,
        defaultMaxReceives: DEFAULT_MAX_RECEIVES,
      },
    );
    if (allAnswers) {
      const expected = this.#maxReceives[next.queues] ?? DEFAULT_MAX_RECEIVES;
      // At the start, or after it on a machine so busy that the first request takes too long.
      await until(() => opened.queue.maxReceives === expected, 'the instance goes by the redrive policy');
    }
    return { mode: next, queue: opened.queue, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
  }

  /** Receives due messages and settles them. Messages without an action are deleted. */
  async #deliver(place: 0 | 1, capacity: number, actions: readonly Settlement['action'][]): Promise<void> {
    const { queue } = this.#instances[place]!;
    const { database } = this.#test;
    const turn = async (settlements: readonly Settlement[], room: number) => {
      const effective: Settlement[] = [];
      const { received } = await settleAndReceive(
        { queue, database },
        {
          settlements,
          capacity: room,
          visibilityMs: LEASE_MS,
          record: async (_tx, settled) => void effective.push(...settled.map(({ settlement }) => settlement)),
        },
      );
      return { effective, received };
    };
    const { received } = await turn([], capacity);
    const settlements = received.map((message, n): Settlement => {
      const { message: head, receiveCount } = this.#model.receive(
        message.lineId,
        message.leaseToken,
        Date.now() + LEASE_MS,
      );
      assert.deepEqual(contentOf(message), head);
      assert.equal(message.receiveCount, receiveCount);
      const action = actions[n] ?? 'delete';
      if (action === 'retry') return { message, action, availableAt: Date.now() - 1 };
      if (action === 'discard') return { message, action, followersBefore: 0 };
      return { message, action };
    });
    if (settlements.length === 0) return;
    const { effective } = await turn(settlements, 0);
    assert.equal(effective.length, settlements.length);
    for (const settlement of effective) assert.ok(this.#model.settle(settlement, Date.now()) !== null);
  }

  async #compare(): Promise<void> {
    const { database } = this.#test;
    assert.deepEqual(await readMiscounts(database.reader), []);
    for (const { queue } of this.#instances)
      for (const each of MIX_LINES) {
        const now = Date.now();
        const { head, depth } = await queue.lines.line(each);
        const model = this.#model.line(each, now);
        assert.deepEqual(
          { depth, id: head?.messageId, count: head?.receiveCount },
          { depth: model.depth, id: model.head?.messageId, count: model.head?.receiveCount },
        );
      }
    const dead = (await readDeadLetters(database)).map((message) => message.messageId);
    assert.deepEqual(dead.sort(), this.#model.deadLetters.map((message) => message.messageId).sort());
  }
}
