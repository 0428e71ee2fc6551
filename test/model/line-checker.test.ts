import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type HistoryEntry, LineChecker } from './line-checker.ts';
import type { Arrival, ExpectedMessage, LineLog, ServiceLog } from './log.ts';
import type { WebhookConfiguration } from './webhook-model.ts';

/** A check that cannot fail is worthless, so it must detect every possible fault of a line. */

const CONFIGURATION: WebhookConfiguration = {
  name: 'Webhook',
  topic: 'ACCOUNT',
  subtopics: null,
  focus: [],
  targetUrl: 'http://127.0.0.1/0/0',
  credentials: null,
  enabled: true,
  maxAttempts: 2,
  ignoreBefore: null,
  loggingMode: 'NONE',
};

/** The observations of a webhook, step by step. */
class Scene {
  readonly log: LineLog;
  readonly service: ServiceLog = { kills: [], silences: [], maxReceives: 1_000, timestamps: new Map() };
  readonly history: HistoryEntry[] = [];
  #tick = 1;

  constructor(configuration: Partial<WebhookConfiguration> = {}) {
    const span = { start: 0, since: 0, end: Number.POSITIVE_INFINITY, deleted: false };
    this.log = {
      webhookId: 1,
      configurations: [{ ...span, configuration: { ...CONFIGURATION, ...configuration } }],
      expected: [],
      arrivals: [],
      skips: [],
      purges: [],
      resets: [],
      emptyAt: [],
    };
  }

  tick(): number {
    this.#tick += 1;
    return this.#tick;
  }

  /** Adds an operation with its expected messages: one group. */
  cause(...names: string[]): this {
    return this.causeAtOnce(names);
  }

  /** Operations that run at the same time, each with its messages. */
  causeAtOnce(...operations: string[][]): this {
    const asked = { start: this.tick(), end: this.tick() };
    const messageOf = (name: string): ExpectedMessage => ({
      cause: name,
      event: {},
      text: (timestamp) => textOf(name, timestamp),
      asked,
      wall: { start: timeOf(0), end: timeOf(9) },
      again: null,
    });
    this.log.expected.push(operations.map((names) => names.map(messageOf)));
    return this;
  }

  /** An attempt arrives and gets a response. */
  arrive(name: string, status = 200, change: Partial<Arrival> & { second?: number } = {}): this {
    const { second = 1, ...changes } = change;
    this.log.arrivals.push({
      at: this.tick(),
      path: '/0/0',
      authorization: undefined,
      messageId: `id of ${name}`,
      text: textOf(name, new Date(timeOf(second)).toISOString()),
      status,
      answeredAt: this.tick(),
      ...changes,
    });
    return this;
  }

  kill(): this {
    this.service.kills.push({ start: this.tick(), end: this.tick() });
    return this;
  }

  change(changes: Partial<WebhookConfiguration>): this {
    const current = this.log.configurations.at(-1)!;
    const start = this.tick();
    current.end = this.tick();
    const configuration = { ...current.configuration, ...changes };
    this.log.configurations.push({
      ...current,
      start,
      since: current.end,
      end: Number.POSITIVE_INFINITY,
      configuration,
    });
    return this;
  }

  purge(): this {
    this.log.purges.push({ start: this.tick(), end: this.tick() });
    return this;
  }

  /** The final status that the service reports for a message. */
  report(name: string | null, status: string, attempts: number): this {
    this.history.push({ message_id: `id of ${name}`, status, attempts });
    return this;
  }

  settle(): { messageId: string; text: string }[] {
    return new LineChecker(this.log, this.service).settle(this.history);
  }
}

function timeOf(second: number): number {
  return Date.UTC(2030, 0, 1, 0, 0, second);
}

function textOf(name: string, timestamp: string): string {
  return JSON.stringify({ name, timestamp });
}

describe('the line checker accepts', () => {
  const good: Record<string, Scene> = {
    'a message that is dead-lettered because the maximum was lowered': new Scene({ maxAttempts: 10 })
      .cause('a')
      .cause('b')
      .arrive('a', 500)
      .arrive('a', 500)
      .change({ maxAttempts: 2 })
      .arrive('b')
      .report('a', 'DEAD_LETTERED', 2)
      .report('b', 'DELIVERED', 1),
    'messages in their order': new Scene()
      .cause('a')
      .cause('b')
      .arrive('a')
      .arrive('b')
      .report('a', 'DELIVERED', 1)
      .report('b', 'DELIVERED', 1),
    'simultaneous operations in any order, the messages of each together': new Scene()
      .causeAtOnce(['a1', 'a2'], ['b'])
      .arrive('b')
      .arrive('a1')
      .arrive('a2')
      .report('b', 'DELIVERED', 1)
      .report('a1', 'DELIVERED', 1)
      .report('a2', 'DELIVERED', 1),
    'a retry': new Scene().cause('a').arrive('a', 500).arrive('a').report('a', 'DELIVERED', 2),
    'the next message after the last attempt': new Scene()
      .cause('a')
      .cause('b')
      .arrive('a', 500)
      .arrive('a', 500)
      .arrive('b')
      .report('a', 'DEAD_LETTERED', 2)
      .report('b', 'DELIVERED', 1),
    'a message twice after a kill': new Scene()
      .cause('a')
      .arrive('a')
      .kill()
      .arrive('a')
      .report('a', 'DELIVERED', 1),
    'an additional attempt after a kill': new Scene()
      .cause('a')
      .arrive('a', 500)
      .arrive('a', 500)
      .kill()
      .arrive('a')
      .report('a', 'DELIVERED', 2),
    'an attempt that a kill prevented, as one of the allowed number': new Scene()
      .cause('a')
      .kill()
      .arrive('a', 500)
      .report('a', 'DEAD_LETTERED', 1),
    'messages that are dropped while the webhook is inactive': new Scene()
      .cause('a')
      .change({ enabled: false })
      .report(null, 'DISCARDED', 0),
    'messages that are purged, those after them, and an attempt that was in flight': new Scene()
      .cause('a')
      .cause('b')
      .arrive('a', 500)
      .purge()
      .arrive('a', 500)
      .cause('c')
      .arrive('c')
      .report('a', 'DISCARDED', 2)
      .report(null, 'DISCARDED', 0)
      .report('c', 'DELIVERED', 1),
    'a history with a message in flight behind those purged meanwhile': new Scene()
      .cause('a')
      .cause('b')
      .cause('c')
      .purge()
      .arrive('a', 500)
      .report(null, 'DISCARDED', 0)
      .report(null, 'DISCARDED', 0)
      .report('a', 'DISCARDED', 1),
  };
  for (const [what, scene] of Object.entries(good)) it(what, () => void scene.settle());

  it('dead letters, and returns them', () => {
    const scene = new Scene({ maxAttempts: 1 }).cause('a').arrive('a', 500).report('a', 'DEAD_LETTERED', 1);
    assert.deepEqual(
      scene.settle().map(({ messageId }) => messageId),
      ['id of a'],
    );
  });
});

