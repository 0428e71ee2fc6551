import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { LineState, QueueMessage, ReceivedMessage, Settlement } from '../../src/queue/message-queue.ts';
import { contentOf, messageOf, type OpenQueue, type QueueEngine, QueueUser } from './queue-engine.ts';
import { QueueModel } from './queue-model.ts';

const LINES = [1, 2, 3, 4] as const;
const MAX_STEPS = 60;
const VISIBILITY_MS = 2_000;
/** More than any line has. */
const ALL = 1_000;
const NO_POSITION = 0;

const line = fc.constantFrom(...LINES);
/** Chooses one of the items that exist at a step, modulo their number: mostly a recent one. */
const choice = fc.oneof({ weight: 3, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(1_000) });
const action = fc.constantFrom('delete', 'retry', 'release', 'dead-letter', 'discard');

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ does: fc.constant('put'), lines: fc.array(line, { maxLength: 5 }) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('put and roll back'), line }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('receive'), capacity: fc.nat(5) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('settle'),
      what: fc.array(fc.record({ message: choice, action, delay: fc.integer({ min: -10, max: 3_000 }) }), {
        minLength: 1,
        maxLength: 4,
      }),
      capacity: fc.nat(2),
      leasesNext: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('pass'), ms: fc.constantFrom(1, 500, 2_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('act'),
      line,
      on: fc.constantFrom('retry', 'dead-letter'),
      named: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('redeliver'), from: choice }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('skip'), line, place: fc.nat({ max: 3 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('purge'),
      line,
      age: fc.constantFrom(0, 500, 2_000),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('remove'), from: choice }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('forget') }) },
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Applies each step to an engine and to the model, and compares them. */
class Comparison {
  readonly #engine: QueueEngine;
  readonly #user: QueueUser;
  readonly #model = new QueueModel();
  /** Every message that was ever received, settled or not, so that steps also use lost leases. */
  readonly #received: ReceivedMessage[] = [];
  #messages = 0;

  constructor(engine: QueueEngine) {
    this.#engine = engine;
    this.#user = new QueueUser(engine);
  }

  async run(steps: readonly Step[]): Promise<void> {
    for (const each of steps) {
      await this.#take(each);
      await this.#compare();
    }
  }

