import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  CreateQueueCommand,
  DeleteMessageBatchCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import fc from 'fast-check';
import { DatabaseQueue } from '../../src/queue/database/database-queue.ts';
import { readMiscounts } from '../../src/queue/lines/line-statements.ts';
import type { HeadAction, MessageQueue, Settlement } from '../../src/queue/message-queue.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { exchange } from '../support/queue-exchange.ts';
import { until } from '../support/service.ts';
import { contentOf, messageOf, readDeadLetters } from './queue-engine.ts';
import { QueueModel } from './queue-model.ts';
import { openTestSqsQueue } from './sqs-engine.ts';
import { type SqsProxy, startSqsProxy } from './sqs-proxy.ts';
import { createTestQueues, type SqsServer, startSqsServer, type TestQueues } from './sqs-server.ts';

const RUNS = Number(process.env.SQS_MIX_RUNS ?? 8);
const LINES = [1, 2, 3];
/** How long a head waits for its copy here: shorter than in service, since many are lost. */
const WAIT_MS = 100;
const LEASE_MS = 600_000;
const INSTALLATION = 'test-installation';
/** The limit of attempts where the queue has no redrive policy. */
const DEFAULT_MAX_RECEIVES = 1_000;

let server: SqsServer;
before(async () => {
  server = await startSqsServer();
});
after(() => server[Symbol.asyncDispose]());

/** With which settings an instance runs. */
interface Mode {
  driver: 'sqs' | 'database';
  polls: boolean;
  /** Which of two pairs of queues. */
  queues: 0 | 1;
}

interface Instance extends AsyncDisposable {
  mode: Mode;
  queue: MessageQueue;
}

type Step =
  | { do: 'put'; at: 0 | 1; line: number; count: number }
  | { do: 'deliver'; at: 0 | 1; capacity: number; actions: readonly Settlement['action'][] }
  | { do: 'act'; at: 0 | 1; line: number; action: HeadAction }
  | { do: 'redeliver'; at: 0 | 1 }
  | { do: 'restart'; at: 0 | 1; mode: Mode }
  | { do: 'purge' | 'recreate' | 'steal' | 'repeat' | 'foreign'; queues: 0 | 1 }
  | { do: 'set redrive policy'; queues: 0 | 1; maxReceives: number | null }
  | { do: 'lose answers'; count: number };

const at = fc.constantFrom(0 as const, 1 as const);
const mode = fc.record({
  driver: fc.constantFrom('sqs' as const, 'sqs' as const, 'database' as const),
  polls: fc.boolean(),
  queues: at,
});
const line = fc.constantFrom(...LINES);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('put' as const),
      at,
      line,
      count: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('deliver' as const),
      at,
      capacity: fc.integer({ min: 1, max: 4 }),
      actions: fc.array(
        fc.constantFrom<Settlement['action']>('delete', 'delete', 'retry', 'release', 'dead-letter'),
        { minLength: 4, maxLength: 4 },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('act' as const),
      at,
      line,
      action: fc.constantFrom<HeadAction>('retry', 'dead-letter'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('redeliver' as const), at }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restart' as const), at, mode }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'purge' as const,
        'recreate' as const,
        'steal' as const,
        'repeat' as const,
        'foreign' as const,
      ),
      queues: at,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('set redrive policy' as const),
      queues: at,
      maxReceives: fc.constantFrom(null, 1, 2, 1_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('lose answers' as const), count: fc.integer({ min: 1, max: 5 }) }),
  },
);

/** Two instances on one database, held against a model at every step. */
class Mix implements AsyncDisposable {
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

  async run(steps: readonly Step[]): Promise<void> {
    this.#instances.push(await this.#open({ driver: 'sqs', polls: true, queues: 0 }));
    this.#instances.push(await this.#open({ driver: 'sqs', polls: false, queues: 0 }));
    for (const each of steps) {
      await this.#do(each);
      await this.#compare();
    }
    await this.#restart(0, { driver: 'sqs', polls: true, queues: 1 });
    await until(async () => {
      await this.#deliver(0, 4, []);
      return LINES.every((each) => this.#model.line(each, Date.now()).depth === 0);
    }, 'everything is delivered');
    await this.#compare();
  }

  async #do(each: Step): Promise<void> {
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
        const { outcome } = await database.transaction((tx) => queue.actOnHead(tx, each.line, each.action));
        assert.equal(outcome, this.#model.actOnHead(each.line, each.action, undefined, Date.now()));
        return;
      }
      case 'redeliver': {
        const [message] = this.#model.deadLetters;
        if (message === undefined) return;
        const { queue } = this.#instances[each.at]!;
        await this.#test.database.transaction((tx) => queue.redeliver(tx, [message]));
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
        for (const lineId of LINES) await send(INSTALLATION, lineId, `m${Math.max(1, this.#named)}`);
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

  async #restart(place: 0 | 1, next: Mode): Promise<void> {
    await this.#instances[place]![Symbol.asyncDispose]();
    this.#instances[place] = await this.#open(next);
  }

  async #open(next: Mode): Promise<Instance> {
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

  /** Takes up what is due, and settles it; what is not said is deleted. */
  async #deliver(place: 0 | 1, capacity: number, actions: readonly Settlement['action'][]): Promise<void> {
    const { queue } = this.#instances[place]!;
    const { database } = this.#test;
    const turn = async (settlements: readonly Settlement[], room: number) => {
      const effective: Settlement[] = [];
      const { received } = await exchange(
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
      for (const each of LINES) {
        const now = Date.now();
        const { head, depth } = await queue.line(each);
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

describe('two instances on one database whose settings change', () => {
  it('lose nothing, repeat nothing and keep order, attempts and counts, regardless of their queues', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40, size: 'max' }), async (steps) => {
        await using test = await openTestDatabase();
        await using first = await createTestQueues(server);
        await using second = await createTestQueues(server);
        await using proxy = await startSqsProxy(server.endpoint);
        await using mix = new Mix(test, [first, second], proxy);
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
      it(`deliver what both queue, in order (${drivers.join(' and ')}, polling ${polls.join(' and ')})`, async () => {
        await using test = await openTestDatabase();
        await using first = await createTestQueues(server);
        await using proxy = await startSqsProxy(server.endpoint);
        await using mix = new Mix(test, [first, first], proxy);
        const restarts = ([0, 1] as const).map(
          (each): Step => ({
            do: 'restart',
            at: each,
            mode: { driver: drivers[each], polls: polls[each], queues: 0 },
          }),
        );
        const puts = Array.from({ length: 30 }, (_, n): Step[] => [
          { do: 'put', at: n % 2 === 0 ? 0 : 1, line: LINES[n % 3]!, count: 1 },
          { do: 'deliver', at: n % 4 < 2 ? 0 : 1, capacity: 2, actions: ['delete', 'retry'] },
        ]).flat();
        await mix.run([...restarts, ...puts]);
      });
});