describe('the line checker detects', () => {
  const bad: Record<string, [Scene, RegExp]> = {
    'a message that never arrived': [new Scene().cause('a').cause('b').arrive('a'), /never came \(b\)/],
    'a message after a purge that never arrived': [
      new Scene().cause('a').purge().cause('b'),
      /never came \(b\)/,
    ],
    'a message that arrives too early': [
      new Scene().cause('a').cause('b').arrive('b').arrive('a'),
      /comes where this has to come first/,
    ],
    'messages of an operation interleaved with those of another': [
      new Scene().causeAtOnce(['a1', 'a2'], ['b']).arrive('a1').arrive('b').arrive('a2'),
      /comes where this has to come first/,
    ],
    'a message without a cause': [
      new Scene().cause('a').arrive('a').arrive('b'),
      /is not what has to come, which is nothing more/,
    ],
    'a byte that is different': [
      new Scene().cause('a').arrive('a', 200, { text: textOf('a ', '2030-01-01T00:00:01.000Z') }),
      /comes where this has to come first/,
    ],
    'a different text at a retry': [
      new Scene()
        .cause('a')
        .arrive('a', 500)
        .arrive('a', 200, { text: textOf('a', '2030-01-01T00:00:02.000Z') }),
      /is not the text of its first attempt/,
    ],
    'a message twice without a kill': [
      new Scene().cause('a').arrive('a').arrive('a'),
      /was delivered already/,
    ],
    'a message twice, its follower between': [
      new Scene().cause('a').cause('b').arrive('a').arrive('b').kill().arrive('a'),
      /was followed by id of b already/,
    ],
    'a failing message that a later one passes': [
      new Scene().cause('a').cause('b').arrive('a', 500).arrive('b'),
      /overtook id of a/,
    ],
    'one attempt too many': [
      new Scene().cause('a').arrive('a', 500).arrive('a', 500).arrive('a'),
      /had all of its attempts: 2/,
    ],
    'an attempt after the maximum was lowered during the one before': [
      new Scene({ maxAttempts: 10 })
        .cause('a')
        .arrive('a', 500, { answeredAt: 7 })
        .change({ maxAttempts: 1 })
        .arrive('a'),
      /had all of its attempts: 1/,
    ],
    'a message that is dead-lettered too soon': [
      new Scene().cause('a').arrive('a', 500),
      /was dead-lettered after 1 failed attempts/,
    ],
    'a timestamp that goes back': [
      new Scene().cause('a').cause('b').arrive('a', 200, { second: 5 }).arrive('b', 200, { second: 4 }),
      /goes back from 2030-01-01T00:00:05.000Z/,
    ],
    'a timestamp of the wrong time': [
      new Scene().cause('a').arrive('a', 200, { second: 30 }),
      /happened between/,
    ],
    'the target of another configuration': [
      new Scene().change({ targetUrl: 'http://127.0.0.1/0/1' }).cause('a').arrive('a'),
      /came to \/0\/0 with undefined, but the webhook is http:\/\/127\.0\.0\.1\/0\/1/,
    ],
    'credentials that are missing': [
      new Scene({ credentials: { key: 'k', secret: 's' } }).cause('a').arrive('a'),
      /came to \/0\/0 with undefined/,
    ],
    'a delivery by an inactive webhook': [
      new Scene().cause('a').change({ enabled: false }).cause('b').arrive('a').arrive('b'),
      /but the webhook is/,
    ],
    'a second attempt during the first': [
      new Scene().cause('a').arrive('a', 200, { answeredAt: null }).arrive('a'),
      /came while another one was still being answered/,
    ],
    'a history without a message': [new Scene().cause('a').arrive('a'), /messages in the history/],
    'a history in another order': [
      new Scene()
        .cause('a')
        .cause('b')
        .purge()
        .arrive('a')
        .arrive('b')
        .report('b', 'DELIVERED', 1)
        .report('a', 'DELIVERED', 1),
      /message 0 of the history/,
    ],
    'a history with another outcome': [
      new Scene().cause('a').arrive('a').report('a', 'DISCARDED', 1),
      /is DISCARDED, not DELIVERED/,
    ],
    'a history with another number of attempts': [
      new Scene().cause('a').arrive('a', 500).arrive('a').report('a', 'DELIVERED', 1),
      /reports 1 attempts; 2 to 2 were seen/,
    ],
  };
  for (const [what, [scene, message]] of Object.entries(bad)) {
    it(what, () => {
      assert.throws(() => scene.settle(), { message });
    });
  }
});