  async #take(taken: Step): Promise<void> {
    switch (taken.does) {
      case 'put': {
        const messages = taken.lines.map((lineId) => this.#newMessage(lineId));
        await this.#user.putAll(messages);
        this.#model.enqueue(messages, this.#engine.now());
        return;
      }
      case 'put and roll back': {
        const undone = this.#engine.database.transaction(async (tx) => {
          await this.#engine.queue.enqueue(tx, [this.#newMessage(taken.line)]);
          throw new Error('rolled back');
        });
        return await assert.rejects(undone, { message: 'rolled back' });
      }
      case 'receive':
        return await this.#settleAndReceive([], taken.capacity);
      case 'settle': {
        if (this.#received.length === 0) return;
        const settlements = taken.what.map(({ message, action, delay }): Settlement => {
          const received = this.#received.at(-1 - (message % this.#received.length))!;
          if (action === 'retry')
            return { message: received, action, availableAt: this.#engine.now() + wholeSeconds(delay) };
          if (action === 'discard')
            return { message: received, action, followersBefore: this.#engine.now() - delay };
          return { message: received, action };
        });
        return await this.#settleAndReceive(settlements, taken.capacity, taken.leasesNext);
      }
      case 'pass':
        return await this.#engine.pass(taken.ms);
      case 'act': {
        const head = this.#model.line(taken.line, this.#engine.now()).head?.messageId;
        const messageId = taken.named ? (head ?? 'none') : undefined;
        const { queue, database } = this.#engine;
        const result = await database.transaction((tx) =>
          queue.lines.actOnHead(tx, taken.line, taken.on, messageId),
        );
        const expected = this.#model.actOnHead(taken.line, taken.on, messageId, this.#engine.now());
        assert.equal(result.outcome, expected);
        return;
      }
      case 'redeliver': {
        const dead = this.#model.deadLetters.slice(taken.from % (this.#model.deadLetters.length + 1));
        await this.#user.redeliver(dead);
        this.#model.redeliver(dead, this.#engine.now());
        return;
      }
      case 'skip': {
        const { queue, database } = this.#engine;
        const waiting = await queue.lines.waiting(taken.line, { after: null, limit: ALL });
        assert.deepEqual(waiting.map(contentOf), this.#model.waiting(taken.line));
        const position = waiting[taken.place]?.position ?? NO_POSITION;
        const result = await database.transaction((tx) => queue.lines.skip(tx, taken.line, position));
        assert.equal(result.outcome, this.#model.skip(taken.line, taken.place, this.#engine.now()));
        return;
      }
      case 'purge': {
        const { queue, database } = this.#engine;
        const now = this.#engine.now();
        const which = { before: now - taken.age, limit: taken.limit };
        const purged = await database.transaction((tx) =>
          queue.lines.purge(tx, taken.line, { ...which, from: null, countUpTo: ALL }),
        );
        assert.deepEqual(purged.messages.map(contentOf), this.#model.purge(taken.line, which, now));
        return;
      }
      case 'remove': {
        const removed = this.#model.deadLetters.slice(taken.from % (this.#model.deadLetters.length + 1));
        const { queue, database } = this.#engine;
        const ids = removed.map(({ messageId }) => messageId);
        await database.transaction((tx) => queue.lines.removeDeadLetters(tx, ids));
        this.#model.removeDeadLetters(removed);
        return;
      }
      case 'forget': {
        const { queue, database } = this.#engine;
        const forgotten = await database.transaction((tx) => queue.lines.forgetLines(tx, LINES));
        assert.deepEqual(forgotten, this.#model.forget(LINES));
        return;
      }
    }
  }

  async #settleAndReceive(
    settlements: readonly Settlement[],
    capacity: number,
    leasesNext = true,
  ): Promise<void> {
    const now = this.#engine.now();
    const effective = new Map<Settlement, QueueMessage[]>();
    const { received, nextAvailableAt } = await this.#user.settleAndReceive({
      settlements,
      capacity,
      visibilityMs: VISIBILITY_MS,
      leasesNext,
      record: async (_tx, settled) => {
        for (const { settlement, discarded } of settled) effective.set(settlement, discarded.map(contentOf));
      },
    });

    const expected = new Map<Settlement, QueueMessage[]>();
    for (const settlement of settlements) {
      const discarded = this.#model.settle(settlement, now);
      if (discarded !== null) expected.set(settlement, discarded);
    }
    assert.deepEqual(effective, expected);

    const settledLines = new Set([...effective.keys()].map((settlement) => settlement.message.lineId));
    this.#compareReceived(received, { capacity, now, settledLines });
    if (this.#engine.clockIsOurs) assert.equal(nextAvailableAt, this.#model.nextAvailableAt());
    this.#received.push(...received);
  }

  #compareReceived(
    received: readonly ReceivedMessage[],
    { capacity, now, settledLines }: { capacity: number; now: number; settledLines: ReadonlySet<number> },
  ): void {
    const due = this.#model.due(now);
    assert.equal(received.length, Math.min(capacity, due.size));
    assert.equal(new Set(received.map((message) => message.lineId)).size, received.length);
    // A line that was just settled may be served before others. They come next, as another test shows.
    const dueSince = received
      .filter((message) => !settledLines.has(message.lineId))
      .map((message) => due.get(message.lineId) ?? Number.NaN);
    for (const message of received) {
      due.delete(message.lineId);
      const { message: head, receiveCount } = this.#model.receive(
        message.lineId,
        message.leaseToken,
        now + VISIBILITY_MS,
      );
      assert.deepEqual(contentOf(message), head);
      assert.equal(message.receiveCount, receiveCount);
    }
    const passedOver = Math.min(Number.POSITIVE_INFINITY, ...due.values());
    for (const since of dueSince) assert.ok(since <= passedOver, 'a line that was due for longer waits');
  }

  async #compare(): Promise<void> {
    const { queue } = this.#engine;
    const now = this.#engine.now();
    const [lines, { waitingSince: _, ...totals }, deadLetters] = await Promise.all([
      Promise.all(LINES.map((each) => queue.lines.line(each))),
      queue.lines.totals(),
      this.#engine.deadLetters(),
    ]);
    assert.deepEqual(
      lines.map((each) => this.#comparable(each)),
      LINES.map((each) => this.#comparable(this.#model.line(each, now))),
    );
    assert.deepEqual(totals, this.#model.totals(now));
    assert.deepEqual(byLine(deadLetters.map(contentOf)), byLine(this.#model.deadLetters));
  }

  /** Where time passes by itself, it is not known to the millisecond when a step took effect. */
  #comparable({ head, ...state }: LineState): LineState {
    const hidesMoment = !this.#engine.clockIsOurs && head !== null;
    return { ...state, head: hidesMoment ? { ...head, availableAt: 0, waitingSince: 0 } : head };
  }

  #newMessage(lineId: number): QueueMessage {
    this.#messages += 1;
    return messageOf(lineId, `m${this.#messages}`, this.#engine.now());
  }
}

/** Engines whose service counts in seconds round up. */
function wholeSeconds(ms: number): number {
  return ms > 0 ? Math.ceil(ms / 1_000) * 1_000 : ms;
}

/** Order is kept within lines only. */
function byLine(messages: readonly QueueMessage[]): QueueMessage[] {
  return messages.toSorted((a, b) => a.lineId - b.lineId);
}

/** Random use, compared with a model. A failure prints the seed and the shortest steps that cause it. */
export function randomContract(open: OpenQueue, runs: number): void {
  describe('under random use', () => {
    it('equals a model of plain arrays at every step', async () => {
      const property = fc.asyncProperty(
        fc.array(step, { maxLength: MAX_STEPS, size: 'max' }),
        async (steps) => {
          await using engine = await open();
          await new Comparison(engine).run(steps);
        },
      );
      await fc.assert(property, { numRuns: runs });
    });
  });
}
