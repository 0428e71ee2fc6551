import type { Database } from '../../src/database/database.ts';
import type {
  MessageQueue,
  QueueMessage,
  Received,
  ReceivedMessage,
  Settled,
  Settlement,
} from '../../src/queue/message-queue.ts';
import { HOUR_MS } from '../../src/time/units.ts';
import { type SettleAndReceiveRequest, settleAndReceive } from '../support/settle-and-receive.ts';

/** An open queue of an engine, with everything else that the contract tests need. */
export interface QueueEngine extends AsyncDisposable {
  readonly queue: MessageQueue;
  /** Messages are queued in transactions of this database. */
  readonly database: Database;
  /** The engine's current time, in epoch milliseconds. */
  now(): number;
  /** True if only `pass` lets time pass, so that times are known to the millisecond. */
  readonly clockIsOurs: boolean;
  /** Lets time pass: sets the clock, or waits if the test does not control the engine's clock. */
  pass(ms: number): Promise<void>;
  /** Resolves when all messages that were queued so far can be received. */
  arrived(): Promise<void>;
  /** The dead-letter queue, in the order in which messages were moved to it. */
  deadLetters(): Promise<QueueMessage[]>;
}

/** Opens an empty queue. */
export type OpenQueue = () => Promise<QueueEngine>;

/** How long a received message stays hidden in these tests. Whole seconds, since some engines count in them. */
export const VISIBILITY_MS = 2_000;

/** More than any test has lines. */
const ALL = 100;

/** A message of a line; its id, label and body follow from its name. */
export function messageOf(lineId: number, name: string, occurredAt: number): QueueMessage {
  return { lineId, messageId: name, label: `LABEL_${name}`, body: `{"name":"${name}"}`, occurredAt };
}

/** The parts of a received message that do not depend on the engine. */
export function contentOf({ lineId, messageId, label, body, occurredAt }: QueueMessage): QueueMessage {
  return { lineId, messageId, label, body, occurredAt };
}

/** Short calls of a queue, as the service makes them. */
export class QueueUser {
  readonly engine: QueueEngine;

  constructor(engine: QueueEngine) {
    this.engine = engine;
  }

  /** Queues messages of these names, in one transaction. */
  async put(lineId: number, ...names: string[]): Promise<void> {
    await this.putAll(names.map((name) => messageOf(lineId, name, this.engine.now())));
  }

  async putAll(messages: readonly QueueMessage[]): Promise<void> {
    const { queue, database } = this.engine;
    await database.transaction((tx) => queue.enqueue(tx, messages));
    await this.engine.arrived();
  }

  /** Receives due messages, at most `capacity`, sorted by line. */
  async receive(capacity = ALL): Promise<ReceivedMessage[]> {
    const { received } = await this.settleAndReceive({ capacity });
    return received.sort((a, b) => a.lineId - b.lineId);
  }

  /** Receives due messages and returns their names. */
  async receiveNames(capacity = ALL): Promise<string[]> {
    return (await this.receive(capacity)).map((message) => message.messageId);
  }

  /** Receives the one message that is due. @throws {Error} when not exactly one is due */
  async receiveOne(): Promise<ReceivedMessage> {
    const received = await this.receive();
    const [message] = received;
    if (message === undefined || received.length > 1)
      throw new Error(`${received.length} messages were due instead of one`);
    return message;
  }

  /** Settles in one batch and returns the settlements that took effect. */
  async settle(...settlements: Settlement[]): Promise<Settled[]> {
    const effective: Settled[] = [];
    await this.settleAndReceive({
      settlements,
      record: async (_tx, settled) => {
        effective.push(...settled);
      },
    });
    return effective;
  }

  async settleAndReceive(request: Partial<SettleAndReceiveRequest>): Promise<Received> {
    return await settleAndReceive(this.engine, { visibilityMs: VISIBILITY_MS, ...request });
  }

  /** Receives and deletes messages until none is due. Returns their names in the order of receipt. */
  async drain(): Promise<string[]> {
    const names: string[] = [];
    for (let received = await this.receive(); received.length > 0; received = await this.receive()) {
      names.push(...received.map((message) => message.messageId));
      await this.settle(...received.map((message) => ({ message, action: 'delete' }) as const));
    }
    return names;
  }

  /** Redelivers dead letters of these names, in this order. */
  async redeliver(messages: readonly QueueMessage[]): Promise<void> {
    const { queue, database } = this.engine;
    await database.transaction((tx) => queue.lines.redeliver(tx, messages));
    await this.engine.arrived();
  }
}

/** A line with messages of these names, the first of which failed once and waits for long. */
export async function blockedLine(engine: QueueEngine, ...names: string[]): Promise<QueueUser> {
  const user = new QueueUser(engine);
  await user.put(1, ...names);
  const message = await user.receiveOne();
  await user.settle({ message, action: 'retry', availableAt: engine.now() + HOUR_MS });
  return user;
}

/** The dead letters that the service lists, in the order in which they died. */
export async function readDeadLetters(database: Database): Promise<QueueMessage[]> {
  const rows = await database.reader.query
    .selectFrom('queue_dead_letters')
    .selectAll()
    .orderBy('queue_dead_letters.id')
    .execute();
  return rows.map((row) => ({
    lineId: Number(row.line_id),
    messageId: row.message_id,
    label: row.label,
    body: row.body,
    occurredAt: Number(row.enqueued_at),
  }));
}
